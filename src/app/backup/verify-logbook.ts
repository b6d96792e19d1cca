import type { KeyObject } from 'node:crypto';
import { join } from 'node:path';
import { findNewestSigned, listBackups } from '../../backup/backup-list.js';
import { describeOwner } from '../../backup/backup-target.port.js';
import type { BackupTrust } from '../../backup/backup-trust.js';
import { type OnFinding, problem } from '../../backup/data-finding.js';
import type { DocumentSnapshot } from '../../backup/document-snapshot.port.js';
import { markDamaged } from '../../backup/mark-damaged.js';
import { type BackupSummary, verifyBackups } from '../../backup/verify-backup.js';
import { type StoreSummary, verifyStore } from '../../backup/verify-store.js';
import type { BackupTargetOptions } from '../../engines/backup-options.js';
import { openFileBlobStore } from '../../engines/files/file-blob-store.js';
import { checkDateOrder } from '../../engines/sqlite/backup/check-date-order.js';
import { compareIndex } from '../../engines/sqlite/backup/compare-index.js';
import { checkDatabase } from '../../engines/sqlite/database/check-database.js';
import { documentsFile } from '../../engines/sqlite/inspect-documents.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import { fileExists } from '../../kernel/file-exists.js';
import type { Log } from '../../kernel/log.js';
import { counted } from '../../kernel/text.js';
import type { SignedHead } from '../../ledger/checkpoint.js';
import { checkFileKinds } from '../check-file-kinds.js';
import { CleanupStack } from '../cleanup-stack.js';
import { lockStorage } from '../open-storage.js';
import { rebuildSearchIndex } from '../rebuild-index.js';
import { describeLostBackup, lostBackupAdvice } from './newest-backup.js';
import { openBackupTarget } from './open-backup-target.js';
import { attachmentsDirOf, openFileReader, openSnapshot } from './open-logbook-data.js';
import { refuseIncompleteRestore } from './restore-marker.js';
import { verifyIdentity } from './verify-identity.js';

export interface VerifyRun {
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly onFinding: OnFinding;
  readonly onProgress?: (done: number, all: number) => void;
  readonly heads?: readonly SignedHead[];
  /** Keys, one of which must have signed each checkpoint in the logbook. Without keys, no signature is checked. */
  readonly keys?: readonly KeyObject[];
  /** Time for which audit records are kept; undefined when unknown. */
  readonly auditRetentionMs?: number;
}

/**
 * Verifies the logbook of a data directory, which may be in use. Changes something only with `repair`, which requires
 * that the directory is not in use.
 * @returns the verified and repaired items
 */
export async function verifyLogbook(
  storage: StorageOptions,
  repair: boolean,
  run: VerifyRun,
): Promise<StoreSummary & { readonly repaired: readonly string[] }> {
  await checkFileKinds(storage.dataDir);
  refuseIncompleteRestore(storage.dataDir);
  if (repair) await requireStopped(storage);
  const { isIndexEqual, summary } = await verify(storage, run);
  const repaired = repair ? await repairStore(storage, summary, isIndexEqual, run) : [];
  return { ...summary, repaired };
}

/** @throws Error when a process is using the data directory */
async function requireStopped(storage: StorageOptions): Promise<void> {
  const cleanup = new CleanupStack();
  await cleanup.guard(() => lockStorage(storage, cleanup));
  await cleanup.close();
}

async function verify(
  storage: StorageOptions,
  { log, signal, onFinding, onProgress, heads = [], keys, auditRetentionMs }: VerifyRun,
) {
  const cleanup = new CleanupStack();
  const found = await cleanup.guard(async () => {
    if (storage.kind === 'embedded') await checkPages(storage.dataDir, onFinding);
    signal.throwIfAborted();
    const files = cleanup.use(await openFileReader(storage, log));
    const snapshot: DocumentSnapshot = cleanup.use(await openSnapshot(storage, log));
    const own = selectOwnHeads(heads, snapshot.storeId, onFinding);
    await verifyIdentity(storage, snapshot.storeId, files, onFinding);
    const summary = await verifyStore(
      { snapshot, files, signal, onProgress, heads: own, keys, auditRetentionMs },
      onFinding,
    );
    if (storage.kind === 'embedded') await checkDateOrder(storage.dataDir, onFinding);
    const hasIndex = storage.kind === 'embedded' && storage.index.kind === 'embedded';
    const isIndexEqual = hasIndex ? await compareIndex(storage.dataDir, onFinding) : true;
    return { summary, isIndexEqual };
  });
  await cleanup.close();
  return found;
}

