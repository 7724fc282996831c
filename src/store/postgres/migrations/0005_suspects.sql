-- A task that a process was running when it died may have caused the crash. `suspect_ms` is the time for which the next run of
-- such a task is observed, `claimed_journal` is the number of its last journal entry when it was claimed, and `crashes` counts
-- the crashes after which the journal had grown.
ALTER TABLE {schema}.task ADD COLUMN suspect_ms integer;
ALTER TABLE {schema}.task ADD COLUMN claimed_journal integer;
ALTER TABLE {schema}.task ADD COLUMN crashes integer;

CREATE INDEX task_suspect ON {schema}.task (agent, attempts, wake_at, seq) WHERE suspect_ms IS NOT NULL;

-- By node, so that a claim finds the tasks of dead nodes.
CREATE INDEX task_held ON {schema}.task (node) WHERE node IS NOT NULL AND wake_at IS NOT NULL;
