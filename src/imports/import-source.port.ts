import type { Readable } from 'node:stream';
import type { CatalogItems, CatalogKind } from '../catalog/catalog.js';
import type { Entry } from '../entries/entry.js';
import type { Template } from '../entries/template.js';

export type { CatalogItems, CatalogKind, Template };

/** The content of a file, as a stream. */
export interface ImportedContent {
  readonly content: Readable;
  /** Media type that the source states; undefined when the content is read from a file. */
  readonly mediaType: string | undefined;
}

/** Reason why a source does not provide a content, as a sentence. */
export interface UnreadableContent {
  readonly reason: string;
}

/** A file of an entry, which stays at its source until it is opened. */
export interface ImportedAttachment {
  /** Id, which is kept if possible, because texts refer to it; undefined when the source has none. */
  readonly id: string | undefined;
  readonly filename: string;
  readonly fileMetadataDescription: string | undefined;
  /** Size in bytes that the source states; undefined when it states none. */
  readonly size: number | undefined;
  /** SHA-256 that the source states, lower-case hex; undefined when it states none. */
  readonly checksum: string | undefined;
  /** Whether the file is on this machine, where a second attempt to read it would fail like the first. */
  readonly isLocal?: boolean;
  /**
   * Opens the content from its beginning; undefined when the source does not have it.
   * @throws Fault unavailable `import.source-unavailable` when the whole source does not answer
   */
  open(signal: AbortSignal): Promise<ImportedContent | UnreadableContent | undefined>;
}

/** One version of an entry at its source, in the form that this program stores. */
export interface ImportedVersion extends Omit<Entry, 'id' | 'version' | 'attachments' | 'devices'> {
  readonly attachments: readonly ImportedAttachment[];
}

export interface ImportedEntry {
  /** Identifies the entry at its source. */
  readonly key: string;
  /** Id that the entry keeps; undefined: it gets the next one. */
  readonly id: number | undefined;
  readonly current: ImportedVersion;
  /** Digest that changes with any change of the entry at the source; undefined: computed from the current version. */
  readonly digest?: string;
  /** Key of the entry that it replies to; undefined: none, or unknown to the source. */
  readonly inReplyTo: string | undefined;
  /** Parts that could not be imported unchanged, each as a sentence. */
  readonly remarks: readonly string[];
  /** Links to other entries of the source; undefined for none, or when ids are kept. */
  readonly links?: EntryLinks | undefined;
  /** Losses that readers of the entry can notice; absent: none. */
  readonly losses?: ImportedLosses;
  /** Parts that cannot be stored, each as a sentence. Absent: none. */
  readonly lost?: readonly string[];
  /** Lists the versions before edits, oldest first. */
  listArchived(signal: AbortSignal): Promise<ArchivedVersions>;
}

export interface ArchivedVersions {
  readonly versions: readonly ImportedVersion[];
  /** Losses, each as a sentence. */
  readonly remarks: readonly string[];
  /** Sentence about older versions that the source has but does not show. Absent: none. */
  readonly hidden?: string;
  /** Whether the list could not be read, so that a later run tries again. */
  readonly isUnreadable?: true;
}

/** Links in the text of an entry to entries that get their ids when they are stored. */
export interface EntryLinks {
  readonly keys: readonly string[];
  /** Returns the text with links to the entries whose ids are known. */
  write(idOf: (key: string) => number | undefined): Promise<Pick<ImportedVersion, 'source' | 'description'>>;
}

export interface ImportedLosses {
  /** Addresses of missing images. */
  readonly missingImages: readonly string[];
  readonly lostWords: readonly string[];
  /** Whether the original is attached, because it has formatting that CommonMark cannot show. */
  readonly hasOriginal: boolean;
}

/** An entry that is omitted on purpose. */
export interface SkippedEntry {
  readonly key: string;
  /** Reason, as a sentence. */
  readonly text: string;
}

export interface ImportedBatch {
  readonly entries: readonly ImportedEntry[];
  /** Parts that could not be imported at all, each as a sentence. */
  readonly remarks: readonly string[];
  /** Absent: none. */
  readonly skipped?: readonly SkippedEntry[];
  /** Position at which a later walk continues after these entries. The walk may yield some of them again. */
  readonly position: string;
}

/** A list that the source does not show. */
export interface UnreadList {
  readonly reason: string;
  /** Whether the source may have the list, so that a later run tries again. */
  readonly isProblem: boolean;
}

/** An item of the catalogue that cannot be looked up. */
export interface UnreadItem extends UnreadableContent {
  /** Whether a later run may be able to look it up. */
  readonly isProblem: boolean;
}

export type ImportedCatalog = { readonly [K in CatalogKind]: readonly CatalogItems[K][] | UnreadList };

/** A source of entries. All methods reject with the reason of their signal when it aborts. */
export interface ImportSource {
  /** Identifies the source in later runs; contains no secrets. */
  readonly name: string;
  /** Whether the lists are derived from the entries, so that they only add missing items and replace nothing. */
  readonly hasDerivedCatalog: boolean;
  /** Whether the source may have entries that it does not show. Absent: it shows all entries. */
  readonly isPartial?: boolean;
  readCatalog(signal: AbortSignal): Promise<ImportedCatalog>;
  /**
   * Returns an item of the catalogue with its state, even if its list does not show it; undefined when there is none.
   * Absent: the lists are complete.
   * @param isExpected whether the item should exist; default: true. False: one attempt to find it is enough, because
   *   its absence changes nothing
   */
  findItem?<K extends CatalogKind>(
    kind: K,
    name: string,
    signal: AbortSignal,
    isExpected?: boolean,
  ): Promise<CatalogItems[K] | UnreadItem | undefined>;
  /** Whether the source may have cut a list with this number of items. Absent: it cuts no lists. */
  mayCutList?(count: number, signal: AbortSignal): Promise<boolean>;
  /** Returns a sentence that says how to make the source show a whole list. */
  adviseOnCutList?(kind: CatalogKind): string;
  listTemplates(signal: AbortSignal): Promise<readonly Template[] | UnreadList>;
  /**
   * Walks all entries in the order of their creation. An entry that is created or changed in the meantime may be
   * missing.
   * @param position of an earlier walk; undefined: from the beginning
   * @throws Fault unavailable `import.source-unavailable`; invalid `import.source-invalid`
   */
  walk(position: string | undefined, signal: AbortSignal): AsyncIterable<ImportedBatch>;
  /** Returns an entry that a walk did not show; undefined when there is none. Absent: a walk shows every entry. */
  find?(id: number, signal: AbortSignal): Promise<ImportedEntry | UnreadableContent | undefined>;
  /** Returns the number of entries as the source states it; undefined when it states none. */
  count(signal: AbortSignal): Promise<number | undefined>;
  close(): Promise<void>;
  /**
   * Reader of the source for comparisons, with its own rules for the responses. Absent: this source is read again.
   */
  readonly rereading?: ComparedImportSource;
}

export type ComparedImportSource = Pick<
  ImportSource,
  'name' | 'hasDerivedCatalog' | 'isPartial' | 'readCatalog' | 'findItem' | 'listTemplates' | 'walk' | 'find' | 'count'
>;
