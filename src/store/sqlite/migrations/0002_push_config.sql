-- The push configs of a task, in the order of creation. A replacement keeps the number and the time.
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

-- The number of a removed task is reused for the next one, which must not inherit the webhooks. A trigger costs less than a
-- statement, because a task is removed for each bare reply and almost none has a row here.
CREATE TRIGGER push_config_gone AFTER DELETE ON task BEGIN
  DELETE FROM push_config WHERE task_pk = OLD.pk;
END;
