-- A task that a process was running when it died may have caused the crash. `suspect_ms` is the time for which the next run of
-- such a task is observed, `claimed_journal` is the number of its last journal entry when it was claimed, and `crashes` counts
-- the crashes after which the journal had grown.
ALTER TABLE task ADD COLUMN suspect_ms INTEGER;
ALTER TABLE task ADD COLUMN claimed_journal INTEGER;
ALTER TABLE task ADD COLUMN crashes INTEGER;

CREATE INDEX task_suspect ON task (agent, attempts, wake_at) WHERE suspect_ms IS NOT NULL;
