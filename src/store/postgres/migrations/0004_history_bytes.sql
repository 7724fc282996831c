-- The bytes of the messages of a task, which are limited. Not used after the task has ended. NULL: not counted.
ALTER TABLE {schema}.task ADD COLUMN history_bytes bigint;

UPDATE {schema}.task t SET history_bytes =
    (SELECT coalesce(sum(octet_length(m.body)), 0) FROM {schema}.message m WHERE m.task_id = t.id)
  WHERE t.ended_at IS NULL;
