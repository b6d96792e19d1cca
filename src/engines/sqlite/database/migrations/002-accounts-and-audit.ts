/** Adds tokens and the audit log, and gives sessions an account. */
export const accountsAndAudit = `
  ALTER TABLE session RENAME TO earlier_session;
  DROP INDEX session_expires;
  CREATE TABLE session (
    token_hash TEXT PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    expires_ms INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    user_name TEXT NOT NULL,
    document TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX session_expires ON session (expires_ms);
  CREATE INDEX session_user ON session (user_name, created_ms);
  CREATE INDEX session_created ON session (created_ms);
  WITH given AS MATERIALIZED (SELECT token_hash AS of_hash, lower(hex(randomblob(8))) AS id FROM earlier_session)
  INSERT INTO session (token_hash, id, expires_ms, created_ms, user_name, document)
    SELECT token_hash, given.id, expires_ms, document ->> '$.createdMs', document ->> '$.principal.userName',
      json_set(json_remove(document, '$.principal'), '$.id', given.id, '$.from', '',
        '$.endsMs', (document ->> '$.createdMs') + 2592000000,
        '$.account', json_object('scheme', 'inMemory', 'userName', document ->> '$.principal.userName',
          'groups', json('[]'), 'roles', document -> '$.principal.roles'))
    FROM earlier_session JOIN given ON given.of_hash = token_hash;
  DROP TABLE earlier_session;

  CREATE TABLE api_token (
    id TEXT PRIMARY KEY,
    token_hash TEXT NOT NULL UNIQUE,
    created_ms INTEGER NOT NULL,
    user_name TEXT NOT NULL,
    document TEXT NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX api_token_user ON api_token (user_name, created_ms);

  CREATE TABLE audit (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at_ms INTEGER NOT NULL,
    user_name TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX audit_time ON audit (at_ms);
  CREATE INDEX audit_user ON audit (user_name, id);
  CREATE INDEX audit_action ON audit (action, id);
  CREATE INDEX audit_outcome ON audit (outcome, id);

  -- The entries that show an attachment, or did before an edit.
  CREATE TABLE attachment_entry (
    attachment_id TEXT NOT NULL, entry_id INTEGER NOT NULL, PRIMARY KEY (attachment_id, entry_id)
  ) WITHOUT ROWID;
  INSERT INTO attachment_entry (attachment_id, entry_id)
    SELECT value ->> '$.id', entry_id FROM archived_entry, json_each(archived_entry.document, '$.attachments')
    UNION
    SELECT value ->> '$.id', entry.id FROM entry, json_each(entry.document, '$.attachments');
`;
