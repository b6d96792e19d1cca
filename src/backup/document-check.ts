import type { KeyObject } from 'node:crypto';
import type { KnownHead } from '../ledger/tree-check.js';
import { AuditRowsCheck } from './audit-rows-check.js';
import { type BackupTable, columnReader, describeRow, getTable, type Row } from './backup-tables.js';
import { listUncovered } from './coverage.js';
import { type DataFinding, notice, type OnFinding, problem } from './data-finding.js';
import { FileLinksCheck, type ShownFiles } from './file-links-check.js';
import { LedgerRowsCheck } from './ledger-rows-check.js';
import { RowCheck } from './row-check.js';

/** Maximum number of attachments that are named; further ones are counted. */
const maxNamed = 20;
const restoreAdvice = 'Restore the newest backup in which it is intact; all other data are unaffected.';

/** Parts of an entry's document that are checked. */
interface ShownDocument extends ShownFiles {
  readonly id?: unknown;
  readonly version?: unknown;
  readonly owner?: unknown;
  readonly createdDate?: unknown;
}

export interface DocumentCheckOptions {
  /** Maximum id that an entry may have. */
  readonly highestEntryId: number;
  /** The name of the engine that stored the documents. */
  readonly engine: string;
  /** Signed heads of the ledger. */
  readonly heads?: readonly KnownHead[] | undefined;
  /** Public keys, one of which must have signed each checkpoint in the logbook; empty: signatures are not checked. */
  readonly keys?: readonly KeyObject[] | undefined;
  /** Time for which audit records are kept; undefined: it is not known. */
  readonly auditRetentionMs?: number | undefined;
}

interface StoredVersion {
  readonly id: number;
  /** Version number in the table. */
  readonly version: number;
  readonly text: string;
  readonly isCurrent: boolean;
}

/** Facts about an entry that are kept until the end of the check. */
interface KnownEntry {
  readonly version: number;
  /** Version number in the document, which must be the number of archived versions plus one; undefined: it has none. */
  readonly shown: number | undefined;
  archived: number;
  /** Owner in the table; undefined if the entry has a single version with the same owner. */
  readonly owner: string | undefined;
  /** Whether the oldest known version has the same owner. Later versions may differ if they were imported. */
  isOwner: boolean;
}

export interface ReferencedFile {
  readonly size: number;
  /** The item that shows the file, such as `entry 41`; undefined when none is known. */
  readonly shownBy: string | undefined;
}

/**
 * Checks that the documents of a logbook are complete and consistent. All rows must be added, table after table in the
 * order of `backupTables`.
 */
export class DocumentCheck {
  /** Files by their SHA-256. */
  readonly files = new Map<string, ReferencedFile>();
  entryCount = 0;
  private readonly entries = new Map<number, KnownEntry>();
  private highestSequence = 0;
  private readonly tables = new Map<string, (row: Row) => void>();
  private readonly highestEntryId: number;
  private readonly ledger: LedgerRowsCheck;
  private readonly audit: AuditRowsCheck;
  private readonly links = new FileLinksCheck(
    (subject, what) => this.report(subject, what),
    (ids) => this.onFinding(describeUnshown(ids)),
  );

  constructor(
    options: DocumentCheckOptions,
    private readonly onFinding: OnFinding,
  ) {
    this.highestEntryId = options.highestEntryId;
    this.audit = new AuditRowsCheck(options, onFinding);
    this.ledger = new LedgerRowsCheck(options, onFinding, (id, digest, atMs) =>
      this.audit.addEntered(id, digest, atMs),
    );
    this.tables.set('attachment', this.attachmentCheck());
    this.tables.set('entry', this.entryCheck());
    this.tables.set('archived_entry', this.archiveCheck());
    this.tables.set('change', this.changeCheck());
    for (const name of ['draft_file', 'draft_part']) this.tables.set(name, this.draftFileCheck(getTable(name)));
  }

  add(table: BackupTable, rows: readonly Row[]): void {
    const rowCheck = new RowCheck(table);
    const parts = [this.links.tables, this.tables, this.audit.tables, this.ledger.tables];
    const checks = parts.map((tables) => tables.get(table.name));
    for (const row of rows) {
      const defect = rowCheck.findDefect(row);
      // A damaged checkpoint can be accepted as lost.
      if (defect && table.name === 'ledger_checkpoint') this.checkpoints.reportChecksum(Number(row[0]), defect.what);
      else if (defect) this.onFinding(defect);
      // A damaged row is checked, too, because other rows may refer to it.
      for (const check of checks) check?.(row);
    }
  }

  /** Runs the checks that need all rows. */
  finish(): void {
    for (const [id, { shown, archived, owner, isOwner }] of this.entries) {
      if (!isOwner) {
        this.report(`entry ${id}`, `its owner is stored as “${owner}”, but its first version shows another one`);
      }
      if (shown === undefined || shown === archived + 1) continue;
      this.report(
        `entry ${id}`,
        `its archive does not match its version: it is at version ${shown}, and ${archived} earlier versions are stored`,
      );
    }
    this.links.finish();
    this.ledger.finish();
    this.audit.finish(this.ledger.firstMs);
  }

