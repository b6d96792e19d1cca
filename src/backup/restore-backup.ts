import { createHash, randomBytes } from 'node:crypto';
import { findNewestSigned, getManifest } from './backup-list.js';
import {
  type BackupTable,
  backupTables,
  credentialTables,
  type Row,
  renewedKeys,
  transientKeys,
} from './backup-tables.js';
import type { BackupTarget } from './backup-target.port.js';
import { type BackupTrust, isTrusted, UntrustedBackup } from './backup-trust.js';
import type { DataFinding } from './data-finding.js';
import type { DocumentRestore, RestoredNumbers } from './document-snapshot.port.js';
import type { FileRestore } from './file-access.port.js';
import { type LaterKnowledge, readLater } from './later-backups.js';
import type { Manifest, ReadManifest } from './manifest.js';
import type { BackupFile } from './manifest-line.js';
import { columnMapper, readTablePiece } from './read-table-piece.js';
import type { TablePiece } from './table-piece-writer.js';
import { verifyBackups } from './verify-backup.js';

/**
 * Default gap between the highest known id and the first new one. It must exceed the number of entries since then.
 */
export const defaultIdGap = 10_000;

/** Number of rows per insertion. */
const rowsPerInsert = 500;

export interface RestoreOptions {
  /** Name of the backup; undefined: the newest one. */
  readonly backup: string | undefined;
  readonly trust: BackupTrust;
  /** Whether the tokens with which programs sign in are restored. */
  readonly withCredentials: boolean;
  /** Whether the intact parts of a damaged backup are restored. */
  readonly acceptDamage: boolean;
  /** Number of ids to skip; 0: the restored logbook replaces the original, and continues its ids. */
  readonly idGap: number;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  readonly onProgress?: (done: number, all: number, what: 'files' | 'pieces') => void;
}

/** Storage into which a backup is restored. It must be empty, and is opened after the backup was verified. */
export interface RestoreTarget {
  readonly files: FileRestore;
  readonly documents: DocumentRestore;
  /**
   * Applies redactions that were made after the backup, once its documents are complete.
   * @param redactions their documents; those that the backup contains are ignored
   */
  redact(redactions: readonly string[]): Promise<RepeatedRedactions>;
  /** Makes the restored logbook usable, as the last step. */
  complete(storeId: string): Promise<void>;
  close(): Promise<void>;
}

export interface RepeatedRedactions {
  /** Number of redactions that were applied. */
  readonly applied: number;
  /** Redactions that could not be applied. */
  readonly findings: readonly DataFinding[];
}

export interface RestoredBackup {
  readonly manifest: Manifest;
  /** New entries get ids above this one. */
  readonly highestEntryId: number;
  /** Number of redactions of newer backups that were applied to the restored documents. */
  readonly redactions: number;
  /** Number of credentials in the backup that were not restored. */
  readonly omitted: number;
  /** Data that could not be restored (only if damage was accepted), and redactions that were not applied. */
  readonly findings: readonly DataFinding[];
}

/** Thrown when the backup has problems; nothing was written. */
export class DamagedBackup extends Error {
  constructor(
    backup: string,
    readonly findings: readonly DataFinding[],
  ) {
    super(
      `The backup ${backup} is damaged; nothing was written. Restore another one, or the intact parts of this one with --accept-damage.`,
    );
  }
}

/**
 * Restores a backup. Its signature and every hash are verified before the target is opened.
 * @throws UntrustedBackup; DamagedBackup; the error of `openTarget` when the target is not empty; the reason of
 *   `signal`
 */
export async function restoreBackup(
  source: BackupTarget,
  openTarget: (manifest: Manifest) => Promise<RestoreTarget>,
  options: RestoreOptions,
): Promise<RestoredBackup> {
  const { trust, signal } = options;
  const manifest = await getTrusted(source, options);
  const { name, storeId } = manifest.header;
  const findings: DataFinding[] = [];
  const damaged = new Set<string>();
  const onDamaged = async (checksum: string) => void damaged.add(checksum);
  await verifyBackups(source, { backup: name, signal, trust, onDamaged }, (finding) => findings.push(finding));
  const problems = findings.filter(({ kind }) => kind === 'problem');
  if (problems.length > 0 && !options.acceptDamage && !problems.every(wasThereBefore)) {
    throw new DamagedBackup(name, problems);
  }
  const altered = manifest.pieces.find(({ checksum }) => damaged.has(checksum));
  if (altered && !trust.acceptUnsigned) throw new UnsignedRows(source, altered);
  const later = await readLater(source, manifest, trust);
  const target = await openTarget(manifest);
  try {
    await restoreFiles(source, target.files, manifest, options);
    await target.files.complete(storeId);
    const omitted = await restoreDocuments(source, target.documents, manifest, options);
    const numbers = continueAbove(manifest, later, options);
    await target.documents.complete(numbers);
    const redacted = later.redactions.length === 0 ? nothingRedacted : await target.redact(later.redactions);
    await target.complete(storeId);
    findings.push(...later.findings, ...redacted.findings);
    return { manifest, highestEntryId: numbers.highestEntryId, redactions: redacted.applied, omitted, findings };
  } finally {
    await target.close();
  }
}

