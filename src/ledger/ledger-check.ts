import { digestFormer, redigestEntry } from './entry-digest.js';
import type { DigestibleEntry } from './entry-fields.js';
import { digestItem, hashRecord, isAboutEntry, noHash, type StoredRecord } from './ledger-record.js';
import { type Removal, RemovalCheck } from './removal-check.js';
import { type KnownHead, TreeCheck } from './tree-check.js';

/** Takes what is wrong: what it concerns, and a sentence without a full stop. */
export type OnLedgerProblem = (subject: string, what: string, of: 'catalogue' | 'other') => void;

/** A version of an entry as it is stored. */
export interface StoredVersion {
  readonly id: number;
  readonly version: number;
  readonly document: string;
  /** Null: no record of it exists yet. */
  readonly salts: string | null;
}

/** How the subjects of redactions begin. */
export const redactionPrefix = 'redaction/';
/** Of the same kind, so many problems are named. */
const maxNamed = 20;
/** Versions of an entry, one after the other, that an earlier version of the program may have replaced. */
const maxUnrecorded = 1_000;
/** What is missing where an entry was replaced by an earlier version of the program, or by hand. */
export const unproven = 'nothing proves that only a group was added';

/**
 * Checks that each version of an entry and each item of the catalogue is stored as its record says, and that the records
 * and the tree belong together. Takes what is stored first, then the tiles, then the records.
 */
export class LedgerCheck {
  readonly tree: TreeCheck;
  /** How many versions no record exists of yet. */
  unrecorded = 0;
  /** How many versions were replaced without a proof that only a group was added, and the first of them, for messages. */
  unproven = 0;
  readonly replaced: string[] = [];
  private previous = noHash;
  /** The digest of each stored version, in few bytes; empty once its record was found. */
  private readonly versions = new Map<number | string, string>();
  /** The newest version of an entry that has a record and is not stored: joining a group replaced it, unless it is lost. */
  private readonly missing = new Map<number, { readonly version: number; readonly digest: string }>();
  /** The digests of the versions in whose place others were stored that only join a group, by these. */
  private readonly formers = new Map<number | string, string>();
  private readonly items = new Map<string, string>();
  private readonly recordedItems = new Map<string, string>();
  private problems = 0;
  private readonly removals = new RemovalCheck();
  /** Of the largest signed head; undefined: none is known. */
  private readonly signedRecords: number | undefined;

  constructor(
    heads: readonly KnownHead[],
    private readonly onProblem: OnLedgerProblem,
  ) {
    this.signedRecords = heads.length > 0 ? Math.max(...heads.map(({ size }) => size)) : undefined;
    this.tree = new TreeCheck(heads, (what) => onProblem('the ledger', what, 'other'));
  }

  addVersion({ id, version, document, salts }: StoredVersion): void {
    if (salts === null || salts === '') {
      this.unrecorded += 1;
      return;
    }
    if (this.addDigests(document, { id, version, salts })) return;
    this.report(describe(id, version), 'what proves it does not fit what is stored');
  }

  /** Returns false when the document is not JSON, not an entry, or not one with these salts. */
  private addDigests(
    document: string,
    { id, version, salts }: { readonly id: number; readonly version: number; readonly salts: string },
  ): boolean {
    try {
      const entry = JSON.parse(document) as DigestibleEntry;
      const digest = redigestEntry(entry, salts);
      if (digest === undefined) return false;
      const key = keyOf(id, version);
      const former = digestFormer(entry, salts);
      this.removals.addVersion(entry, { id, version, salts });
      if (former !== undefined) this.formers.set(key, shorten(former));
      this.versions.set(key, shorten(digest));
      return true;
    } catch {
      return false;
    }
  }

  addItem(subject: string, document: string): void {
    this.items.set(subject, digestItem(document));
  }

  /** Takes a redaction, whose document is an item too. */
  addRedaction(removal: Removal): void {
    this.removals.addRemoval(removal);
  }

  addRecord(record: StoredRecord): void {
    this.previous = hashRecord(record, this.tree.size, this.previous);
    this.tree.addRecord(this.previous, record.sequence);
    if (isAboutEntry(record)) this.checkVersion(record);
    else this.recordedItems.set(record.subject, record.kind === 'catalog-removed' ? '' : record.digest);
  }

