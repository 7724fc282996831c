-- The name of the channel for hints is derived from this secret, because every role that can connect to the database can listen
-- and notify on any channel whose name it knows.
ALTER TABLE {schema}.migration ADD COLUMN secret text;
UPDATE {schema}.migration SET secret = gen_random_uuid() WHERE number = 1;
