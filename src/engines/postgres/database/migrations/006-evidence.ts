import type { Migration } from '../migration.js';

/**
 * Tables of stored checkpoints and of the audit chain. The previous version of the program adds audit records without a
 * hash.
 */
export const evidence: Migration = {
  usableFrom: 1,
  sql: `
  -- document: see checkpoint-check.ts.
  CREATE TABLE ledger_checkpoint (number bigint PRIMARY KEY, document text NOT NULL, crc bigint NOT NULL);
  -- hash: see audit-chain.ts; null: stored by an earlier version of the program.
  ALTER TABLE audit ADD COLUMN hash text;
  CREATE TABLE audit_chain (part text COLLATE "C" PRIMARY KEY, id bigint NOT NULL, hash text NOT NULL);
`,
};
