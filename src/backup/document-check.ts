import type { KnownHead } from '../ledger/tree-check.js';
import { type BackupTable, columnReader, describeRow, getTable, type Row } from './backup-tables.js';
import { notice, type OnFinding, problem } from './data-finding.js';
import { checkLedgerRows } from './ledger-rows-check.js';
import { RowCheck } from './row-check.js';

const restoreAdvice = 'Restore the newest backup in which it is intact; all other data are unaffected.';

/** What an entry shows, as far as it is checked. */
interface ShownDocument {
  readonly id?: unknown;
  readonly version?: unknown;
  readonly attachments?: readonly { readonly id: string; readonly checksum: string }[];
}

/** What is remembered of an entry. */
interface KnownEntry {
  readonly version: number;
  /** The number that the document shows: one more than the entry has archived versions; undefined: it shows none. */
  readonly shown: number | undefined;
  archived: number;
}

/** A file, and what refers to it. */
export interface ReferencedFile {
  readonly size: number;
  /** Such as `entry 41`; undefined when nothing is known that shows it. */
  readonly shownBy: string | undefined;
}

/**
 * Checks that the documents of a logbook are whole and fit each other. Takes all rows, table after table in the order of
 * `backupTables`.
 */
export class DocumentCheck {
  /** By the SHA-256 of the file. */
  readonly files = new Map<string, ReferencedFile>();
  entryCount = 0;
  private readonly entries = new Map<number, KnownEntry>();
  /** The checksum of the file of each attachment. */
  private readonly attachments = new Map<string, string>();
  private highestSequence = 0;
  private readonly tables = new Map<string, (row: Row) => void>();
  private readonly ledger: ReturnType<typeof checkLedgerRows>;

  constructor(
    /** No entry may have an id above this one. */
    private readonly highestEntryId: number,
    private readonly onFinding: OnFinding,
    /** The heads of the ledger that were signed. */
    heads: readonly KnownHead[] = [],
  ) {
    this.ledger = checkLedgerRows(heads, onFinding);
    this.tables.set('attachment', this.attachmentCheck());
    this.tables.set('entry', this.entryCheck());
    this.tables.set('archived_entry', this.archiveCheck());
    this.tables.set('change', this.changeCheck());
    for (const name of ['draft_file', 'draft_part']) this.tables.set(name, this.draftFileCheck(getTable(name)));
  }

  /** Checks the next rows of a table. */
  add(table: BackupTable, rows: readonly Row[]): void {
    const rowCheck = new RowCheck(table);
    const checks = [this.tables.get(table.name), this.ledger.tables.get(table.name)];
    for (const row of rows) {
      const defect = rowCheck.findDefect(row);
      if (defect) this.onFinding(defect);
      // What cannot be trusted proves nothing else; but that the row is there counts.
      for (const check of checks) check?.(row);
    }
  }

  /** Checks what only all rows together show. */
  finish(): void {
    for (const [id, { shown, archived }] of this.entries) {
      if (shown === undefined || shown === archived + 1) continue;
      this.report(
        `entry ${id}`,
        `its archive is not whole: it is at version ${shown}, and ${archived} earlier versions are stored`,
      );
    }
    this.ledger.finish();
  }

  private report(subject: string, what: string): void {
    this.onFinding(problem(subject, what, restoreAdvice));
  }

  private attachmentCheck(): (row: Row) => void {
    const table = getTable('attachment');
    const [id, checksum, size] = ['id', 'checksum', 'size'].map((column) => columnReader(table, column));
    return (row) => {
      const found = String(checksum?.(row));
      this.attachments.set(String(id?.(row)), found);
      if (/^[0-9a-f]{64}$/.test(found)) this.files.set(found, { size: Number(size?.(row)), shownBy: undefined });
      else this.report(describeRow(table, row), 'it refers to no file');
    };
  }

  private draftFileCheck(table: BackupTable): (row: Row) => void {
    const [checksum, size] = [columnReader(table, 'checksum'), columnReader(table, 'size')];
    return (row) => {
      const found = checksum(row);
      if (typeof found !== 'string' || this.files.has(found)) return;
      this.files.set(found, { size: Number(size(row)), shownBy: 'a draft' });
    };
  }

  private entryCheck(): (row: Row) => void {
    const table = getTable('entry');
    const [version, document] = [columnReader(table, 'version'), columnReader(table, 'document')];
    return (row) => {
      const id = Number(row[0]);
      this.entryCount += 1;
      if (id > this.highestEntryId || id < 0) {
        this.report(`entry ${id}`, `its id is not one that was given: the highest is ${this.highestEntryId}`);
      }
      const shown = this.checkDocument(`entry ${id}`, id, String(document(row)));
      this.entries.set(id, { version: Number(version(row)), shown, archived: 0 });
    };
  }

  private archiveCheck(): (row: Row) => void {
    const table = getTable('archived_entry');
    const document = columnReader(table, 'document');
    return (row) => {
      const [id, version] = [Number(row[0]), Number(row[1])];
      const subject = describeRow(table, row);
      const entry = this.entries.get(id);
      if (!entry) return this.report(subject, 'there is no such entry');
      entry.archived += 1;
      if (version >= entry.version) this.report(subject, `the entry itself has the version ${entry.version}`);
      const shown = this.checkDocument(subject, id, String(document(row)));
      if (shown !== undefined && shown !== entry.archived) {
        this.report(subject, `it is version ${shown}, but ${entry.archived - 1} earlier ones are stored`);
      }
    };
  }

  /** Returns the version that the document shows; undefined when it shows none, or cannot be read. */
  private checkDocument(subject: string, id: number, text: string): number | undefined {
    let document: ShownDocument;
    try {
      document = JSON.parse(text) as ShownDocument;
    } catch {
      // Reported by its checksum; stored without one, this is all that shows it.
      this.report(subject, 'the stored document is not JSON');
      return undefined;
    }
    if (document.id !== id) this.report(subject, `the stored document is that of entry ${String(document.id)}`);
    for (const attachment of document.attachments ?? []) this.checkShown(subject, attachment);
    return typeof document.version === 'number' ? document.version : undefined;
  }

  private checkShown(subject: string, { id, checksum }: { readonly id: string; readonly checksum: string }): void {
    const stored = this.attachments.get(id);
    if (stored === undefined) {
      this.report(subject, `its attachment ${id} is not stored`);
      return;
    }
    // Documents of earlier versions may not name the checksum.
    if (checksum !== undefined && stored !== checksum) this.report(subject, `its attachment ${id} is another file`);
    const file = this.files.get(stored);
    if (file && file.shownBy === undefined) this.files.set(stored, { ...file, shownBy: subject });
  }

  private changeCheck(): (row: Row) => void {
    const entryId = columnReader(getTable('change'), 'entry_id');
    return (row) => {
      const [sequence, id] = [Number(row[0]), Number(entryId(row))];
      if (sequence <= this.highestSequence) this.report(`change ${sequence}`, 'it is not in order');
      this.highestSequence = sequence;
      if (this.entries.has(id)) return;
      this.onFinding(notice(`change ${sequence}`, `there is no entry ${id}`, 'Live clients pass over it.'));
    };
  }
}
