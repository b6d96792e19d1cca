import type { Change } from '../../../entries/change-feed.port.js';
import type { LedgerRecord } from '../../../ledger/ledger-record.js';
import type { Statements } from '../../sql/statements.port.js';
import { checksumOfChange } from '../../stored-rows.js';
import { type Incarnation, ownTransaction, placesPerTransaction } from '../database/incarnation.js';

const sequenceOfPlace = `(${ownTransaction} + $1::bigint) * ${placesPerTransaction} + place - 1`;

/** Stores the changes and the ledger records of a transaction in order. */
export async function insertChanges(
  connection: Statements,
  { offset }: Incarnation,
  { changes, records }: { readonly changes: readonly Change[]; readonly records: readonly LedgerRecord[] },
): Promise<void> {
  if (Math.max(changes.length, records.length) > placesPerTransaction) {
    throw new Error('one transaction makes too many changes');
  }
  await connection.run(
    `WITH recorded AS (
       INSERT INTO ledger_record (sequence, kind, entry_id, version, subject, at_ms, digest)
       SELECT ${sequenceOfPlace}, kind, entry_id, version, subject, at_ms, digest
       FROM unnest($7::text[], $8::bigint[], $9::integer[], $10::text[], $11::bigint[], $12::text[]) WITH ORDINALITY
         AS one (kind, entry_id, version, subject, at_ms, digest, place))
     INSERT INTO change (sequence, kind, entry_id, version, notify, at_ms, crc)
     SELECT ${sequenceOfPlace}, kind, entry_id, version, notify, at_ms, crc
     FROM unnest($2::text[], $3::bigint[], $4::integer[], $5::boolean[], $6::bigint[], $13::bigint[]) WITH ORDINALITY
       AS one (kind, entry_id, version, notify, at_ms, crc, place)`,
    offset,
    changes.map(({ kind }) => kind),
    changes.map(({ entryId }) => entryId),
    changes.map(({ revision }) => revision),
    changes.map(({ notify }) => String(notify)),
    changes.map(({ atMs }) => atMs),
    records.map(({ kind }) => kind),
    records.map(({ entryId }) => entryId),
    records.map(({ version }) => version),
    records.map(({ subject }) => subject),
    records.map(({ atMs }) => atMs),
    records.map(({ digest }) => digest),
    changes.map(checksumOfChange),
  );
}
