import type { Migration } from '../migration.js';

/** Tables of watches and inboxes. Nodes of the previous version do not use them. */
export const inboxes: Migration = {
  usableFrom: 8,
  sql: `
  -- The users with watches.
  CREATE TABLE watcher (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scheme text NOT NULL,
    user_name text NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL,
    UNIQUE (user_name, scheme)
  );
  -- sequence: of the change in the feed.
  CREATE TABLE inbox_item (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scheme text NOT NULL,
    user_name text NOT NULL,
    sequence bigint NOT NULL,
    entry_id bigint NOT NULL,
    is_read boolean NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL,
    UNIQUE (user_name, scheme, sequence)
  );
  CREATE INDEX inbox_item_user ON inbox_item (user_name, scheme, number);
`,
};
