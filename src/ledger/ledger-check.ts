import { listFormerDigests, redigestWith } from './entry-digest.js';
import { type DigestibleEntry, isCoveredWholly } from './entry-fields.js';
import {
  auditPrefix,
  completeSubject,
  digestItem,
  hashRecord,
  isAboutEntry,
  noHash,
  type StoredRecord,
} from './ledger-record.js';
import { type Removal, RemovalCheck } from './removal-check.js';
import { type KnownHead, TreeCheck } from './tree-check.js';

/** Receives a problem: its subject, and a sentence without a full stop. */
export type OnLedgerProblem = (subject: string, what: string, of: 'catalogue' | 'other') => void;

export interface StoredVersion {
  readonly id: number;
  readonly version: number;
  readonly document: string;
  /** Null: no record of it exists yet. */
  readonly salts: string | null;
  /** The entry to which it replies; null: it is not a reply. */
  readonly inReplyTo: number | null;
}

/** Prefix of the subjects of redactions. */
export const redactionPrefix = 'redaction/';
/** Maximum number of subjects that are named for one kind of problem. */
const maxNamed = 20;
/** Maximum number of consecutive versions of an entry that an earlier version of the program may have replaced. */
const maxUnrecorded = 1_000;
/**
 * Text of the finding for a version that was replaced without a proof, by an earlier version of the program or by hand.
 */
export const unproven = 'nothing proves that only a group was added';

/** A version that has a record but is not stored. */
interface MissingVersion {
  readonly version: number;
  readonly digest: string;
  /** Position of its record in the ledger. */
  readonly number: number;
}

/**
 * Checks that each version of an entry and each item of the catalogue is stored as recorded, and that the tree is built
 * from the records. The stored versions and items must be added first, then the tiles, then the records.
 */
export class LedgerCheck {
  readonly tree: TreeCheck;
  readonly removals = new RemovalCheck();
  /** Number of versions and items of the catalogue without a record. */
  readonly unrecorded = { version: 0, item: 0 };
  /** Names of the first of them, for messages. */
  readonly unrecordedNames: { readonly subject: string; readonly kind: 'version' | 'item' }[] = [];
  /**
   * Number of versions whose digest does not cover the reply link, because an earlier version of the program recorded
   * them.
   */
  withoutReplyLink = 0;
  /** Whether a record says that everything stored by an earlier version of the program is recorded. */
  isComplete = false;
  /** Time when the first record was stored, in milliseconds since the epoch; undefined: there is none. */
  firstMs: number | undefined;
  /**
   * Number of versions that were replaced without a proof that only a group was added. `replaced` names the first of
   * them.
   */
  unproven = 0;
  readonly replaced: string[] = [];
  private previous = noHash;
  /** Shortened digest of each stored version; empty once its record was found. */
  private readonly versions = new Map<number | string, string>();
  /** Newest recorded version of each entry that is not stored. A later version may have replaced it, or it is lost. */
  private readonly missing = new Map<number, MissingVersion>();
  /**
   * Digests of the versions that were replaced when an entry joined a group or was extended, by the replacing version.
   */
  private readonly formers = new Map<number | string, string>();
  private readonly items = new Map<string, string>();
  private readonly recordedItems = new Map<string, string>();
  private problems = 0;

  constructor(
    heads: readonly KnownHead[],
    private readonly onProblem: OnLedgerProblem,
    /** Receives the number of a stored checkpoint, and its problem. */
    onStored: (number: number, what: string) => void = (_, what) => onProblem('the ledger', what, 'other'),
    /** Receives the number and hash of each audit record that the ledger names, and the time when it was entered. */
    private readonly onAudit: (id: number, hash: string, atMs: number) => void = () => undefined,
  ) {
    this.tree = new TreeCheck(heads, (what, head) =>
      head?.stored === undefined ? onProblem('the ledger', what, 'other') : onStored(head.stored, what),
    );
  }

  addVersion(stored: StoredVersion): void {
    const { id, version, salts } = stored;
    if (salts === null || salts === '') {
      this.noteUnrecorded(describe(id, version), 'version');
      return;
    }
    const what = this.addDigests({ ...stored, salts });
    if (what !== undefined) this.report(describe(id, version), what);
  }

  private noteUnrecorded(subject: string, kind: 'version' | 'item'): void {
    this.unrecorded[kind] += 1;
    if (this.unrecorded[kind] <= maxNamed) this.unrecordedNames.push({ subject, kind });
  }

