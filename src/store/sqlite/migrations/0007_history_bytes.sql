-- How many bytes of messages a task has, so that it can take only so many. Of a task that has ended nobody asks; NULL says that
-- nobody has counted.
ALTER TABLE task ADD COLUMN history_bytes INTEGER;

UPDATE task SET history_bytes = ifnull(length(message), 0)
    + (SELECT ifnull(sum(length(body)), 0) FROM message WHERE task_pk = task.pk)
  WHERE ended_at IS NULL;