/** @throws UntrustedBackup that names the newest trusted backup */
async function getTrusted(source: BackupTarget, { backup, trust }: RestoreOptions): Promise<ReadManifest> {
  const manifest = await getManifest(source, trust.keys, backup);
  if (isTrusted(manifest, trust)) return manifest;
  throw new UntrustedBackup(manifest, trust, (await findNewestSigned(source, trust.keys))?.name);
}

/**
 * Returns numbers above all numbers assigned since the backup: above the numbers in newer backups, plus one for each
 * second since then. A second restore therefore does not assign the same numbers as the first, if the first logbook
 * received less than an entry per second on average.
 */
function continueAbove(
  { header }: Manifest,
  { headers: later }: LaterKnowledge,
  { idGap, nowMs }: RestoreOptions,
): RestoredNumbers {
  const headers = [header, ...later];
  const now = nowMs();
  // A time in the future comes from a clock that was ahead.
  const times = headers.map(({ takenMs }) => takenMs).filter((takenMs) => takenMs <= now);
  const elapsedMs = times.length === 0 ? 0 : now - Math.max(...times);
  const highest = Math.max(...headers.map(({ highestEntryId }) => highestEntryId));
  return {
    highestEntryId: idGap === 0 ? highest : highest + idGap + Math.floor(elapsedMs / 1_000),
    feedPosition: Math.max(...headers.map(({ feedPosition }) => feedPosition)),
    elapsedMs,
  };
}

const nothingRedacted: RepeatedRedactions = { applied: 0, findings: [] };

/** Whether the logbook already had the damage when the backup was made. */
function wasThereBefore(finding: DataFinding): boolean {
  return finding.isFromSource === true;
}

async function restoreFiles(
  source: BackupTarget,
  files: FileRestore,
  manifest: Manifest,
  { signal, acceptDamage, onProgress }: RestoreOptions,
): Promise<void> {
  const wanted = manifest.files.filter(({ state }) => state === undefined);
  for (const [at, file] of wanted.entries()) {
    signal.throwIfAborted();
    try {
      if (!(await files.has(file))) await files.add(file, openIntact(source, file));
    } catch (error) {
      if (!acceptDamage || !(error instanceof DamagedContent)) throw error;
    }
    onProgress?.(at + 1, wanted.length, 'files');
  }
}

class DamagedContent extends Error {}

/** Yields the content of a file. @throws DamagedContent when the file is missing, or at the end of a damaged file */
async function* openIntact(source: BackupTarget, { checksum }: BackupFile): AsyncGenerator<Buffer> {
  const content = await source.open('pool', checksum);
  const name = source.describe('pool', checksum);
  if (!content) throw new DamagedContent(`${name} has disappeared since the backup was verified.`);
  const hash = createHash('sha256');
  for await (const chunk of content as AsyncIterable<Buffer>) {
    hash.update(chunk);
    yield chunk;
  }
  if (hash.digest('hex') !== checksum) throw new DamagedContent(`${name} was damaged since the backup was verified.`);
}

/** @returns the number of credentials that were left out */
async function restoreDocuments(
  source: BackupTarget,
  documents: DocumentRestore,
  { header, pieces }: Manifest,
  { signal, acceptDamage, onProgress, ...options }: RestoreOptions,
): Promise<number> {
  let [done, omitted] = [0, 0];
  for (const table of backupTables) {
    const toColumns = columnMapper(header.tables[table.name] ?? table.columns, table.columns);
    for (const piece of pieces.filter((one) => one.table === table.name)) {
      signal.throwIfAborted();
      const found = await readTablePiece(source, piece);
      const isUsable = found ? found.isIntact || (acceptDamage && options.trust.acceptUnsigned) : acceptDamage;
      if (!isUsable) {
        throw new Error(`${source.describe('pool', piece.checksum)} was damaged since the backup was verified.`);
      }
      const rows = found?.rows.map(toColumns) ?? [];
      const kept = withoutCredentials(table, rows, options);
      if (credentialTables.has(table.name)) omitted += rows.length - kept.length;
      for (let at = 0; at < kept.length; at += rowsPerInsert) {
        await documents.insert(table, kept.slice(at, at + rowsPerInsert));
      }
      done += 1;
      onProgress?.(done, pieces.length, 'pieces');
    }
  }
  return omitted;
}

/** Thrown for a damaged piece. The signature covers only the whole piece, and anyone can compute checksums of rows. */
class UnsignedRows extends Error {
  constructor(source: BackupTarget, piece: TablePiece) {
    super(
      `${source.describe('pool', piece.checksum)} is damaged, and no signature covers its intact rows. Nothing was written. Restore another backup. If you know that no one else has written to the backup target, add --accept-unsigned to restore these rows.`,
    );
  }
}

function withoutCredentials(
  { name }: BackupTable,
  rows: readonly Row[],
  { withCredentials, trust }: Pick<RestoreOptions, 'withCredentials' | 'trust'>,
): readonly Row[] {
  if (credentialTables.has(name)) return withCredentials ? rows : [];
  if (name !== 'store') return rows;
  return rows
    .filter(([key]) => !transientKeys.includes(String(key)))
    .map((row) => {
      // The maker of an unsigned backup may have chosen the secret.
      const isRenewed = trust.acceptUnsigned && renewedKeys.has(row[0]);
      return isRenewed ? [row[0] ?? null, randomBytes(32).toString('hex')] : row;
    });
}
