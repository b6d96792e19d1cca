import { createHash, type KeyObject } from 'node:crypto';
import { counted } from '../kernel/text.js';
import type { SignedHead } from '../ledger/checkpoint.js';
import type { KnownHead } from '../ledger/tree-check.js';
import { getManifest, listBackups } from './backup-list.js';
import { type BackupTable, backupTables, describeRow, getTable } from './backup-tables.js';
import { type BackupTarget, describeOwner } from './backup-target.port.js';
import { type BackupTrust, findDistrust, isTrusted } from './backup-trust.js';
import { notice, type OnFinding, problem } from './data-finding.js';
import { DocumentCheck } from './document-check.js';
import type { FileReference } from './file-access.port.js';
import { DamagedManifest, type Manifest, type ReadManifest } from './manifest.js';
import type { BackupFile } from './manifest-line.js';
import { columnMapper, readTablePiece } from './read-table-piece.js';
import type { TablePiece } from './table-piece-writer.js';

const otherBackup = 'Use another backup, and make a new one, which stores the damaged objects again.';
const newBackup = 'Run “verify --repair” on this target, then make a new backup, which stores it again.';

/** Totals of the verification. */
export interface BackupSummary {
  readonly backups: readonly string[];
  readonly entries: number;
  readonly files: number;
  readonly bytes: number;
  /** Changes that someone could make in the newest backup without a finding, each as a phrase. */
  readonly uncovered: readonly string[];
}

export interface VerifyOptions {
  /**
   * Signed heads with which the ledgers of the backups are compared. A ledger may be shorter if the backup is older.
   */
  readonly heads?: readonly SignedHead[] | undefined;
  /** Public keys, one of which must have signed each checkpoint in a backup; empty: signatures are not checked. */
  readonly keys?: readonly KeyObject[] | undefined;
  /** Name of the only backup to verify; undefined: all of them. */
  readonly backup?: string | undefined;
  readonly signal: AbortSignal;
  readonly trust: BackupTrust;
  /** Called with each object of the pool that is damaged. */
  readonly onDamaged?: (checksum: string) => Promise<void>;
  /** Called when the target names another logbook than the one to which all its backups belong. */
  readonly onMisnamed?: (storeId: string) => Promise<void>;
}

/** Verifies backups: every manifest, every hash, and that documents and files match. Changes nothing. */
export async function verifyBackups(
  target: BackupTarget,
  options: VerifyOptions,
  onFinding: OnFinding,
): Promise<BackupSummary> {
  const names = options.backup === undefined ? await listBackups(target) : [options.backup];
  if (names.length === 0) onFinding(problem(target.name, 'it has no complete backup', 'Make one with “backup”.'));
  const verification = new Verification(target, options, onFinding);
  for (const name of names) await verification.verify(name);
  await verification.verifyOwner();
  if (options.backup === undefined) await verification.countUnclaimed();
  return { backups: names, ...verification.totals };
}

class Verification {
  readonly totals = { entries: 0, files: 0, bytes: 0, uncovered: [] as string[] };
  /** Whether a file in the pool is intact, by its checksum. An intact file is read only once. */
  private readonly verified = new Map<string, boolean>();
  private readonly claimed = new Set<string>();
  /** Id of the logbook to which each backup belongs. */
  private readonly owners = new Map<string, string>();
  private isEveryManifestRead = true;

  constructor(
    private readonly target: BackupTarget,
    private readonly options: VerifyOptions,
    private readonly onFinding: OnFinding,
  ) {}

  async verify(name: string): Promise<void> {
    const manifest = await this.read(name);
    if (!manifest) return;
    const { header, pieces, files } = manifest;
    const distrust = findDistrust(manifest, this.options.trust);
    if (distrust) this.onFinding(distrust);
    if (isTrusted(manifest, this.options.trust)) this.owners.set(name, header.storeId);
    for (const { checksum } of [...pieces, ...files]) this.claimed.add(checksum);
    const { highestEntryId, engine } = header;
    const check = new DocumentCheck(
      { highestEntryId, engine, heads: this.headsOf(header), keys: this.options.keys },
      (finding) =>
        this.onFinding({ ...finding, subject: `${finding.subject} in the backup ${name}`, isFromSource: true }),
    );
    for (const table of backupTables) {
      for (const piece of pieces) if (piece.table === table.name) await this.verifyPiece(name, piece, manifest, check);
    }
    check.finish();
    this.totals.entries = check.entryCount;
    this.totals.uncovered = check.uncovered;
    const listed = new Set(files.map(({ checksum }) => checksum));
    for (const [checksum, { shownBy }] of check.files) {
      if (listed.has(checksum)) continue;
      const subject = `${checksum} in the backup ${name}`;
      this.onFinding(problem(subject, `${shownBy ?? 'an attachment'} refers to a file that it lacks`, otherBackup));
    }
    for (const file of files) await this.verifyFile(name, file, check.files.get(file.checksum)?.shownBy);
  }

  private headsOf({ name, storeId, takenMs }: Manifest['header']): KnownHead[] {
    return (this.options.heads ?? []).flatMap((head) => {
      if (head.storeId === storeId) return { ...head, mayBeLater: head.atMs > takenMs };
      this.onFinding(
        problem(head.name, `it belongs to the logbook ${head.storeId}`, `The backup ${name} belongs to ${storeId}.`),
      );
      return [];
    });
  }

