/** Adds tables for the data of accounts and for the results of their writes with an idempotency key. */
export const personalData = `
  -- Data of one account. scheme: the name of its provider.
  CREATE TABLE draft (
    number INTEGER PRIMARY KEY,
    scheme TEXT NOT NULL,
    user_name TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    title TEXT,
    document TEXT NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (user_name, scheme, id)
  );
  CREATE INDEX draft_modified ON draft (modified_ms);
  -- size: of the whole file; checksum: null until all of it has arrived.
  CREATE TABLE draft_file (
    draft INTEGER NOT NULL REFERENCES draft (number),
    id TEXT NOT NULL,
    place INTEGER NOT NULL,
    size INTEGER NOT NULL,
    checksum TEXT,
    document TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (draft, id)
  ) WITHOUT ROWID;
  CREATE INDEX draft_file_checksum ON draft_file (checksum) WHERE checksum IS NOT NULL;
  -- Received parts of an incomplete file; each part is a file of its own.
  CREATE TABLE draft_part (
    draft INTEGER NOT NULL REFERENCES draft (number),
    file_id TEXT NOT NULL,
    place INTEGER NOT NULL,
    size INTEGER NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (draft, file_id, place)
  ) WITHOUT ROWID;
  CREATE INDEX draft_part_checksum ON draft_part (checksum);

  -- The results of writes with an idempotency key. fingerprint: of the request.
  CREATE TABLE repeatable_write (
    number INTEGER PRIMARY KEY,
    scheme TEXT NOT NULL,
    user_name TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    document TEXT NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (user_name, scheme, key)
  );
  CREATE INDEX repeatable_write_time ON repeatable_write (at_ms);

  CREATE TABLE user_settings (
    user_name TEXT NOT NULL,
    scheme TEXT NOT NULL,
    version INTEGER NOT NULL,
    document TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (user_name, scheme)
  ) WITHOUT ROWID;
  CREATE TABLE saved_search (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    scheme TEXT NOT NULL,
    user_name TEXT NOT NULL,
    is_shared INTEGER NOT NULL,
    document TEXT NOT NULL,
    crc INTEGER NOT NULL
  );
  CREATE INDEX saved_search_user ON saved_search (user_name, scheme);
  CREATE INDEX saved_search_shared ON saved_search (number) WHERE is_shared = 1;
`;
