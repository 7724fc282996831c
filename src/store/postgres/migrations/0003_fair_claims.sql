-- Callers take the slots of an agent round robin. `fairness_key` names the share that a task counts against, if it is not that of
-- its owner. `queued` is true for a task that was due when its row was written, or when a claim found it due: these wait for a
-- slot, while the others sleep or run. It is a hint for claims, which check the time and the node too, because nodes of an older
-- version do not maintain it.
ALTER TABLE {schema}.task
  ADD COLUMN fairness_key text COLLATE "C",
  ADD COLUMN queued boolean NOT NULL DEFAULT false;

UPDATE {schema}.task SET queued = true
  WHERE node IS NULL AND wake_at <= (extract(epoch FROM clock_timestamp()) * 1000)::bigint;

-- By time, so that a claim that takes all due tasks reads only these.
DROP INDEX {schema}.task_wake;
CREATE INDEX task_wake ON {schema}.task (agent, queued, wake_at, seq) WHERE wake_at IS NOT NULL;

-- By fairness key and time. Tasks that start at once are never in it, and neither are tasks that sleep.
CREATE INDEX task_queue ON {schema}.task (agent, coalesce(fairness_key, owner), wake_at, seq)
  WHERE queued AND wake_at IS NOT NULL;

-- Where the rotation of each agent continues: after the key that received the last task.
CREATE TABLE {schema}.claim_position (
  agent        text COLLATE "C" PRIMARY KEY,
  fairness_key text COLLATE "C" NOT NULL
);
