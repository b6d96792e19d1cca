import type { Statements } from '../../sql/statements.port.js';
import { checksumOf } from '../../stored-document.js';
import { ownTransaction } from '../database/incarnation.js';

/** First version of an entry. */
export interface NewEntryRow {
  readonly id: number;
  readonly createdMs: number;
  readonly owner: string;
  readonly inReplyTo: number | undefined;
  readonly json: Buffer;
  readonly salts: string;
}

/**
 * Stores new entries with one statement, except those whose id is taken. Returns the number stored.
 * @param offset offset of the incarnation
 */
export function insertEntries(
  connection: Pick<Statements, 'run'>,
  offset: number,
  entries: readonly NewEntryRow[],
): Promise<number> {
  return connection.run(
    // Waits for a transaction that inserts the same id, and fails with a conflict if that one commits.
    `INSERT INTO entry (id, version, write_xid, created_ms, owner, in_reply_to, document, crc, salts)
     SELECT id, 1, ${ownTransaction} + $1::bigint, created_ms, owner, in_reply_to, document, crc, salts
     FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::text[])
       AS one (id, created_ms, owner, in_reply_to, document, crc, salts)
     ON CONFLICT DO NOTHING`,
    offset,
    entries.map(({ id }) => id),
    entries.map(({ createdMs }) => createdMs),
    entries.map(({ owner }) => owner),
    entries.map(({ inReplyTo }) => inReplyTo ?? null),
    entries.map(({ json }) => json.toString()),
    entries.map(({ json }) => checksumOf(json)),
    entries.map(({ salts }) => salts),
  );
}
