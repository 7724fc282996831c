-- The entries of all tasks in the order in which they come, as events are: each step of a task is a commit, and with a place
-- for each task a commit of many steps wrote a page for each of them.
ALTER TABLE journal RENAME TO journal_by_task;

CREATE TABLE journal (
  pk      INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  kind    TEXT NOT NULL, -- JSON, as are the next two
  key     TEXT NOT NULL,
  body    TEXT NOT NULL
);

INSERT INTO journal (task_pk, number, kind, key, body)
  SELECT task_pk, number, kind, key, body FROM journal_by_task ORDER BY task_pk, number;

DROP TABLE journal_by_task;

CREATE UNIQUE INDEX journal_task ON journal (task_pk, number);
