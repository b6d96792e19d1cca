import type { Migration } from '../migration.js';

export const backupKey: Migration = {
  usableFrom: 1,
  sql: `
  -- Signs backups. Not in the table store: backups of earlier versions, which may run at the same time, have all of that.
  CREATE TABLE backup_key (one boolean PRIMARY KEY DEFAULT true CHECK (one), private_key text NOT NULL);
`,
};
