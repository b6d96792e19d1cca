/** Adds watches and inboxes. */
export const inboxes = `
  -- The users with watches.
  CREATE TABLE watcher (
    number INTEGER PRIMARY KEY,
    scheme TEXT NOT NULL,
    user_name TEXT NOT NULL,
    document TEXT NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (user_name, scheme)
  );
  -- sequence: of the change in the feed. A number is never reused, because clients continue lists after it.
  CREATE TABLE inbox_item (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    scheme TEXT NOT NULL,
    user_name TEXT NOT NULL,
    sequence INTEGER NOT NULL,
    entry_id INTEGER NOT NULL,
    is_read INTEGER NOT NULL,
    document TEXT NOT NULL,
    crc INTEGER NOT NULL,
    UNIQUE (user_name, scheme, sequence)
  );
  CREATE INDEX inbox_item_user ON inbox_item (user_name, scheme, number);
`;
