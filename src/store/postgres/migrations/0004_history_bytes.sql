-- How many bytes of messages a task has, so that it can take only so many. Of a task that has ended nobody asks; NULL says that
-- nobody has counted.
ALTER TABLE {schema}.task ADD COLUMN history_bytes bigint;

UPDATE {schema}.task t SET history_bytes =
    (SELECT coalesce(sum(octet_length(m.body)), 0) FROM {schema}.message m WHERE m.task_id = t.id)
  WHERE t.ended_at IS NULL;