/** Selects the heads of this logbook, and reports those of others. */
export function selectOwnHeads(heads: readonly SignedHead[], own: string, onFinding: OnFinding): SignedHead[] {
  return heads.filter(({ name, storeId }) => {
    if (storeId !== own) onFinding(problem(name, `it belongs to the logbook ${storeId}`, `This logbook is ${own}.`));
    return storeId === own;
  });
}

async function checkPages(dataDir: string, onFinding: OnFinding): Promise<void> {
  const file = join(dataDir, documentsFile);
  if (!fileExists(file))
    throw new Error(
      `There is no logbook in ${dataDir}: ${documentsFile} is missing. Name its directory with --data-dir, or the configuration of the service with --config.`,
    );
  const advice = 'Stop the service, keep a copy of the data directory, and restore the newest intact backup.';
  for (const what of await checkDatabase(file, 'integrity_check')) onFinding(problem(documentsFile, what, advice));
}

/** Rebuilds the index, and moves referenced files out of quarantine. Returns the repairs. */
async function repairStore(
  storage: StorageOptions,
  { quarantined }: StoreSummary,
  isIndexEqual: boolean,
  { log, signal }: VerifyRun,
): Promise<string[]> {
  const repaired: string[] = [];
  if (!isIndexEqual) {
    await rebuildSearchIndex(storage, { log, onProgress: () => undefined, signal });
    repaired.push('The search index was rebuilt.');
  }
  if (quarantined.length > 0 && storage.blobs.kind === 'files') {
    const blobs = await openFileBlobStore({ dir: attachmentsDirOf(storage) });
    for (const checksum of quarantined) await blobs.restore(checksum);
    repaired.push(`${counted(quarantined.length, 'file')} moved out of quarantine.`);
  }
  return repaired;
}

export interface BackupsToVerify {
  readonly target: BackupTargetOptions;
  /** Name of the backup to verify; undefined to verify all. */
  readonly backup: string | undefined;
  /** Whether to have the next backup store damaged objects again, and to correct a wrong owner of the target. */
  readonly repair: boolean;
  readonly trust: BackupTrust;
  readonly dataDir: string;
}

export async function verifyBackupTarget(
  { target, backup, repair, trust, dataDir }: BackupsToVerify,
  { log, signal, onFinding, heads, keys }: VerifyRun,
): Promise<BackupSummary & { readonly repaired: readonly string[] }> {
  const cleanup = new CleanupStack();
  const summary = await cleanup.guard(async () => {
    const access = { mode: repair ? 'write' : 'read', mayCreate: false, dataDir, log } as const;
    const opened = await openBackupTarget(target, access, cleanup);
    const marked: string[] = [];
    const onDamaged = async (checksum: string) => {
      if (!repair) return;
      await markDamaged(opened, checksum);
      marked.push(`${opened.describe('pool', checksum)} will be stored again by the next backup.`);
    };
    const onMisnamed = async (storeId: string) => {
      if (!repair) return;
      await opened.claim(storeId);
      marked.push(`${describeOwner(opened)} names the logbook ${storeId} again.`);
    };
    if (backup === undefined) {
      const newest = await findNewestSigned(opened, trust.keys);
      const lost = await describeLostBackup(dataDir, target, newest, await listBackups(opened));
      if (lost !== undefined) onFinding(problem(opened.name, lost, lostBackupAdvice));
    }
    const found = await verifyBackups(opened, { backup, signal, trust, heads, keys, onDamaged, onMisnamed }, onFinding);
    return { ...found, repaired: marked };
  });
  await cleanup.close();
  return summary;
}
