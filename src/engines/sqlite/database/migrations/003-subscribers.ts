/** Adds subscribers and their dead letters. */
export const subscribers = `
  CREATE TABLE follower (
    name TEXT PRIMARY KEY, sequence INTEGER NOT NULL, document TEXT NOT NULL
  ) WITHOUT ROWID;

  -- again: 1 when a retry was requested.
  CREATE TABLE dead_letter (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    follower TEXT NOT NULL,
    again INTEGER NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX dead_letter_follower ON dead_letter (follower, id);
  CREATE INDEX dead_letter_again ON dead_letter (follower, id) WHERE again = 1;
`;
