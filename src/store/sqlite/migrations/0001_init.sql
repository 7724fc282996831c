-- The header identifies our files ('TND1'), so that another database is not mistaken for one.
PRAGMA application_id = 1414415409;

-- 'schema': the last migration that was applied; 'boot': how often the file was opened.
CREATE TABLE meta (
  name  TEXT PRIMARY KEY,
  value INTEGER NOT NULL
) WITHOUT ROWID;

INSERT INTO meta (name, value) VALUES ('schema', 0), ('boot', 0);

-- The small, frequently written part of a task. Large parts have their own tables. Long columns come last, so that access to
-- the short ones does not skip over them.
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
  has_events   INTEGER NOT NULL, -- 0 after retention removed them
  last_event   INTEGER, -- this and the next column only after the end; before that, the tables of both have the numbers
  last_journal INTEGER,
  last_message INTEGER NOT NULL,
  fence        INTEGER NOT NULL,
  attempts     INTEGER NOT NULL,
  node         TEXT,
  wake_at      INTEGER,
  question     TEXT, -- JSON, because names of questions and steps can contain characters that TEXT cannot
  created_at   INTEGER NOT NULL,
  ended_at     INTEGER,
  status       TEXT NOT NULL, -- JSON, like all following columns
  metadata     TEXT,
  origin       TEXT NOT NULL,
  message      TEXT, -- the first message of the history, if it is short
  artifacts    TEXT -- all artifacts, after the end, if they are short
);

CREATE UNIQUE INDEX task_alias ON task (tenant, owner, alias) WHERE alias IS NOT NULL;

-- Lists: each page is one range of one of these indexes, read backwards. Counts do not read the table.
CREATE INDEX task_list ON task (tenant, owner, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_state ON task (tenant, owner, state, status_time, id) WHERE visible = 1;
CREATE INDEX task_list_context ON task (tenant, owner, context_id, status_time, id, state) WHERE visible = 1;

-- Tasks to run, by the node that runs them: a claim does not read the tasks of living nodes.
CREATE INDEX task_wake ON task (node, wake_at) WHERE wake_at IS NOT NULL;

-- Retention, of tasks and of their events.
CREATE INDEX task_ended ON task (has_events, ended_at) WHERE ended_at IS NOT NULL;

-- Events are stored in the order of writing, for all tasks together: a commit writes a few pages at the end, and not one page
-- per running task. The events of one write share a row.
CREATE TABLE event (
  pk      INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL, -- of the last event of the row
  kinds   TEXT NOT NULL, -- a digit per event: 0 task, 1 status, 2 artifact
  lengths TEXT, -- of the bodies in UTF-16 units, separated by spaces; NULL if there is only one
  body    TEXT NOT NULL -- all bodies, concatenated
);

CREATE UNIQUE INDEX event_task ON event (task_pk, number);

-- Other parts of a task are stored together, ordered by number: reading them is one range.
CREATE TABLE journal (
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  kind    TEXT NOT NULL, -- JSON, like the next two columns
  key     TEXT NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (task_pk, number)
) WITHOUT ROWID;

-- All messages except the first, if that is in the row of the task.
CREATE TABLE message (
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  body    TEXT NOT NULL,
  PRIMARY KEY (task_pk, number)
) WITHOUT ROWID;

-- All artifacts of a task up to the event `up_to`, unless the row of the task has them.
CREATE TABLE artifact (
  task_pk  INTEGER PRIMARY KEY,
  up_to    INTEGER NOT NULL,
  snapshot TEXT NOT NULL
);

-- Keys of requests that can be repeated. Without `task_pk` the task is removed, and the key stays until it expires.
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
