import { hash } from 'node:crypto';
import { attachmentText, isCoveredAttachment } from '../ledger/entry-fields.js';
import { columnReader, getTable, type Row } from './backup-tables.js';

/** The parts of a version of an entry that say which files belong to it. */
export interface ShownFiles {
  readonly logbooks?: readonly { readonly name: string }[];
  readonly attachments?: readonly ShownAttachment[];
}

type ShownAttachment = Parameters<typeof attachmentText>[0];

/** Rows that the tables must have for the files of one entry. */
interface ExpectedFiles {
  /** Hashes of the ids of attachments. */
  readonly attachments: Set<string>;
  /**
   * Digest of the number of the newest version that shows the attachment, and of the name and place of the attachment in
   * that version; by attachment and set of logbooks.
   */
  readonly files: Map<string, { readonly shown: string; readonly isCurrent: boolean }>;
}

/** Key in the table `store` for the progress of the job that records the files of earlier entries. */
const fillingKey = 'entry-files';

/** Receives a problem: its subject, and a sentence without a full stop. */
type OnProblem = (subject: string, what: string) => void;

/**
 * Compares the attachments and the tables that lead to them with the versions of the entries, because the ledger covers
 * only the versions.
 */
export class FileLinksCheck {
  readonly tables = new Map<string, (row: Row) => void>();
  /** Whether a job still records the files of earlier entries. If so, the tables that it fills are not compared. */
  isFilling = false;
  /**
   * Checksum of each attachment by its id, and a digest of the other fields, with a mark once a version shows it.
   */
  private readonly attachments = new Map<string, string>();
  /** Expected rows of each entry; undefined: one of its versions cannot be read. */
  private readonly entries = new Map<number, ExpectedFiles | undefined>();
  /** The names of the logbooks in each set. */
  private readonly sets = new Map<number, string>();

  constructor(
    private readonly onProblem: OnProblem,
    /** Receives the ids of attachments that no version shows, such as those of an entry that an import refused. */
    private readonly onUnshown: (ids: readonly string[]) => void,
  ) {
    this.tables.set('store', ([key]) => {
      if (key === fillingKey) this.isFilling = true;
    });
    this.tables.set('attachment', this.attachmentCheck());
    this.tables.set('attachment_entry', ([id, entryId]) => this.checkLink(String(id), Number(entryId)));
    this.tables.set('logbook_set', ([id, names]) => this.sets.set(Number(id), String(names)));
    this.tables.set('entry_file', this.fileCheck());
  }

  /** Returns the checksum of the file of an attachment; undefined when it is not stored. */
  findChecksum(id: string): string | undefined {
    return this.attachments.get(id)?.slice(0, checksumLength);
  }

  /** Adds a version. The current version of each entry must be added first, then the archived ones in their order. */
  addVersion(entryId: number, version: number, shown: ShownFiles | undefined, isCurrent: boolean): void {
    if (!shown) this.entries.set(entryId, undefined);
    const { attachments = [], logbooks = [] } = shown ?? {};
    if (attachments.length === 0 || (this.entries.has(entryId) && !this.entries.get(entryId))) return;
    const expected = this.entries.get(entryId) ?? { attachments: new Set(), files: new Map() };
    this.entries.set(entryId, expected);
    const names = JSON.stringify([...new Set(logbooks.map(({ name }) => name))].sort());
    const places = new Map(attachments.map(({ id }, place) => [id, place] as const).reverse());
    for (const [id, place] of places) {
      expected.attachments.add(shorten(id));
      const key = shorten(`${id}\0${names}`);
      if (!isCurrent && expected.files.get(key)?.isCurrent) continue;
      const { filename } = attachments[place] as ShownAttachment;
      expected.files.set(key, { shown: describeShown(filename, version, place), isCurrent });
    }
  }

  /** Compares an attachment that a version shows with the stored one, which exists. */
  compareShown(subject: string, shown: ShownAttachment): void {
    const stored = this.attachments.get(shown.id) ?? '';
    const checksum = stored.slice(0, checksumLength);
    // Documents of earlier versions may lack the checksum.
    const digest = shorten(attachmentText({ ...shown, checksum: shown.checksum ?? checksum }));
    if (!stored.startsWith(digest, checksumLength)) {
      this.onProblem(subject, `its attachment ${shown.id} is stored with another name, media type or size`);
    }
    if (!stored.endsWith(shownMark)) this.attachments.set(shown.id, `${stored}${shownMark}`);
  }

  finish(): void {
    const unshown = [...this.attachments].flatMap(([id, stored]) => (stored.endsWith(shownMark) ? [] : id));
    if (unshown.length > 0) this.onUnshown(unshown);
    for (const [id, expected] of this.entries) {
      const lost = (expected?.attachments.size ?? 0) + (this.isFilling ? 0 : (expected?.files.size ?? 0));
      if (lost > 0) this.onProblem(`entry ${id}`, 'the tables by which its files are found lack one of them');
    }
  }

  private attachmentCheck(): (row: Row) => void {
    const names = ['id', 'checksum', 'document', 'size'];
    const readers = names.map((name) => columnReader(getTable('attachment'), name));
    return (row) => {
      const [id, checksum, document, size] = readers.map((read) => String(read(row)));
      const stored = parseAttachment(document ?? '');
      // Documents of earlier versions may lack the size.
      const hasSize = (stored?.size ?? Number(size)) === Number(size);
      const isOwn =
        stored !== undefined &&
        stored.id === id &&
        stored.checksum === checksum &&
        hasSize &&
        isCoveredAttachment(stored);
      // The check of checksums reports unreadable attachments.
      if (stored && !isOwn) this.onProblem(`attachment ${id}`, 'another attachment is stored under its id');
      this.attachments.set(id ?? '', `${checksum}${stored ? shorten(attachmentText(stored)) : ''}`);
    };
  }

  private checkLink(id: string, entryId: number): void {
    const expected = this.entries.get(entryId);
    if (!expected && this.entries.has(entryId)) return;
    if (expected?.attachments.delete(shorten(id))) return;
    this.onProblem(`entry ${entryId}`, `a table says that it shows the attachment ${id}, but it does not`);
  }

  private fileCheck(): (row: Row) => void {
    const names = ['entry_id', 'attachment_id', 'logbook_set', 'filename', 'version', 'place'];
    const readers = names.map((name) => columnReader(getTable('entry_file'), name));
    return (row) => {
      const [entryId, id, set, filename, version, place] = readers.map((read) => read(row));
      const expected = this.entries.get(Number(entryId));
      if (this.isFilling || (!expected && this.entries.has(Number(entryId)))) return;
      const key = shorten(`${id}\0${this.sets.get(Number(set))}`);
      const found = expected?.files.get(key)?.shown;
      expected?.files.delete(key);
      if (found === describeShown(String(filename), Number(version), Number(place))) return;
      this.onProblem(
        `entry ${entryId}`,
        `the table of its files and its versions disagree about “${filename}” (${id})`,
      );
    };
  }
}

const checksumLength = 64;
const shownMark = '+';

function parseAttachment(document: string): ShownAttachment | undefined {
  try {
    const parsed = JSON.parse(document) as ShownAttachment;
    return JSON.stringify(parsed) === document && parsed !== null ? parsed : undefined;
  } catch {
    return undefined;
  }
}

const describeShown = (filename: string, version: number, place: number): string =>
  shorten(JSON.stringify([filename, version, place]));

/** Returns a hash of 96 bits in one-byte characters, which take little memory. */
const shorten = (text: string): string => hash('sha256', text, 'binary').slice(0, 12);
