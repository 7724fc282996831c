-- Calls of tasks to other agents. A row is added with the journal entry of the call, and removed with its outcome. A call that was
-- given up after the end of its task stays as long as the task.
CREATE TABLE {schema}.call (
  id         text COLLATE "C" PRIMARY KEY,
  seq        bigint GENERATED ALWAYS AS IDENTITY,
  task_id    text COLLATE "C" NOT NULL,
  tenant     text COLLATE "C" NOT NULL, -- this and the next two columns are those of the task
  owner      text COLLATE "C" NOT NULL,
  agent      text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  due_at     bigint, -- NULL while a node holds the call and nothing new has happened
  node       text COLLATE "C",
  fence      integer NOT NULL DEFAULT 0,
  failed     text, -- JSON, like the next two columns: why the call was given up
  request    text NOT NULL,
  progress   text NOT NULL DEFAULT '{}'
);

-- Calls that are due now or later: a claim reads neither those that nodes hold nor those that wait.
CREATE INDEX call_due ON {schema}.call (agent, due_at, seq) WHERE node IS NULL AND due_at IS NOT NULL;
CREATE INDEX call_held ON {schema}.call (node) WHERE node IS NOT NULL;
CREATE INDEX call_task ON {schema}.call (task_id, id);
CREATE INDEX call_owner ON {schema}.call (tenant, owner) WHERE failed IS NULL;

-- The number of open calls of a task, and the call that created it. NULL for most tasks.
ALTER TABLE {schema}.task
  ADD COLUMN open_calls integer,
  ADD COLUMN call_id text COLLATE "C";
