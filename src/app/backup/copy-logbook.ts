import { compareDocuments, copyAgain } from '../../backup/compare-documents.js';
import { type DataFinding, problem } from '../../backup/data-finding.js';
import { verifyStore } from '../../backup/verify-store.js';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import { lockDataDir } from '../../engines/sqlite/data-dir-lock.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import type { Log } from '../../kernel/log.js';
import { checkFileKinds } from '../check-file-kinds.js';
import { CleanupStack } from '../cleanup-stack.js';
import { lockStorage } from '../open-storage.js';
import { backUpLogbook } from './back-up-logbook.js';
import { openFileReader, openSnapshot } from './open-logbook-data.js';
import { releaseRestored, restoreLogbook } from './restore-logbook.js';
import { findRestoreMarker, refuseIncompleteRestore, writeRestoreMarker } from './restore-marker.js';

export interface CopyRequest {
  readonly from: StorageOptions;
  /** The target. It must be empty except for the remains of an interrupted copy. */
  readonly to: StorageOptions;
  /** Target of the backup that carries the logbook. A repeated copy reuses its content. */
  readonly via: BackupTargetOptions;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onStep: (step: 'backup' | 'restore' | 'compare') => void;
  readonly onProgress: (done: number, all: number) => void;
  /**
   * Called when the copy equals the original. The marks that prevent a start on the copy are removed only afterwards,
   * so the comparison can be repeated if this call fails.
   */
  readonly onEqual: (copied: CopiedLogbook) => void;
}

export interface CopiedLogbook {
  readonly storeId: string;
  readonly entries: number;
  /** Number of compared rows of all tables. */
  readonly rows: number;
  /** Number of files whose content was verified in the copy. */
  readonly files: number;
  /** Differences and damage; empty when the copy equals the original. */
  readonly findings: readonly DataFinding[];
}

/**
 * Copies a logbook into other engines, and verifies that the copy is equal. An embedded logbook must not be in use.
 * @throws Error when the logbook is in use or the target is not empty; the reason of `signal`
 */
export async function copyLogbook(request: CopyRequest): Promise<CopiedLogbook> {
  const { from, to, log, onStep } = request;
  const cleanup = new CleanupStack();
  const copied = await cleanup.guard(async () => {
    // The lock prevents writes after the backup, which the copy would not contain.
    if (from.kind === 'embedded') await lockStorage(from, cleanup);
    const storeId = await readStoreId(from, log);
    if (!(await isRestored(to, storeId, log))) {
      const damage = await transfer(request);
      if (damage.length > 0) return { storeId, entries: 0, rows: 0, files: 0, findings: damage };
    }
    onStep('compare');
    return prove(request, storeId);
  });
  await cleanup.close();
  return copied;
}

async function readStoreId(storage: StorageOptions, log: Log): Promise<string> {
  const snapshot = await openSnapshot(storage, log);
  await snapshot.close();
  return snapshot.storeId;
}

/**
 * Whether this storage contains an earlier copy of the logbook, which only has to be compared.
 * @throws Error when the storage contains an unfinished restore of something else
 */
async function isRestored({ dataDir, ...storage }: StorageOptions, storeId: string, log: Log): Promise<boolean> {
  await checkFileKinds(dataDir);
  const mark = findRestoreMarker(dataDir);
  if (mark && mark.copyOf !== storeId) refuseIncompleteRestore(dataDir);
  if (!mark?.isRestored) return false;
  if (storage.kind === 'embedded') return true;
  const { hasRestoredCopy } = await import('../../engines/postgres/backup/postgres-restore-mark.js');
  return hasRestoredCopy(storage.postgres, storeId, log);
}

/**
 * Restores a new backup of the logbook into the copy. If the logbook is damaged, returns the damage and restores
 * nothing.
 */
async function transfer({
  from,
  to,
  via,
  log,
  signal,
  onStep,
  onProgress,
}: CopyRequest): Promise<readonly DataFinding[]> {
  onStep('backup');
  const keys = { signingKeyFile: undefined, publicKeyFile: undefined };
  const { findings, manifest, signer } = await backUpLogbook(
    { storage: from, target: via, keys, retention: undefined, bytesPerSecond: undefined, mayCreate: true },
    { log, signal, onProgress },
  );
  if (findings.length > 0) return findings;
  onStep('restore');
  await restoreLogbook({
    storage: to,
    source: via,
    backup: manifest.header.name,
    acceptDamage: false,
    mode: 'copy',
    idGap: 0,
    trust: { keys: signer.keys, acceptUnsigned: false },
    withCredentials: true,
    nowMs: Date.now,
    log,
    signal,
    onProgress,
  });
  return [];
}

/** Compares the logbook and its copy. A copy that differs cannot be used, and the next one replaces it. */
async function prove(request: CopyRequest, storeId: string): Promise<CopiedLogbook> {
  const { to, log } = request;
  const cleanup = new CleanupStack();
  const copied = await cleanup.guard(async () => {
    const lock = await lockDataDir(to.dataDir);
    if (!lock) throw new Error(`Another process is using the data directory ${to.dataDir}. Stop it, and copy again.`);
    cleanup.defer(() => lock.release());
    const mark = findRestoreMarker(to.dataDir);
    if (!mark?.isRestored || mark.copyOf !== storeId) {
      throw new Error(`Another process has changed the data directory ${to.dataDir} in the meantime. Copy again.`);
    }
    const compared = await compare(request, storeId);
    if (compared.findings.length > 0) await writeRestoreMarker(to.dataDir, { ...mark, isRestored: false });
    else {
      request.onEqual(compared);
      await releaseRestored(to, log);
    }
    return compared;
  });
  await cleanup.close();
  return copied;
}

async function compare({ from, to, log, signal, onProgress }: CopyRequest, storeId: string): Promise<CopiedLogbook> {
  const cleanup = new CleanupStack();
  const findings: DataFinding[] = [];
  const onFinding = (finding: DataFinding) => findings.push(finding);
  const copied = await cleanup.guard(async () => {
    const source = cleanup.use(await openSnapshot(from, log));
    const snapshot = cleanup.use(await openSnapshot(to, log));
    const rows = await compareDocuments(source, snapshot, onFinding, signal);
    const files = cleanup.use(await openFileReader(to, log));
    const owner = (await files.findOwner()) ?? 'none';
    if (owner !== storeId)
      onFinding(problem(files.ownerRecordPath, `it names ${owner} instead of ${storeId}`, copyAgain));
    const verified = await verifyStore({ snapshot, files, signal, onProgress }, onFinding);
    const problems = findings.filter(({ kind }) => kind === 'problem');
    return { ...verified, rows, findings: problems };
  });
  await cleanup.close();
  return copied;
}
