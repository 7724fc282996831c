-- The messages of an ended task share a row, because reading a row per message takes longer than reading their texts. `lengths` are
-- those of the texts in UTF-16 units, separated by spaces; NULL for a single message. `number` is that of the last message of the
-- row, and the texts in `body` are separated by commas.
ALTER TABLE message ADD COLUMN lengths TEXT;
