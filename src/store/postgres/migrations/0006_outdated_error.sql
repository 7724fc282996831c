-- Fails with an error code of its own if the rows that a transaction was based on have changed. Earlier versions divide by zero
-- instead, and do not use this function.
CREATE FUNCTION {schema}.assert_current(is_current boolean) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  IF is_current THEN
    RETURN 1;
  END IF;
  RAISE EXCEPTION 'A task has changed since it was read' USING ERRCODE = 'TA001';
END
$$;
