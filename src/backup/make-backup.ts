import type { KeyObject } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteRate } from '../kernel/byte-rate.js';
import { productVersion } from '../kernel/product.js';
import { findOwner, listBackups } from './backup-list.js';
import { type BackupTable, backupTables, columnReader, type Row } from './backup-tables.js';
import { type BackupTarget, describeOwner } from './backup-target.port.js';
import { type DataFinding, problem } from './data-finding.js';
import type { DocumentSnapshot } from './document-snapshot.port.js';
import type { FileReader, FileReference } from './file-access.port.js';
import { readJournals, writeJournal } from './journal.js';
import { backupOfManifest, encodeManifest, type Manifest, manifestName, newBackupName } from './manifest.js';
import { type BackupFile, backupFormat } from './manifest-line.js';
import { RowCheck } from './row-check.js';
import { type TablePiece, TablePieceWriter } from './table-piece-writer.js';
import { storeLines, writeStaged } from './write-staged.js';

/** Number of files that are copied at the same time. */
const lanes = 2;

export interface BackupDeps {
  /** Opens the snapshot; `makeBackup` closes it. */
  readonly openSnapshot: () => Promise<DocumentSnapshot>;
  readonly files: FileReader;
  readonly target: BackupTarget;
  /**
   * Returns the key that signs the manifest, and the public keys that verify earlier backups. Called after the snapshot
   * was opened.
   */
  readonly openSigner: () => Promise<Signer>;
  readonly nowMs: () => number;
  /** Maximum rate of reading documents and files. */
  readonly reading: ByteRate;
  /** Ends the backup. The next backup reuses the objects stored so far. */
  readonly signal: AbortSignal;
  readonly onProgress?: (copied: number, all: number) => void;
}

export interface Signer {
  readonly privateKey: KeyObject;
  readonly keys: readonly KeyObject[];
}

export interface MadeBackup {
  readonly manifest: Manifest;
  /** Number of pieces and files that were added to the target. */
  readonly added: number;
  readonly addedBytes: number;
  /** Findings about damage in the backed-up data. */
  readonly findings: readonly DataFinding[];
}

/**
 * Makes a backup of the documents as they were at one moment, and of all files to which they refer. It becomes visible
 * in the last step, when it is complete. A missing or damaged file does not prevent the backup: the manifest records
 * its state, and the findings list it.
 * @throws the reason of `signal`; Error when the target belongs to another logbook
 */
export async function makeBackup(deps: BackupDeps): Promise<MadeBackup> {
  return new Backup(deps).make();
}

class Backup {
  /** Sizes of the usable objects in the pool, in bytes, by checksum; undefined: not known. */
  private readonly known = new Map<string, number | undefined>();
  private readonly pieces: TablePiece[] = [];
  private readonly staged = new Map<string, TablePiece>();
  /** Sizes of the files to which rows refer, in bytes, by checksum. */
  private readonly references = new Map<string, number>();
  private readonly findings: DataFinding[] = [];
  /** Objects that this backup has added to the target. */
  private readonly stored = new Set<string>();
  private addedBytes = 0;

  constructor(private readonly deps: BackupDeps) {}

  async make(): Promise<MadeBackup> {
    const { target } = this.deps;
    // The journal of this backup must not replace the journal of an interrupted one.
    const { journals } = await readJournals(target);
    const begun = journals.flatMap((journal) => backupOfManifest(journal.replace(/[.]journal$/, '.manifest')) ?? []);
    const name = newBackupName(this.deps.nowMs(), [...(await listBackups(target)), ...begun]);
    for await (const objects of target.list('pool')) for (const { name, bytes } of objects) this.known.set(name, bytes);
    const damaged: string[] = [];
    for await (const objects of target.list('damaged')) damaged.push(...objects.map(({ name }) => name));
    for (const checksum of damaged) this.known.delete(checksum);
    const { header, privateKey } = await this.readDocuments(name);
    const files = [...this.references].map(([checksum, size]): FileReference => ({ checksum, size }));
    const lacking = files.filter((file) => !this.isStored(file));
    const journal = `${name}.journal`;
    await writeJournal(target, journal, [...this.staged.keys(), ...lacking.map(({ checksum }) => checksum)]);
    await this.storePieces();
    const states = await this.storeFiles(lacking);
    await target.flush();
    const manifest: Manifest = {
      header,
      pieces: this.pieces,
      files: files.map((file): BackupFile => ({ ...file, ...states.get(file.checksum) })),
      completedMs: this.deps.nowMs(),
    };
    await storeLines(target, 'backups', manifestName(name), encodeManifest(manifest, privateKey));
    await target.remove('unfinished', journal);
    for (const checksum of damaged) if (this.stored.has(checksum)) await target.remove('damaged', checksum);
    return { manifest, added: this.stored.size, addedBytes: this.addedBytes, findings: this.findings };
  }

