import { randomBytes, randomUUID } from 'node:crypto';
import type { Migration } from '../migration.js';

/** Tables of entries, files and the catalogue. */
const contents = `
  CREATE TABLE store (key text PRIMARY KEY, value text NOT NULL);

  -- document: the entry as the interface returns it, as JSON; crc: its CRC-32. write_xid: see incarnation.ts.
  CREATE SEQUENCE entry_id;
  CREATE TABLE entry (
    id bigint PRIMARY KEY,
    version integer NOT NULL,
    write_xid bigint NOT NULL,
    created_ms bigint NOT NULL,
    owner text NOT NULL,
    in_reply_to bigint,
    idempotency_key text,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX entry_write ON entry (write_xid, id);
  CREATE UNIQUE INDEX entry_idempotency ON entry (owner, idempotency_key) WHERE idempotency_key IS NOT NULL;
  CREATE TABLE archived_entry (
    entry_id bigint NOT NULL REFERENCES entry (id),
    version integer NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (entry_id, version)
  );

  CREATE TABLE attachment (
    id text COLLATE "C" PRIMARY KEY,
    checksum text COLLATE "C" NOT NULL,
    size bigint NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX attachment_checksum ON attachment (checksum);
  -- The entries that show an attachment, or did before an edit.
  CREATE TABLE attachment_entry (
    attachment_id text COLLATE "C" NOT NULL, entry_id bigint NOT NULL, PRIMARY KEY (attachment_id, entry_id)
  );
  -- The sets of logbooks that versions with files are in: the names, sorted, as a JSON array.
  CREATE TABLE logbook_set (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, names text NOT NULL UNIQUE);
  -- The files that an entry shows, or did before an edit. version: the newest one that shows the file while it is in
  -- these logbooks; place: the position of the file in that version.
  CREATE TABLE entry_file (
    entry_id bigint NOT NULL,
    filename text NOT NULL,
    attachment_id text COLLATE "C" NOT NULL,
    logbook_set bigint NOT NULL REFERENCES logbook_set (id),
    version integer NOT NULL,
    place integer NOT NULL,
    PRIMARY KEY (entry_id, attachment_id, logbook_set)
  );
  CREATE INDEX entry_file_name ON entry_file (entry_id, filename, version DESC, place);
  -- The extracted text of a file, empty when it has none. failure: why it could not be extracted.
  CREATE TABLE file_text (checksum text COLLATE "C" PRIMARY KEY, text text NOT NULL, failure text);
  -- Files of entries whose text is not extracted yet.
  CREATE TABLE unread_file (
    checksum text COLLATE "C" NOT NULL,
    entry_id bigint NOT NULL,
    content_type text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    PRIMARY KEY (checksum, entry_id)
  );
  -- Files that no attachment refers to. observed_ms: time for which the service has observed this.
  CREATE TABLE unreferenced_file (
    checksum text COLLATE "C" PRIMARY KEY, is_quarantined boolean NOT NULL, observed_ms bigint NOT NULL
  );

  CREATE TABLE catalog_item (
    kind text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (kind, name)
  );
  CREATE TABLE template (
    id text COLLATE "C" PRIMARY KEY,
    folded_name text COLLATE "C" NOT NULL UNIQUE,
    document text NOT NULL,
    crc bigint NOT NULL
  );

  CREATE TABLE change (
    sequence bigint PRIMARY KEY,
    kind text NOT NULL,
    entry_id bigint NOT NULL,
    version integer NOT NULL,
    notify boolean NOT NULL,
    at_ms bigint NOT NULL
  );
`;

