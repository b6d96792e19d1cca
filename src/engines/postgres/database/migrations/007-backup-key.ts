import type { Migration } from '../migration.js';

export const backupKey: Migration = {
  usableFrom: 1,
  sql: `
  -- Key that signs backups. It is not in the table store: earlier versions, which may run at the same time, back up all
  -- rows of that table.
  CREATE TABLE backup_key (one boolean PRIMARY KEY DEFAULT true CHECK (one), private_key text NOT NULL);
`,
};
