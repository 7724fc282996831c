-- The position of each receiver in the events of its task. The outbox consists of this and the table of events, so an event is
-- stored once for any number of receivers.
ALTER TABLE push_config ADD COLUMN receiver TEXT NOT NULL DEFAULT ''; -- the host of the URL
ALTER TABLE push_config ADD COLUMN told INTEGER NOT NULL DEFAULT 0; -- the number of the last event that was delivered or given up
ALTER TABLE push_config ADD COLUMN due_at INTEGER; -- NULL while no event is due
ALTER TABLE push_config ADD COLUMN attempts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push_config ADD COLUMN failing_since INTEGER;
ALTER TABLE push_config ADD COLUMN given_up INTEGER NOT NULL DEFAULT 0;
ALTER TABLE push_config ADD COLUMN disabled TEXT; -- JSON: why delivery is disabled
ALTER TABLE push_config ADD COLUMN node TEXT;
ALTER TABLE push_config ADD COLUMN fence INTEGER NOT NULL DEFAULT 0;

-- Existing push configs receive only events from now on.
UPDATE push_config SET told = ifnull((SELECT last_event FROM task WHERE pk = task_pk),
  (SELECT ifnull(max(number), 0) FROM event WHERE event.task_pk = push_config.task_pk));

-- Deliveries that are due, by the node that works on them: a claim does not read those of living nodes.
CREATE INDEX push_config_due ON push_config (node, due_at, task_pk, number, receiver) WHERE due_at IS NOT NULL;

-- Set if a task has push configs, so that the others cost no statement to find out.
ALTER TABLE task ADD COLUMN pushed INTEGER NOT NULL DEFAULT 0;
UPDATE task SET pushed = 1 WHERE pk IN (SELECT task_pk FROM push_config);

-- Dead letters: events that could not be delivered, in the order in which delivery was given up.
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
