-- The bytes of the messages of a task, which are limited. Not used after the task has ended. NULL: not counted.
ALTER TABLE task ADD COLUMN history_bytes INTEGER;

UPDATE task SET history_bytes = ifnull(length(message), 0)
    + (SELECT ifnull(sum(length(body)), 0) FROM message WHERE task_pk = task.pk)
  WHERE ended_at IS NULL;
