import type { LedgerReader } from './ledger-store.port.js';

/** Returns the time for which the oldest record has waited to enter the tree, in milliseconds; 0 when none waits. */
export async function findLedgerLag(ledger: LedgerReader, nowMs: number): Promise<number> {
  const newest = await ledger.findNewestTile();
  const [waiting] = await ledger.listRecordsAfter(newest?.lastSequence ?? 0, 1);
  return waiting ? Math.max(0, nowMs - waiting.atMs) : 0;
}