/** Tables of users and subscribers. */
const accounts = `
  CREATE TABLE session (
    token_hash text COLLATE "C" PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    expires_ms bigint NOT NULL,
    created_ms bigint NOT NULL,
    scheme text NOT NULL,
    user_name text NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX session_expires ON session (expires_ms);
  CREATE INDEX session_account ON session (user_name, scheme, created_ms);
  CREATE INDEX session_created ON session (created_ms);
  CREATE TABLE api_token (
    id text COLLATE "C" PRIMARY KEY,
    token_hash text COLLATE "C" NOT NULL UNIQUE,
    created_ms bigint NOT NULL,
    scheme text NOT NULL,
    user_name text NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX api_token_user ON api_token (user_name, scheme, created_ms);
  CREATE TABLE audit (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at_ms bigint NOT NULL,
    user_name text NOT NULL,
    action text NOT NULL,
    outcome text NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX audit_time ON audit (at_ms);
  CREATE INDEX audit_user ON audit (user_name, id);
  CREATE INDEX audit_action ON audit (action, id);
  CREATE INDEX audit_outcome ON audit (outcome, id);

  CREATE TABLE draft (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scheme text NOT NULL,
    user_name text NOT NULL,
    id text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    modified_ms bigint NOT NULL,
    title text,
    document text NOT NULL,
    crc bigint NOT NULL,
    UNIQUE (user_name, scheme, id)
  );
  CREATE INDEX draft_modified ON draft (modified_ms);
  -- size: of the whole file; checksum: null until all of it has arrived.
  CREATE TABLE draft_file (
    draft bigint NOT NULL REFERENCES draft (number),
    id text COLLATE "C" NOT NULL,
    place integer NOT NULL,
    size bigint NOT NULL,
    checksum text COLLATE "C",
    document text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (draft, id)
  );
  CREATE INDEX draft_file_checksum ON draft_file (checksum) WHERE checksum IS NOT NULL;
  -- Received parts of an incomplete file; each part is a file of its own.
  CREATE TABLE draft_part (
    draft bigint NOT NULL REFERENCES draft (number),
    file_id text COLLATE "C" NOT NULL,
    place integer NOT NULL,
    size bigint NOT NULL,
    checksum text COLLATE "C" NOT NULL,
    PRIMARY KEY (draft, file_id, place)
  );
  CREATE INDEX draft_part_checksum ON draft_part (checksum);
  -- The results of writes with an idempotency key. fingerprint: of the request.
  CREATE TABLE repeatable_write (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    scheme text NOT NULL,
    user_name text NOT NULL,
    key text NOT NULL,
    fingerprint text NOT NULL,
    at_ms bigint NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL,
    UNIQUE (user_name, scheme, key)
  );
  CREATE INDEX repeatable_write_time ON repeatable_write (at_ms);
  CREATE TABLE user_settings (
    user_name text NOT NULL,
    scheme text NOT NULL,
    version integer NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (user_name, scheme)
  );
  CREATE TABLE saved_search (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text COLLATE "C" NOT NULL UNIQUE,
    scheme text NOT NULL,
    user_name text NOT NULL,
    is_shared boolean NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX saved_search_user ON saved_search (user_name, scheme);
  CREATE INDEX saved_search_shared ON saved_search (number) WHERE is_shared;

  CREATE TABLE follower (
    name text COLLATE "C" PRIMARY KEY, sequence bigint NOT NULL, document text NOT NULL, crc bigint NOT NULL
  );
  -- again: 1 when a retry was requested.
  CREATE TABLE dead_letter (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    follower text NOT NULL,
    again integer NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX dead_letter_follower ON dead_letter (follower, id);
  CREATE INDEX dead_letter_again ON dead_letter (follower, id) WHERE again = 1;
  -- Number of dead letters of a subscriber that were dropped in favour of newer ones.
  CREATE TABLE dropped_letters (follower text PRIMARY KEY, count bigint NOT NULL);
  -- Deliveries that one recipient of a subscriber has not accepted yet.
  CREATE TABLE deferred_delivery (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    follower text NOT NULL,
    next_attempt_ms bigint NOT NULL,
    document text NOT NULL,
    crc bigint NOT NULL
  );
  CREATE INDEX deferred_delivery_next ON deferred_delivery (follower, next_attempt_ms, id);
`;

/** Tables for the coordination of nodes. */
const nodes = `
  -- first_write: all writes from this number on belong to this incarnation or a later one; see incarnation.ts.
  CREATE TABLE incarnation (
    number integer PRIMARY KEY,
    id text NOT NULL,
    server text NOT NULL,
    xid_offset bigint NOT NULL,
    first_write bigint NOT NULL
  );
  -- The newest committed transaction of each node, from which a node that lost its connection learns whether its last
  -- transaction was committed.
  CREATE TABLE node (id text PRIMARY KEY, batch bigint NOT NULL, seen timestamptz NOT NULL);

  CREATE SEQUENCE lease_token;
  -- expires: -infinity when it was released.
  CREATE TABLE lease (
    name text PRIMARY KEY, token bigint NOT NULL, holder text NOT NULL, expires timestamptz NOT NULL
  );

  -- key_hash: hash of the key, which only the browser has. sealed: the sign-in, encrypted with the key.
  CREATE TABLE pending_sign_in (
    key_hash text COLLATE "C" PRIMARY KEY,
    number bigint GENERATED ALWAYS AS IDENTITY,
    network text NOT NULL,
    expires timestamptz NOT NULL,
    sealed text NOT NULL
  );
  CREATE INDEX pending_sign_in_expires ON pending_sign_in (expires);
  CREATE INDEX pending_sign_in_network ON pending_sign_in (network, number);
  CREATE TABLE attempt_in_flight (
    attempt text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    window_ms bigint NOT NULL,
    expires timestamptz NOT NULL,
    PRIMARY KEY (attempt, key)
  );
  CREATE INDEX attempt_in_flight_key ON attempt_in_flight (key);
  CREATE TABLE failed_attempt (key text COLLATE "C" NOT NULL, at timestamptz NOT NULL, expires timestamptz NOT NULL);
  CREATE INDEX failed_attempt_key ON failed_attempt (key, at);
  CREATE INDEX failed_attempt_expires ON failed_attempt (expires);
  CREATE TABLE trusted_sign_in (key text COLLATE "C" PRIMARY KEY, used timestamptz NOT NULL);
  CREATE INDEX trusted_sign_in_used ON trusted_sign_in (used);
`;

export const firstTables: Migration = {
  usableFrom: 1,
  sql: contents + accounts + nodes,
  async addRows(client) {
    const values = [randomUUID(), randomBytes(32).toString('hex')];
    await client.query("INSERT INTO store (key, value) VALUES ('id', $1), ('feed_secret', $2)", values);
  },
};