  finish(): void {
    this.tree.finish();
    for (const [key, digest] of this.versions) {
      if (digest !== '') this.report(describeKey(key), 'no record of it is in the ledger');
    }
    for (const [id, { version }] of this.missing) this.reportMissing(id, version);
    this.checkItems();
    this.removals.finish((id, version, what) => this.report(describe(id, version), what));
    const more = this.problems - maxNamed;
    if (more > 0) this.onProblem('the ledger', `${more} more versions or items are not as recorded`, 'other');
  }

  private checkVersion({ kind, entryId, version, digest }: StoredRecord): void {
    const key = keyOf(entryId, version);
    if (kind === 'annotated' || kind === 'recorded') this.excuseReplaced(entryId, version, kind);
    const stored = this.versions.get(key);
    if (stored === undefined) {
      if (this.missing.has(entryId)) this.reportMissing(entryId, this.missing.get(entryId)?.version ?? 0);
      this.missing.set(entryId, { version, digest: shorten(digest) });
      return;
    }
    this.versions.set(key, '');
    if (stored === '') this.report(describe(entryId, version), 'it is recorded twice');
    else if (stored !== shorten(digest)) this.report(describe(entryId, version), 'it is not what was recorded');
  }

  /**
   * Forgets a version without a stored one that this one has replaced when the entry joined a group. Where an earlier
   * version of the program did so, beside this one, this version was recorded later, and those between them never. Anyone
   * who can write to the database can add such records: without a proof that only a group was added, it is noted, and after
   * a checkpoint it is a problem.
   */
  private excuseReplaced(entryId: number, version: number, kind: 'annotated' | 'recorded'): void {
    const replaced = this.missing.get(entryId);
    if (!replaced || replaced.version >= version || version - replaced.version > maxUnrecorded) return;
    const isNext = version === replaced.version + 1;
    const isProven = isNext && this.formers.get(keyOf(entryId, version)) === replaced.digest;
    // This version of the program stores a proof with such a record.
    if (!isProven && isNext && kind === 'annotated') return;
    for (let between = replaced.version + 1; between < version; between++) {
      if (this.versions.has(keyOf(entryId, between))) return;
    }
    this.missing.delete(entryId);
    if (isProven) return;
    if (this.signedRecords !== undefined && this.tree.size > this.signedRecords) {
      this.report(
        describe(entryId, replaced.version),
        `it was replaced after the newest checkpoint, by ${version}: ${unproven}`,
      );
      return;
    }
    this.unproven += 1;
    if (this.unproven <= maxNamed) this.replaced.push(`${describe(entryId, replaced.version)} (by ${version})`);
  }

  private checkItems(): void {
    for (const [subject, digest] of this.items) {
      const recorded = this.recordedItems.get(subject);
      if (recorded === undefined && subject.startsWith(redactionPrefix)) {
        this.report(`“${subject}”`, 'no record of it is in the ledger');
      } else if (recorded === undefined)
        this.unrecorded += 1; // Of a catalogue that an earlier version has stored.
      else if (recorded !== digest) this.reportItem(subject, 'it is not what was recorded');
    }
    for (const [subject, digest] of this.recordedItems) {
      if (digest === '' || this.items.has(subject)) continue;
      this.reportItem(subject, 'it is recorded, but not stored');
    }
  }

  private reportItem(subject: string, what: string): void {
    this.report(`“${subject}”`, what, subject.startsWith(redactionPrefix) ? 'other' : 'catalogue');
  }

  private reportMissing(id: number, version: number): void {
    this.report(describe(id, version), 'it is recorded, but not stored');
  }

  private report(subject: string, what: string, of: 'catalogue' | 'other' = 'other'): void {
    this.problems += 1;
    if (this.problems <= maxNamed) this.onProblem(subject, what, of);
  }
}

/** A number takes a fraction of the memory of a text; an entry with more versions is rare. */
const keyOf = (id: number, version: number): number | string =>
  version < 1_024 ? id * 1_024 + version : `${id}/${version}`;

function describeKey(key: number | string): string {
  if (typeof key === 'number') return describe(Math.floor(key / 1_024), key % 1_024);
  const [id, version] = key.split('/').map(Number);
  return describe(id ?? 0, version ?? 0);
}

const describe = (id: number, version: number): string => `the version ${version} of entry ${id}`;

/** 160 bits are enough, and as one-byte characters they take less than half of the memory. */
const shorten = (digest: string): string => Buffer.from(digest.slice(0, 40), 'hex').toString('latin1');
