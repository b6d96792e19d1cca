import { rootOfTile, tileHashes } from '../../packages/merkle-log/merkle-tree.js';
import { hashRecord, noHash, type StoredRecord } from './ledger-record.js';
import type { LedgerStore, Tile } from './ledger-store.port.js';

/**
 * Enters the next records into the ledger, at most as many as fit into the newest tile.
 * @returns the number of records entered
 */
export async function extendLedger(ledger: LedgerStore): Promise<number> {
  const newest = await ledger.findNewestTile();
  const tile = newest && newest.hashes.length < tileHashes ? newest : emptyTile(0, newest ? newest.position + 1 : 0);
  const free = tileHashes - tile.hashes.length;
  const records = await ledger.listRecordsAfter(newest?.lastSequence ?? 0, free);
  const last = records.at(-1);
  if (!last) return 0;
  const extended = addRecords(tile, records, newest?.hashes.at(-1) ?? noHash, last.sequence);
  await ledger.putTile(extended);
  if (extended.hashes.length === tileHashes) await closeTile(ledger, extended);
  return records.length;
}

const emptyTile = (level: number, position: number): Tile => ({ level, position, lastSequence: 0, hashes: [] });

function addRecords(tile: Tile, records: readonly StoredRecord[], newest: string, lastSequence: number): Tile {
  const hashes = [...tile.hashes];
  let previous = newest;
  for (const record of records) {
    previous = hashRecord(record, tile.position * tileHashes + hashes.length, previous);
    hashes.push(previous);
  }
  return { ...tile, lastSequence, hashes };
}

/**
 * Adds the root of a complete tile to the level above. @throws Error when that level lacks an earlier root, or already
 * has this root
 */
async function closeTile(ledger: LedgerStore, complete: Tile): Promise<void> {
  const level = complete.level + 1;
  const position = Math.floor(complete.position / tileHashes);
  const above = (await ledger.findTile(level, position)) ?? emptyTile(level, position);
  const place = complete.position % tileHashes;
  if (above.hashes.length !== place) {
    throw new Error(`the tile ${level}/${position} of the ledger has ${above.hashes.length} hashes, and not ${place}`);
  }
  const extended = { ...above, hashes: [...above.hashes, rootOfTile(complete.hashes)] };
  await ledger.putTile(extended);
  if (extended.hashes.length === tileHashes) await closeTile(ledger, extended);
}
