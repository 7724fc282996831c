-- A task that a process was running when it died may have ended that process. `suspect_ms` says for how long the next run of
-- such a task is to be observed; `claimed_journal` is the number of its last journal entry when it was claimed, and
-- `crashes` counts the crashes after which it had more.
ALTER TABLE task ADD COLUMN suspect_ms INTEGER;
ALTER TABLE task ADD COLUMN claimed_journal INTEGER;
ALTER TABLE task ADD COLUMN crashes INTEGER;

CREATE INDEX task_suspect ON task (agent, attempts, wake_at) WHERE suspect_ms IS NOT NULL;