  private async readDocuments(name: string): Promise<Pick<Manifest, 'header'> & Pick<Signer, 'privateKey'>> {
    const { target, openSnapshot, openSigner, nowMs } = this.deps;
    const takenMs = nowMs();
    const snapshot = await openSnapshot();
    try {
      const { storeId, engine, highestEntryId, feedPosition } = snapshot;
      const { privateKey, keys } = await openSigner();
      await this.claim(storeId, keys);
      const tables = Object.fromEntries(backupTables.map((table) => [table.name, table.columns]));
      for (const table of backupTables) await this.readTable(table, snapshot);
      const header = {
        format: backupFormat,
        product: productVersion,
        name,
        storeId,
        engine,
        takenMs,
        highestEntryId,
        feedPosition,
        tables,
      };
      return { header, privateKey };
    } catch (error) {
      for (const checksum of this.staged.keys()) await rm(join(target.stagingDir, checksum), { force: true });
      throw error;
    } finally {
      await snapshot.close();
    }
  }

  private async claim(storeId: string, keys: readonly KeyObject[]): Promise<void> {
    const { target } = this.deps;
    if (target.storeId === storeId) return;
    const newest = await findOwner(target, keys);
    const owner = target.storeId ?? newest;
    if (owner === undefined || owner === storeId) return target.claim(storeId);
    const advice =
      newest === storeId
        ? `However, the newest backup there belongs to this logbook, so ${describeOwner(target)} is damaged. Run “logbook verify --repair” on this target.`
        : 'Choose another target for its backups.';
    throw new Error(
      `${target.name} has the backups of the logbook ${owner}, but this is the logbook ${storeId}. Nothing was changed. ${advice}`,
    );
  }

  private async readTable(table: BackupTable, snapshot: DocumentSnapshot): Promise<void> {
    const found: { piece: TablePiece; content: Buffer }[] = [];
    const writer = new TablePieceWriter(table, (piece, content) => found.push({ piece, content }));
    const check = new RowCheck(table);
    const collect = this.collectorOf(table);
    const stage = async () => {
      for (const { piece, content } of found.splice(0)) await this.stagePiece(piece, content);
    };
    for await (const rows of snapshot.rows(table)) {
      this.deps.signal.throwIfAborted();
      for (const row of rows) {
        const defect = check.findDefect(row);
        if (defect) this.findings.push(defect);
        collect(row);
        writer.add(row);
      }
      await stage();
    }
    writer.close();
    await stage();
  }

  /** Returns a function that notes the files that a row refers to. */
  private collectorOf(table: BackupTable): (row: Row) => void {
    if (!['attachment', 'draft_file', 'draft_part'].includes(table.name)) return () => undefined;
    const [checksum, size] = [columnReader(table, 'checksum'), columnReader(table, 'size')];
    return (row) => {
      const found = checksum(row);
      const bytes = Number(size(row));
      // The size in a damaged row can be any value.
      if (typeof found === 'string') this.references.set(found, Number.isSafeInteger(bytes) && bytes > 0 ? bytes : 0);
    };
  }

  private async stagePiece(piece: TablePiece, content: Buffer): Promise<void> {
    await this.deps.reading.take(piece.size);
    this.pieces.push(piece);
    if (this.isStored(piece) || this.staged.has(piece.checksum)) return;
    await writeStaged(join(this.deps.target.stagingDir, piece.checksum), [content]);
    this.staged.set(piece.checksum, piece);
  }

  private isStored({ checksum, size }: FileReference): boolean {
    return this.known.has(checksum) && (this.known.get(checksum) ?? size) === size;
  }

  private async storePieces(): Promise<void> {
    const { target, signal } = this.deps;
    for (const [checksum, piece] of this.staged) {
      signal.throwIfAborted();
      await target.store('pool', checksum, join(target.stagingDir, checksum), piece);
      this.count(piece);
    }
  }

  private async storeFiles(files: readonly FileReference[]): Promise<Map<string, Pick<BackupFile, 'state'>>> {
    const states = new Map<string, Pick<BackupFile, 'state'>>();
    let done = 0;
    const rest = files[Symbol.iterator]();
    const lane = async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) {
        const state = await this.storeFile(next.value);
        if (state) states.set(next.value.checksum, { state });
        done += 1;
        this.deps.onProgress?.(done, files.length);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return states;
  }

  private async storeFile(file: FileReference): Promise<BackupFile['state']> {
    const { files, target, reading, signal } = this.deps;
    signal.throwIfAborted();
    const opened = await files.open(file.checksum);
    if (!opened) return this.noteFile(file, 'missing');
    const staged = join(target.stagingDir, file.checksum);
    try {
      const found = await writeStaged(staged, reading.pace(opened.content as AsyncIterable<Buffer>));
      if (found.checksum !== file.checksum) return this.noteFile(file, 'damaged');
      await target.store('pool', file.checksum, staged, file);
      this.count(file);
      return undefined;
    } finally {
      await rm(staged, { force: true });
    }
  }

  private noteFile({ checksum }: FileReference, state: 'missing' | 'damaged'): 'missing' | 'damaged' {
    const what = state === 'missing' ? 'the file is missing' : 'the content of the file does not match its SHA-256';
    const advice = 'Restore it from an earlier backup. Everything else is in this one.';
    this.findings.push(problem(this.deps.files.describe(checksum), what, advice));
    return state;
  }

  private count({ checksum, size }: FileReference): void {
    this.stored.add(checksum);
    this.addedBytes += size;
  }
}
