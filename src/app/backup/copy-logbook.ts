import { compareDocuments } from '../../backup/compare-documents.js';
import type { DataFinding } from '../../backup/data-finding.js';
import { verifyStore } from '../../backup/verify-store.js';
import type { BackupTarget } from '../../engines/backup-options.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import type { Log } from '../../kernel/log.js';
import { CleanupStack } from '../cleanup-stack.js';
import { lockStorage } from '../open-storage.js';
import { backUpLogbook } from './back-up-logbook.js';
import { openFileReader, openSnapshot } from './open-logbook-data.js';
import { restoreLogbook } from './restore-logbook.js';

export interface CopyRequest {
  readonly from: StorageOptions;
  /** Nothing may be there, except what an interrupted copy has left. */
  readonly to: StorageOptions;
  /** Where the backup is kept by which the logbook travels. A repeated copy goes on from what is there. */
  readonly via: BackupTarget;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onStep: (step: 'backup' | 'restore' | 'compare') => void;
  readonly onProgress: (done: number, all: number) => void;
}

export interface CopiedLogbook {
  readonly storeId: string;
  readonly entries: number;
  /** Rows of all tables that were compared. */
  readonly rows: number;
  /** Files whose content was verified in the copy. */
  readonly files: number;
  /** Empty: both are equal. */
  readonly findings: readonly DataFinding[];
}

/**
 * Copies a logbook into other engines, and proves that both are equal. An embedded one must not be in use.
 * @throws Error when it is in use, when something is at the target, and the reason of `signal`
 */
export async function copyLogbook(request: CopyRequest): Promise<CopiedLogbook> {
  const { from, to, via, log, signal, onStep, onProgress } = request;
  const cleanup = new CleanupStack();
  const copied = await cleanup.guard(async () => {
    // What is written after the backup would be missing in the copy.
    if (from.kind === 'embedded') await lockStorage(from, cleanup);
    onStep('backup');
    const made = await backUpLogbook(
      { storage: from, target: via, retention: undefined, bytesPerSecond: undefined, mayCreate: true },
      { log, signal, onProgress },
    );
    if (made.findings.length > 0) return { storeId: '', entries: 0, rows: 0, files: 0, findings: made.findings };
    onStep('restore');
    await restoreLogbook({
      storage: to,
      source: via,
      backup: made.manifest.header.name,
      acceptDamage: false,
      startOver: true,
      idGap: 0,
      nowMs: Date.now,
      log,
      signal,
      onProgress,
    });
    onStep('compare');
    return compare(request);
  });
  await cleanup.close();
  return copied;
}

async function compare({ from, to, log, signal, onProgress }: CopyRequest): Promise<CopiedLogbook> {
  const cleanup = new CleanupStack();
  const findings: DataFinding[] = [];
  const onFinding = (finding: DataFinding) => findings.push(finding);
  const copied = await cleanup.guard(async () => {
    const source = cleanup.use(await openSnapshot(from, log));
    const snapshot = cleanup.use(await openSnapshot(to, log));
    const rows = await compareDocuments(source, snapshot, onFinding, signal);
    const files = cleanup.use(await openFileReader(to, log));
    const verified = await verifyStore({ snapshot, files, signal, onProgress }, onFinding);
    const problems = findings.filter(({ kind }) => kind === 'problem');
    return { ...verified, rows, findings: problems };
  });
  await cleanup.close();
  return copied;
}
