-- The entries of all tasks in the order of writing, like events: each step of a task is a commit. If entries were ordered by task,
-- a commit of many steps would write a page for each of them.
ALTER TABLE journal RENAME TO journal_by_task;

CREATE TABLE journal (
  pk      INTEGER PRIMARY KEY,
  task_pk INTEGER NOT NULL,
  number  INTEGER NOT NULL,
  kind    TEXT NOT NULL, -- JSON, like the next two columns
  key     TEXT NOT NULL,
  body    TEXT NOT NULL
);

INSERT INTO journal (task_pk, number, kind, key, body)
  SELECT task_pk, number, kind, key, body FROM journal_by_task ORDER BY task_pk, number;

DROP TABLE journal_by_task;

CREATE UNIQUE INDEX journal_task ON journal (task_pk, number);
