-- Calls of tasks to other agents. A row is added with the journal entry of the call, and removed with its outcome. A call that was
-- given up after the end of its task stays as long as the task.
CREATE TABLE call (
  pk         INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  task_id    TEXT NOT NULL,
  tenant     TEXT NOT NULL, -- this and the next two columns are those of the task
  owner      TEXT NOT NULL,
  agent      TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  due_at     INTEGER, -- NULL while a node holds the call and nothing new has happened
  node       TEXT,
  fence      INTEGER NOT NULL DEFAULT 0,
  failed     TEXT, -- JSON, like the next two columns: why the call was given up
  request    TEXT NOT NULL,
  progress   TEXT NOT NULL DEFAULT '{}'
);

-- Calls that are due now or later: a claim reads neither those that nodes hold nor those that wait.
CREATE INDEX call_due ON call (agent, due_at, pk, tenant, owner) WHERE node IS NULL AND due_at IS NOT NULL;
CREATE INDEX call_held ON call (node) WHERE node IS NOT NULL;
CREATE INDEX call_task ON call (task_id, id);
CREATE INDEX call_owner ON call (tenant, owner) WHERE failed IS NULL;

CREATE TRIGGER call_gone AFTER DELETE ON task BEGIN
  DELETE FROM call WHERE task_id = OLD.id;
END;

-- The number of open calls of a task, and the call that created it. NULL for most tasks.
ALTER TABLE task ADD COLUMN open_calls INTEGER;
ALTER TABLE task ADD COLUMN call_id TEXT;