  /** Compares the owner of the target with the logbooks of the backups. */
  async verifyOwner(): Promise<void> {
    const { storeId } = this.target;
    const [owner, ...more] = new Set(this.owners.values());
    if (owner === undefined || (owner === storeId && more.length === 0)) return;
    if (more.length > 0) {
      for (const [name, found] of this.owners) {
        if (found === storeId) continue;
        this.onFinding(problem(name, `it belongs to another logbook, ${found}`, 'Move it to a target of its own.'));
      }
      return;
    }
    const what =
      storeId === undefined
        ? 'it is missing or empty'
        : `it names the logbook ${storeId}, but the backups here are of the logbook ${owner}`;
    const advice = `If ${owner} is your logbook, this file is damaged: run “verify --repair” on this target, which rewrites it. The backups are intact unless another line says otherwise.`;
    this.onFinding({ ...problem(describeOwner(this.target), what, advice), isRepairable: true });
    // A single backup may come from elsewhere, and unreadable manifests may name another logbook.
    if (this.options.backup === undefined && this.isEveryManifestRead) await this.options.onMisnamed?.(owner);
  }

  /** Counts the objects of the pool that belong to no backup. */
  async countUnclaimed(): Promise<void> {
    if (!this.isEveryManifestRead) return;
    let count = 0;
    for await (const objects of this.target.list('pool')) {
      count += objects.filter(({ name }) => !this.claimed.has(name)).length;
    }
    if (count === 0) return;
    const what = `${counted(count, 'object')} of the pool ${count === 1 ? 'belongs' : 'belong'} to no complete backup`;
    this.onFinding(
      notice(this.target.name, what, 'They are left from an interrupted backup; the next one uses or removes them.'),
    );
  }

  private async read(name: string): Promise<ReadManifest | undefined> {
    try {
      return await getManifest(this.target, this.options.trust.keys, name);
    } catch (error) {
      if (!(error instanceof DamagedManifest)) throw error;
      this.isEveryManifestRead = false;
      this.onFinding(problem(`the backup ${name}`, error.message, 'Use another backup, and make a new one.'));
      return undefined;
    }
  }

  private async verifyPiece(
    name: string,
    piece: TablePiece,
    { header }: Manifest,
    check: DocumentCheck,
  ): Promise<void> {
    this.options.signal.throwIfAborted();
    const table = getTable(piece.table);
    const subject = `${this.target.describe('pool', piece.checksum)} (the rows from ${piece.first.join(' ')} to ${piece.last.join(' ')} of the table ${piece.table}, backup ${name})`;
    const found = await readTablePiece(this.target, piece);
    if (!found) return this.onFinding(problem(subject, 'the piece is missing', otherBackup));
    this.count(piece);
    const toColumns = columnMapper(header.tables[piece.table] ?? table.columns, table.columns);
    check.add(table, found.rows.map(toColumns));
    for (const { after, before, text } of found.damaged) {
      const row = nameDamaged(table, text, after, before);
      this.onFinding(problem(`${row} in the backup ${name}`, 'the row was altered or damaged', newBackup));
    }
    if (found.isIntact) return;
    this.onFinding({ ...problem(subject, 'the content does not match its SHA-256', newBackup), isRepairable: true });
    await this.options.onDamaged?.(piece.checksum);
  }

  private async verifyFile(name: string, file: BackupFile, shownBy: string | undefined): Promise<void> {
    this.options.signal.throwIfAborted();
    const shown = shownBy === undefined ? '' : `; ${shownBy} shows it`;
    const subject = `${this.target.describe('pool', file.checksum)} (backup ${name}${shown})`;
    if (file.state !== undefined) {
      const what = `the file was ${file.state} when the backup was made`;
      return this.onFinding(notice(subject, what, 'Look for it in an earlier backup.'));
    }
    const known = this.verified.get(file.checksum);
    const state = known === true ? 'intact' : await this.readFile(file);
    this.verified.set(file.checksum, state === 'intact');
    if (state === 'intact') return;
    const what = state === 'missing' ? 'the file is missing' : 'the content of the file does not match its SHA-256';
    this.onFinding({ ...problem(subject, what, newBackup), isRepairable: state === 'damaged' });
    if (state === 'damaged') await this.options.onDamaged?.(file.checksum);
  }

  private async readFile(file: FileReference): Promise<'intact' | 'damaged' | 'missing'> {
    const content = await this.target.open('pool', file.checksum);
    if (!content) return 'missing';
    const hash = createHash('sha256');
    for await (const chunk of content) hash.update(chunk as Buffer);
    if (hash.digest('hex') !== file.checksum) return 'damaged';
    this.totals.files += 1;
    this.count(file);
    return 'intact';
  }

  private count({ size }: FileReference): void {
    this.totals.bytes += size;
  }
}

/** Returns the name of a damaged row: its key if that can be read, otherwise its neighbours. */
function nameDamaged(
  table: BackupTable,
  text: string,
  after: readonly unknown[] | undefined,
  before: readonly unknown[] | undefined,
): string {
  try {
    return describeRow(table, JSON.parse(text.slice(9)));
  } catch {
    const key = (row: readonly unknown[] | undefined) => row?.slice(0, table.key.length).join(' ') ?? 'the end';
    return `the row between ${key(after)} and ${key(before)} of the table ${table.name}`;
  }
}
