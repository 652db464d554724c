-- +goose Up
-- Under which declaration of the tool the calls were made; NULL when it is not
-- known. Workers of the version before go on beside this one: they leave the
-- column as it is. What a claim of theirs leaves in it is the declaration of an
-- earlier claim, and lets nothing be sent that NULL would not.
ALTER TABLE holdpoint_effects ADD COLUMN declaration text;

COMMENT ON COLUMN holdpoint_effects.declaration IS 'Digest of the tool''s declaration under which the calls were made that may have had the effect.';
