-- The journals of ended tasks can be kept. `outline` is what an entry may keep without its value; `sensitive` is true if its value
-- may never outlive the task. That is unknown for existing entries and those of older versions, so theirs may not.
ALTER TABLE {schema}.journal
  ADD COLUMN outline text, -- JSON
  ADD COLUMN sensitive boolean NOT NULL DEFAULT true;
