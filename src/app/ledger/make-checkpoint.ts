import type { StorageOptions } from '../../engines/storage-options.js';
import type { Log } from '../../kernel/log.js';
import { type Checkpoint, readPrivateKey, signCheckpoint } from '../../ledger/checkpoint.js';
import { countWaiting, readHead } from '../../ledger/entry-proof.js';
import { openSnapshot } from '../backup/open-logbook-data.js';
import { CleanupStack } from '../cleanup-stack.js';

export interface MadeCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The text of the checkpoint with its signature. */
  readonly signed: string;
  /** How many records it does not cover, at most 10,000. */
  readonly waiting: number;
}

const maxCounted = 10_000;

/**
 * Signs the head of the ledger of a logbook, which may be in use.
 * @param privateKey in PEM
 * @throws Error when the ledger is empty
 */
export async function makeCheckpoint(storage: StorageOptions, privateKey: string, log: Log): Promise<MadeCheckpoint> {
  const key = readPrivateKey(privateKey);
  const cleanup = new CleanupStack();
  const { waiting, checkpoint } = await cleanup.guard(async () => {
    const { ledger, storeId } = cleanup.use(await openSnapshot(storage, log));
    const head = await readHead(ledger);
    if (!head) throw new Error('The ledger has no record yet: start the service, which fills it.');
    return {
      checkpoint: { storeId, ...head, atMs: Date.now() },
      waiting: await countWaiting(ledger, maxCounted),
    };
  });
  await cleanup.close();
  return { checkpoint, signed: signCheckpoint(checkpoint, key), waiting };
}
