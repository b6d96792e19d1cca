import type { Job } from '../kernel/background-job.js';
import { extendLedger } from './extend-ledger.js';
import type { LedgerStorage } from './ledger-storage.js';

/** Maximum number of entries per run, small enough not to block the event loop. */
const entriesPerRun = 50;
/** Interval between searches for versions without a record, which a node with an earlier program may store. */
const searchAgainMs = 10_000;

/**
 * Returns the job that enters new records into the ledger, and records versions that were stored before there was a
 * ledger. Records are entered shortly after they are stored, so that no write waits for the tree.
 */
export function ledgerJob(storage: LedgerStorage): Job {
  let [isComplete, completeAtMs] = [false, 0];
  return {
    name: 'ledger',
    intervalMs: 60_000,
    delayMs: 1_000,
    isShared: true,
    failure: 'records could not be entered into the ledger; will retry',
    async run() {
      if (performance.now() - completeAtMs > searchAgainMs) isComplete = false;
      if (!isComplete) {
        isComplete = (await storage.write((tx) => tx.ledger.recordEarlier(entriesPerRun))) === 0;
        completeAtMs = performance.now();
      }
      const entered = await storage.write((tx) => extendLedger(tx.ledger));
      return entered > 0 || !isComplete ? 'more' : 'idle';
    },
  };
}
