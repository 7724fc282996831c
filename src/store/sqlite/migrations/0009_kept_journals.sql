-- The journals of ended tasks can be kept. `outline` is what an entry may keep without its value; `sensitive` is 1 if its value may
-- never outlive the task. That is unknown for existing entries, so theirs may not.
ALTER TABLE journal ADD COLUMN outline TEXT; -- JSON
ALTER TABLE journal ADD COLUMN sensitive INTEGER NOT NULL DEFAULT 1;
