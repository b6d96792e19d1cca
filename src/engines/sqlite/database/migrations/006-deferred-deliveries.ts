import { randomBytes } from 'node:crypto';
import type { Connection } from '../connection.js';

const tables = `
  -- Deliveries that one recipient of a subscriber has not accepted yet.
  CREATE TABLE deferred_delivery (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    follower TEXT NOT NULL,
    next_attempt_ms INTEGER NOT NULL,
    document TEXT NOT NULL
  );
  CREATE INDEX deferred_delivery_next ON deferred_delivery (follower, next_attempt_ms, id);
`;

/** Adds deliveries deferred for a single recipient, and the secret of the change feed. */
export function addDeferredDeliveries(connection: Connection): void {
  connection.exec(tables);
  connection.run('INSERT INTO store (key, value) VALUES (?, ?)', 'feed_secret', randomBytes(32).toString('hex'));
}
