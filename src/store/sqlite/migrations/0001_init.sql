-- A file that is ours says so in its header, so that no other database is taken for one ('TND1').
PRAGMA application_id = 1414415409;

-- 'schema': the last migration that was applied; 'boot': how often the file was opened.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO meta (name, value) VALUES ('schema', 0), ('boot', 0);

-- The small, often written part of a task; what is bulky has its own tables. Long columns come last, so that reading and
-- writing the short ones does not walk over them.
CREATE TABLE task (
  pk           INTEGER PRIMARY KEY,
  id           TEXT NOT NULL UNIQUE,
  tenant       TEXT NOT NULL,
  owner        TEXT NOT NULL,
  context_id   TEXT NOT NULL,
  agent        TEXT NOT NULL,
  alias        TEXT,
  state        INTEGER NOT NULL, -- its number in the protocol definition
  status_time  INTEGER NOT NULL, -- all times are milliseconds since 1970
  visible      INTEGER NOT NULL,
  canceling    INTEGER NOT NULL,
  has_events   INTEGER NOT NULL, -- 0 once retention has taken them
  last_event   INTEGER, -- this and the next only once it has ended: until then the tables of both say it
  last_journal INTEGER,
  last_message INTEGER NOT NULL,
  fence        INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  node         TEXT,
  wake_at      INTEGER,
  question     TEXT, -- JSON, because names of questions and of steps may hold what no TEXT can
  created_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  status       TEXT NOT NULL, -- JSON, as are all that follow
  metadata     TEXT,
  origin       TEXT NOT NULL,
  message      TEXT, -- the first of the history, if it is short
  artifacts    TEXT -- all of them, once it has ended, if they are short
);

CREATE UNIQUE INDEX task_alias ON task (tenant, owner, alias) WHERE alias IS NOT NULL;

-- Lists: each page is one range of one of these, read backwards, and counting never touches the table.
CREATE INDEX task_list ON task (tenant, owner, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_state ON task (tenant, owner, state, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_context ON task (tenant, owner, context_id, status_time, id, state) WHERE visible = 1;

-- What is to be run, by who has it: those of a living node are never looked at.
CREATE INDEX task_wake ON task (node, wake_at) WHERE wake_at IS NOT NULL;

-- Retention, of tasks and of their events.
CREATE INDEX task_ended ON task (has_events, ended_at) WHERE ended_at IS NOT NULL;

-- Events lie in the order in which they come, whatever their task: a commit writes the few pages at the end, and not one
-- for each task that runs. Those of one write lie in one row.
CREATE TABLE event (
  pk      INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL, -- of the last of them
  kinds   TEXT NOT NULL, -- a digit for each: 0 task, 1 status, 2 artifact
  lengths TEXT, -- of their bodies in UTF-16, with spaces between; nothing if there is one
  body    TEXT NOT NULL -- all bodies, one after the other
);

CREATE UNIQUE INDEX event_task ON event (task_pk, number);

-- What else belongs to a task lies together, in the order of its numbers: reading it is one range.
CREATE TABLE journal (
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  kind    TEXT NOT NULL, -- JSON, as are the next two
  key     TEXT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (task_pk, number)
) WITHOUT ROWID;

-- All but the first, if that lies in the row of the task.
CREATE TABLE message (
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (task_pk, number)
) WITHOUT ROWID;

-- All artifacts of a task as of the event `up_to`, unless its row has them.
CREATE TABLE artifact (
  task_pk  INTEGER PRIMARY KEY,
  up_to    INTEGER NOT NULL,
  snapshot TEXT NOT NULL
);

-- Requests that may come twice. Without `task_pk` the task is gone and the key only waits for its time.
CREATE TABLE request_key (
  tenant     TEXT NOT NULL,
  owner      TEXT NOT NULL,
  key        TEXT NOT NULL,
  digest     TEXT NOT NULL,
  task_id    TEXT NOT NULL,
  task_pk    INTEGER,
  keep_until INTEGER NOT NULL,
  reply      TEXT,
  PRIMARY KEY (tenant, owner, key)
) WITHOUT ROWID;

CREATE INDEX request_key_task ON request_key (task_pk) WHERE task_pk IS NOT NULL;
CREATE INDEX request_key_left ON request_key (keep_until) WHERE task_pk IS NULL;
