import type { LedgerRecord, RecordKind, StoredRecord } from '../ledger/ledger-record.js';
import type { Tile } from '../ledger/ledger-store.port.js';

const hashLength = 64;
/** Maximum total size of the entries recorded in one transaction. Other writes wait for it. */
export const maxRecordedBytes = 1_000_000;

/** Error for two concurrent checkpoints: both have the same number. */
export const numberTaken = (): Error => new Error('Another checkpoint was stored at the same time.');

export interface RecordRow {
  readonly sequence: number;
  readonly kind: RecordKind;
  readonly entry_id: number;
  readonly version: number;
  readonly subject: string;
  readonly at_ms: number;
  readonly digest: string;
}

export interface TileRow {
  readonly level: number;
  readonly position: number;
  readonly last_sequence: number;
  readonly hashes: string;
}

export const toRecord = (row: RecordRow): StoredRecord => ({
  sequence: row.sequence,
  kind: row.kind,
  entryId: row.entry_id,
  version: row.version,
  subject: row.subject,
  atMs: row.at_ms,
  digest: row.digest,
});

export const toTile = (row: TileRow): Tile => ({
  level: row.level,
  position: row.position,
  lastSequence: row.last_sequence,
  hashes: splitHashes(row.hashes),
});

function splitHashes(hashes: string): string[] {
  return Array.from({ length: Math.floor(hashes.length / hashLength) }, (_, at) =>
    hashes.slice(at * hashLength, (at + 1) * hashLength),
  );
}

/** Returns the ledger record of the current version of an entry. */
export function entryRecord(
  kind: 'created' | 'edited' | 'annotated' | 'recorded',
  { id, version }: { readonly id: number; readonly version: number },
  digest: string,
): LedgerRecord {
  return { kind, entryId: id, version, subject: '', atMs: Date.now(), digest };
}

/** Returns the ledger record of something other than an entry. */
export function subjectRecord(kind: RecordKind, subject: string, digest: string): LedgerRecord {
  return { kind, entryId: 0, version: 0, subject, atMs: Date.now(), digest };
}

/** Returns the name of a catalogue item in ledger records. */
export const catalogSubject = (kind: string, name: string): string => `${kind}/${name}`;
