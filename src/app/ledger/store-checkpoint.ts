import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { appendSqliteCheckpoint } from '../../engines/sqlite/backup/append-checkpoint.js';
import { lockDataDir, lockFile } from '../../engines/sqlite/data-dir-lock.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import type { Log } from '../../kernel/log.js';
import { CleanupStack } from '../cleanup-stack.js';
import { openContents } from '../open-contents.js';
import type { NumberedCheckpoint } from './make-checkpoint.js';

/**
 * Stores a checkpoint in its logbook. With PostgreSQL, or if a service uses the data directory, this process only adds
 * one row. Otherwise, it opens the storage like the service.
 * @throws Error when another checkpoint was stored after this one was made
 */
export async function storeCheckpoint(
  options: StorageOptions,
  { number, document }: NumberedCheckpoint,
  log: Log,
): Promise<void> {
  if (options.kind === 'postgres') {
    const { appendPostgresCheckpoint } = await import('../../engines/postgres/backup/append-checkpoint.js');
    return appendPostgresCheckpoint(options.postgres, { number, document }, log);
  }
  if (await isInUse(options.dataDir)) return appendSqliteCheckpoint(options.dataDir, number, document);
  const cleanup = new CleanupStack();
  await cleanup.guard(async () => {
    const { storage } = await openContents(options, log, cleanup);
    await storage.write((tx) => tx.ledger.appendCheckpoint(number, document));
  });
  await cleanup.close();
}

async function isInUse(dataDir: string): Promise<boolean> {
  if (!existsSync(join(dataDir, lockFile))) return false;
  const lock = await lockDataDir(dataDir);
  lock?.release();
  return lock === undefined;
}
