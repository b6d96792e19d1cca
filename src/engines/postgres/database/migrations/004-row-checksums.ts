import type { Migration } from '../migration.js';

export const rowChecksums: Migration = {
  usableFrom: 1,
  sql: `
  -- crc: see stored-rows.ts; null: stored by an earlier version of the program, which may run at the same time.
  ALTER TABLE file_text ADD COLUMN crc bigint;
  ALTER TABLE change ADD COLUMN crc bigint;
`,
};
