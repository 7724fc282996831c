-- How far each receiver has been told of its task: the outbox is this and the table of events, so an event is stored once,
-- however many are to be told of it.
ALTER TABLE push_config ADD COLUMN receiver TEXT NOT NULL DEFAULT ''; -- the host of its address
ALTER TABLE push_config ADD COLUMN told INTEGER NOT NULL DEFAULT 0; -- the number of the last event that needs no telling
ALTER TABLE push_config ADD COLUMN due_at INTEGER; -- nothing while there is nothing to tell
ALTER TABLE push_config ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push_config ADD COLUMN failing_since INTEGER;
ALTER TABLE push_config ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push_config ADD COLUMN disabled TEXT; -- JSON: why nothing more is told
ALTER TABLE push_config ADD COLUMN node TEXT;
ALTER TABLE push_config ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;

-- What was there before was told of nothing, and is told of what comes now.
UPDATE push_config SET told = ifnull((SELECT last_event FROM task WHERE pk = task_pk),
  (SELECT ifnull(max(number), 0) FROM event WHERE event.task_pk = push_config.task_pk));

-- What is to be told, by who is at it: that of a living node is never looked at.
CREATE INDEX push_config_due ON push_config (node, due_at, task_pk, number, receiver) WHERE due_at IS NOT NULL;

-- Whether a task has push configurations stands in its row, so that those without cost no statement to find out.
ALTER TABLE task ADD COLUMN pushed INTEGER NOT NULL DEFAULT 0;
UPDATE task SET pushed = 1 WHERE pk IN (SELECT task_pk FROM push_config);

-- Events that a receiver could not be told of, in the order in which they were given up.
CREATE TABLE dead_letter (
  pk        INTEGER PRIMARY KEY,
  id        TEXT NOT NULL UNIQUE,
  task_pk   INTEGER NOT NULL,
  config_id TEXT NOT NULL,
  number    INTEGER NOT NULL,
  kind      TEXT NOT NULL,
  attempts  INTEGER NOT NULL,
  time      INTEGER NOT NULL,
  reason    TEXT NOT NULL, -- JSON
  body      TEXT NOT NULL
);

CREATE INDEX dead_letter_config ON dead_letter (task_pk, config_id, pk);

CREATE TRIGGER dead_letter_gone AFTER DELETE ON push_config BEGIN
  DELETE FROM dead_letter WHERE task_pk = OLD.task_pk AND config_id = OLD.id;
END;
