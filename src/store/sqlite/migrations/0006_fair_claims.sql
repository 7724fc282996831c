-- Callers take the slots of an agent round robin. `fairness_key` names the share that a task counts against, if it is not that of
-- its owner. `queued` is 1 for a task that was due when its row was written, or when a claim found it due: these wait for a
-- slot, while those with 0 sleep or run. It is a hint for claims, which check the time and the node too.
ALTER TABLE task ADD COLUMN fairness_key TEXT;
ALTER TABLE task ADD COLUMN queued INTEGER NOT NULL DEFAULT 0;

UPDATE task SET queued = 1 WHERE wake_at <= 1000 * CAST(strftime('%s', 'now') AS INTEGER);

-- By node and time, so that a claim that takes all due tasks reads only these.
DROP INDEX task_wake;
CREATE INDEX task_wake ON task (node, queued, wake_at) WHERE wake_at IS NOT NULL;

-- By fairness key and time. Tasks that start at once are never in it, and neither are tasks that sleep.
CREATE INDEX task_queue ON task (agent, ifnull(fairness_key, owner), wake_at) WHERE queued = 1 AND wake_at IS NOT NULL;