  /** Check of the checkpoints that the logbook stores. */
  get checkpoints() {
    return this.ledger.checkpoints;
  }

  /** Changes that someone could make without a finding, each as a phrase. Complete when all rows are checked. */
  get uncovered(): string[] {
    return listUncovered({
      isFillingFiles: this.links.isFilling,
      withoutReplyLink: this.ledger.withoutReplyLink,
      withoutProperties: this.ledger.withoutProperties,
      unchainedAudit: this.audit.unchained,
    });
  }

  private report(subject: string, what: string): void {
    this.onFinding(problem(subject, what, restoreAdvice));
  }

  private attachmentCheck(): (row: Row) => void {
    const table = getTable('attachment');
    const [checksum, size] = ['checksum', 'size'].map((column) => columnReader(table, column));
    return (row) => {
      const found = String(checksum?.(row));
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
    const columns = ['version', 'document', 'owner', 'created_ms'];
    const readers = columns.map((column) => columnReader(getTable('entry'), column));
    return (row) => {
      const id = Number(row[0]);
      const [version, text, owner, createdMs] = readers.map((read) => read(row));
      this.entryCount += 1;
      if (id > this.highestEntryId || id < 0) {
        this.report(`entry ${id}`, `its id was never assigned: the highest assigned id is ${this.highestEntryId}`);
      }
      const stored = { id, version: Number(version), text: String(text), isCurrent: true };
      const document = this.checkDocument(`entry ${id}`, stored);
      if (document && document.createdDate !== createdMs) {
        const what = `the table and the document have different creation dates: the document has ${document.createdDate}`;
        this.report(`entry ${id}`, what);
      }
      const isOwner = !document || document.owner === owner;
      const kept = isOwner && stored.version === 1 ? undefined : String(owner);
      const shown = versionOf(document);
      this.entries.set(id, { version: stored.version, shown, archived: 0, owner: kept, isOwner });
    };
  }

  private archiveCheck(): (row: Row) => void {
    const table = getTable('archived_entry');
    const text = columnReader(table, 'document');
    return (row) => {
      const [id, version] = [Number(row[0]), Number(row[1])];
      const subject = describeRow(table, row);
      const entry = this.entries.get(id);
      if (!entry) return this.report(subject, 'there is no such entry');
      entry.archived += 1;
      if (version >= entry.version) this.report(subject, `the entry itself has the version ${entry.version}`);
      const stored = { id, version, text: String(text(row)), isCurrent: false };
      const document = this.checkDocument(subject, stored);
      if (entry.archived === 1) entry.isOwner = !document || document.owner === entry.owner;
      const shown = versionOf(document);
      if (shown !== undefined && shown !== entry.archived) {
        this.report(subject, `it is version ${shown}, but ${entry.archived - 1} earlier ones are stored`);
      }
    };
  }

  /** Returns the parsed document; undefined when it cannot be read. */
  private checkDocument(subject: string, { id, version, text, isCurrent }: StoredVersion): ShownDocument | undefined {
    const document = parseDocument(text);
    this.links.addVersion(id, version, document, isCurrent);
    if (!document) {
      // Needed for documents without a checksum, whose damage no other check reports.
      this.report(subject, 'the stored document is not JSON');
      return undefined;
    }
    if (document.id !== id) this.report(subject, `the stored document is that of entry ${String(document.id)}`);
    for (const attachment of document.attachments ?? []) this.checkShown(subject, attachment);
    return document;
  }

  private checkShown(subject: string, shown: NonNullable<ShownFiles['attachments']>[number]): void {
    const { id, checksum } = shown;
    const stored = this.links.findChecksum(id);
    if (stored === undefined) {
      this.report(subject, `its attachment ${id} is not stored`);
      return;
    }
    // Documents of earlier versions may lack the checksum.
    if (checksum !== undefined && stored !== checksum) this.report(subject, `its attachment ${id} is another file`);
    else this.links.compareShown(subject, shown);
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

function describeUnshown(ids: readonly string[]): DataFinding {
  const named = ids.slice(0, maxNamed).join(', ');
  const more = ids.length > maxNamed ? ` and ${ids.length - maxNamed} more` : '';
  const advice =
    'An import leaves such attachments when it refuses an entry. Unless a logbook is closed, anyone who knows the id can read them.';
  return notice('attachments', `no version of an entry shows ${named}${more}`, advice);
}

/** Returns undefined if the text is not the JSON of an entry with lists of objects. */
function parseDocument(text: string): ShownDocument | undefined {
  try {
    const document = JSON.parse(text) as ShownDocument | null;
    const { attachments = [], logbooks = [] } = document ?? {};
    const areLists = [attachments, logbooks].every((list) => Array.isArray(list) && list.every(isObject));
    return document !== null && areLists ? document : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;

/** Returns the version number in a document; undefined when it has none. */
const versionOf = (document: ShownDocument | undefined): number | undefined =>
  typeof document?.version === 'number' ? document.version : undefined;
