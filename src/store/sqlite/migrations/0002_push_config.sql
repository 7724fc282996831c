-- Where to tell of a task, in the order of first creation; of one that was replaced, number and time stay.
CREATE TABLE push_config (
  task_pk    INTEGER NOT NULL,
  number     INTEGER NOT NULL,
  id         TEXT NOT NULL,
  dialect    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  config     TEXT NOT NULL, -- JSON
  PRIMARY KEY (task_pk, number)
) WITHOUT ROWID;

CREATE UNIQUE INDEX push_config_id ON push_config (task_pk, id);

-- The number of a task that is gone is given to the next one, which must not inherit the webhooks. A trigger, because a
-- task is removed for each bare reply, and nearly none has a row here: a statement for it would cost more.
CREATE TRIGGER push_config_gone AFTER DELETE ON task BEGIN
  DELETE FROM push_config WHERE task_pk = OLD.pk;
END;
