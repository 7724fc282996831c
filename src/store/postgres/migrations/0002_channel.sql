-- Hints say what has happened. The channel on which they are heard has a name that is made from this, and nobody else can know
-- it: whoever may connect to a database may listen and speak on any channel that he can name.
ALTER TABLE {schema}.migration ADD COLUMN secret text;
UPDATE {schema}.migration SET secret = gen_random_uuid() WHERE number = 1;
