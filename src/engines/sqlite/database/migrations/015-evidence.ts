/** Adds stored checkpoints, and the chain of the audit log. */
export const evidence = `
  -- document: see checkpoint-check.ts.
  CREATE TABLE ledger_checkpoint (number INTEGER PRIMARY KEY, document TEXT NOT NULL, crc INTEGER NOT NULL);
  -- hash: see audit-chain.ts; null: stored by an earlier version of the program.
  ALTER TABLE audit ADD COLUMN hash TEXT;
  CREATE TABLE audit_chain (part TEXT PRIMARY KEY, id INTEGER NOT NULL, hash TEXT NOT NULL) WITHOUT ROWID;
`;
