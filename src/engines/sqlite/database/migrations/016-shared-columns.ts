/** Adds columns for values of documents, which the tables in PostgreSQL already have. */
export const sharedColumns = `
  ALTER TABLE session ADD COLUMN scheme TEXT NOT NULL DEFAULT '';
  UPDATE session SET scheme = coalesce(document ->> '$.account.scheme', '') WHERE json_valid(document);
  DROP INDEX session_user;
  CREATE INDEX session_account ON session (user_name, scheme, created_ms);
  ALTER TABLE api_token ADD COLUMN scheme TEXT NOT NULL DEFAULT '';
  UPDATE api_token SET scheme = coalesce(document ->> '$.account.scheme', '') WHERE json_valid(document);
  DROP INDEX api_token_user;
  CREATE INDEX api_token_account ON api_token (user_name, scheme, created_ms);
  ALTER TABLE attachment ADD COLUMN size INTEGER NOT NULL DEFAULT 0;
  UPDATE attachment SET size = coalesce(document ->> '$.size', 0) WHERE json_valid(document);
`;