  /**
   * Adds the digests of a version. Returns a problem if the document is not an entry in JSON, or does not fit its
   * salts.
   */
  private addDigests({ id, version, salts, document, inReplyTo }: StoredVersion & { readonly salts: string }) {
    try {
      const entry = JSON.parse(document) as DigestibleEntry;
      // Digests as this version of the program computes them, and as an earlier one did.
      const replies = [inReplyTo, undefined];
      const digests = redigestWith(entry, salts, replies);
      if (digests.length === 0) return 'its salts do not match its stored content';
      const key = keyOf(id, version);
      this.removals.addVersion(entry, { id, version, salts });
      const formers = listFormerDigests(entry, salts, replies);
      for (const [at, forms] of formers.entries())
        this.formers.set(keyOf(id, version - formers.length + at + 1), forms.map(shorten).join(''));
      this.versions.set(key, digests.map(shorten).join(''));
      return isCoveredWholly(document, entry) ? undefined : 'its document has content that is not part of an entry';
    } catch {
      return 'its stored content or its salts cannot be read';
    }
  }

  addItem(subject: string, document: string): void {
    this.items.set(subject, digestItem(document));
  }

  /** Adds a redaction, whose document must be added as an item, too. */
  addRedaction(removal: Removal): void {
    this.removals.addRemoval(removal);
  }

  addRecord(record: StoredRecord): void {
    this.previous = hashRecord(record, this.tree.size, this.previous);
    this.firstMs ??= record.atMs;
    this.tree.addRecord(this.previous, record.sequence);
    if (isAboutEntry(record)) this.checkVersion(record);
    else if (record.kind === 'audit') {
      this.onAudit(Number(record.subject.slice(auditPrefix.length)), record.digest, record.atMs);
    } else if (record.subject === completeSubject) this.isComplete = true;
    else this.addItemRecord(record);
  }

  private addItemRecord({ subject, kind, digest }: StoredRecord): void {
    // Redactions never change. A second record would replace one that a checkpoint may cover.
    if (subject.startsWith(redactionPrefix) && this.recordedItems.has(subject)) {
      this.report(`“${subject}”`, 'it is recorded twice');
    } else this.recordedItems.set(subject, kind === 'catalog-removed' ? '' : digest);
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
      this.missing.set(entryId, { version, digest: shorten(digest), number: this.tree.size - 1 });
      return;
    }
    this.versions.set(key, '');
    if (stored === '') this.report(describe(entryId, version), 'it is recorded twice');
    else {
      const form = findForm(stored, shorten(digest));
      if (form === undefined) this.report(describe(entryId, version), 'it is not what was recorded');
      else if (form === 1) this.withoutReplyLink += 1;
    }
  }

  /**
   * Accepts that a recorded version is no longer stored, because this version replaced it when the entry joined a
   * group or was extended. If an earlier version of the program wrote at the same time, this version was recorded
   * later, and the versions between the two never were. Anyone who can write to the database can add such records. A
   * replacement without a proof is therefore counted. It is a problem if a checkpoint covers the replaced version but
   * not the replacing one.
   */
  private excuseReplaced(entryId: number, version: number, kind: 'annotated' | 'recorded'): void {
    const replaced = this.missing.get(entryId);
    if (!replaced || replaced.version >= version || version - replaced.version > maxUnrecorded) return;
    const isNext = version === replaced.version + 1;
    const isProven = isNext && findForm(this.formers.get(keyOf(entryId, version)) ?? '', replaced.digest) !== undefined;
    // This version of the program always stores a proof with such a record, so the proof is missing.
    if (!isProven && isNext && kind === 'annotated') return;
    for (let between = replaced.version + 1; between < version; between++) {
      if (this.versions.has(keyOf(entryId, between))) return;
    }
    this.missing.delete(entryId);
    if (isProven) return;
    if (this.tree.isHeadBetween(replaced.number, this.tree.size - 1)) {
      this.report(
        describe(entryId, replaced.version),
        `it was replaced after a checkpoint that covers it, by ${version}: ${unproven}`,
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
      } else if (recorded === undefined) this.noteUnrecorded(`“${subject}”`, 'item');
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

/** Ids from here on, as imported entries may have, do not fit into a number together with a version. */
const maxIdInKey = 2 ** 43;

/** Returns a number where possible, which takes much less memory than a string. Few entries reach version 1,024. */
const keyOf = (id: number, version: number): number | string =>
  version < 1_024 && id < maxIdInKey ? id * 1_024 + version : `${id}/${version}`;

function describeKey(key: number | string): string {
  if (typeof key === 'number') return describe(Math.floor(key / 1_024), key % 1_024);
  const [id, version] = key.split('/').map(Number);
  return describe(id ?? 0, version ?? 0);
}

const describe = (id: number, version: number): string => `the version ${version} of entry ${id}`;

/** Returns the index of a digest among concatenated digests; undefined: it is none of them. */
function findForm(digests: string, digest: string): number | undefined {
  for (let at = 0; at < digests.length; at += digest.length) {
    if (digests.startsWith(digest, at)) return at / digest.length;
  }
  return undefined;
}

/** Shortens a digest to 160 bits in one-byte characters, which take less than half of the memory. */
const shorten = (digest: string): string => Buffer.from(digest.slice(0, 40), 'hex').toString('latin1');
