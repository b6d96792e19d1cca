import { type DataFinding, problem } from '../../backup/data-finding.js';
import type { RepeatedRedactions } from '../../backup/restore-backup.js';
import type { DataDirLock } from '../../engines/sqlite/data-dir-lock.js';
import { openUnindexedStorage } from '../../engines/sqlite/sqlite-storage.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import type { Redaction } from '../../entries/redaction.js';
import { repeatRedactions } from '../../entries/repeat-redactions.js';
import { systemClock } from '../../kernel/clock.js';
import { Integrity } from '../../kernel/integrity.js';
import { JobRegistry } from '../../kernel/job-registry.js';
import type { Log } from '../../kernel/log.js';
import { CleanupStack } from '../cleanup-stack.js';
import { openBlobStore } from '../open-blob-store.js';
import { openSharedContents } from '../open-shared-storage.js';

/**
 * Applies redactions to a logbook that was just restored, and that no service may use yet.
 * @param documents redactions in their stored form
 */
export async function repeatRestoredRedactions(
  storage: StorageOptions,
  documents: readonly string[],
  lock: DataDirLock,
  log: Log,
): Promise<RepeatedRedactions> {
  const cleanup = new CleanupStack();
  const repeated = await cleanup.guard(async () => {
    const contents = await openRestored(storage, lock, log, cleanup);
    const redactions = documents.map((document) => JSON.parse(document) as Redaction);
    return repeatRedactions({ ...contents, clock: systemClock }, redactions);
  });
  await cleanup.close();
  return {
    applied: repeated.applied,
    findings: repeated.failed.map(({ redaction: { entryId, by, atMs }, reason }): DataFinding => {
      const what = `the redaction of ${by} on ${new Date(atMs).toISOString().slice(0, 10)} could not be applied again`;
      return problem(`entry ${entryId}`, `${what}: ${reason.replace(/[.]$/, '')}`, 'Redact it by hand.');
    }),
  };
}

async function openRestored(options: StorageOptions, lock: DataDirLock, log: Log, cleanup: CleanupStack) {
  const deps = { log, jobs: new JobRegistry({ log }), integrity: new Integrity(log) };
  if (options.kind === 'postgres') return openSharedContents(options, lock, deps, cleanup, { isBeingRestored: true });
  const { dataDir } = options;
  const storage = cleanup.use(await openUnindexedStorage({ dataDir, migrationCopy: false, ...deps }));
  return { storage, blobs: await openBlobStore(options.blobs, dataDir, { storage, ...deps }, cleanup) };
}
