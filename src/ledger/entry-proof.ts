import { type HashAt, inclusionPath, rootOf, tileHashes } from '../../packages/merkle-log/merkle-tree.js';
import { isRemoved, listSalts, redigestEntry } from './entry-digest.js';
import { type DigestibleEntry, listFields, type ReplyLink } from './entry-fields.js';
import { encodeRecord, hashRecord, isAboutEntry, noHash, type StoredRecord } from './ledger-record.js';
import type { LedgerReader } from './ledger-store.port.js';

/** JSON that proves one version of an entry to a reader who has a checkpoint. */
export interface EntryProof {
  readonly format: 'logbook-proof-1';
  readonly fields: readonly ProvenField[];
  /** The record of the version, as it is hashed. */
  readonly record: unknown;
  /** Number of records in the tree whose root is `root`. */
  readonly size: number;
  readonly root: string;
  /** Sibling hashes on the path from the record up to the root. */
  readonly path: readonly string[];
  /** The text of the checkpoint with its signature; null: none was given. */
  readonly checkpoint: string | null;
}

/** A field with its salt, or the digest of a removed field. */
export type ProvenField =
  | { readonly name: string; readonly salt: string; readonly value: unknown }
  | { readonly name: string; readonly digest: string };

export interface LedgerHead {
  readonly size: number;
  readonly root: string;
}

const batchRecords = 5_000;

/** Returns the number of records in the tree, and its root; undefined while there are none. */
export async function readHead(ledger: LedgerReader): Promise<LedgerHead | undefined> {
  const newest = await ledger.findNewestTile();
  if (!newest) return undefined;
  const size = newest.position * tileHashes + newest.hashes.length;
  return { size, root: await rootOf(size, hashesOf(ledger)) };
}

/** Counts the stored records that are not in the tree yet, at most `limit`. */
export async function countWaiting(ledger: LedgerReader, limit: number): Promise<number> {
  const newest = await ledger.findNewestTile();
  return (await ledger.listRecordsAfter(newest?.lastSequence ?? 0, limit)).length;
}

/** A record with its position in the ledger. */
export interface EnteredRecord {
  readonly record: StoredRecord;
  readonly number: number;
}

/** Lists the stored records of an entry, oldest first. */
export async function listEntryRecords(ledger: LedgerReader, id: number): Promise<EnteredRecord[]> {
  const found: EnteredRecord[] = [];
  let [number, sequence] = [0, 0];
  for (;;) {
    const records = await ledger.listRecordsAfter(sequence, batchRecords);
    for (const record of records) {
      if (record.entryId === id && isAboutEntry(record)) found.push({ record, number });
      number += 1;
    }
    const last = records.at(-1);
    if (!last) return found;
    sequence = last.sequence;
  }
}

/**
 * Builds the proof of a version of an entry.
 * @param size number of records in the tree that proves it
 */
export async function proveEntry(
  ledger: LedgerReader,
  { record, number }: EnteredRecord,
  {
    entry,
    salts,
    inReplyTo,
  }: { readonly entry: DigestibleEntry; readonly salts: string; readonly inReplyTo: number | null },
  size: number,
): Promise<Omit<EntryProof, 'checkpoint'>> {
  const hashAt = hashesOf(ledger);
  const previous = number === 0 ? noHash : await hashAt(0, number - 1);
  if (hashRecord(record, number, previous) !== (await hashAt(0, number))) {
    throw new Error(`the record ${number} is not the one that was entered into the ledger`);
  }
  // An earlier version of the program used the second form.
  const forms: readonly ReplyLink[] = [inReplyTo, undefined];
  const form = forms.findIndex((one) => redigestEntry(entry, salts, one) === record.digest);
  if (form < 0) {
    throw new Error(
      `version ${record.version} of entry ${record.entryId} is not what was recorded: verify the logbook`,
    );
  }
  return {
    format: 'logbook-proof-1',
    fields: proveFields(entry, salts, forms[form]),
    record: JSON.parse(encodeRecord(record, number, previous)),
    size,
    root: await rootOf(size, hashAt),
    path: await inclusionPath(number, size, hashAt),
  };
}

function proveFields(entry: DigestibleEntry, salts: string, inReplyTo: ReplyLink): ProvenField[] {
  const stored = listSalts(salts);
  return listFields(entry, inReplyTo).map(({ name, value }, at) => {
    const salt = stored[at] ?? '';
    return isRemoved(salt) ? { name, digest: salt } : { name, salt, value };
  });
}

/** Returns a reader of the stored hashes, which reads each tile once. */
export function hashesOf(ledger: LedgerReader): HashAt {
  const tiles = new Map<string, Promise<readonly string[]>>();
  return async (level, index) => {
    const position = Math.floor(index / tileHashes);
    const key = `${level}/${position}`;
    const tile = tiles.get(key) ?? ledger.findTile(level, position).then((found) => found?.hashes ?? []);
    tiles.set(key, tile);
    const found = (await tile)[index % tileHashes];
    if (found === undefined) throw new Error(`the tile ${key} of the ledger lacks a hash: verify the logbook`);
    return found;
  };
}
