export const rowChecksums = `
  -- crc: see stored-rows.ts; null: stored by an earlier version of the program.
  ALTER TABLE file_text ADD COLUMN crc INTEGER;
  ALTER TABLE change ADD COLUMN crc INTEGER;
`;
