import type { Readable } from 'node:stream';
import type { CatalogItems, CatalogKind } from '../catalog/catalog.js';
import type { Entry } from '../entries/entry.js';
import type { Template } from '../entries/template.js';

export type { CatalogItems, CatalogKind, Template };

/** The content of a file, as it arrives. */
export interface ImportedContent {
  readonly content: Readable;
  /** Media type with which the source sends it; undefined when it is read from a file. */
  readonly mediaType: string | undefined;
}

/** Why a source does not give a content: a sentence. */
export interface UnreadableContent {
  readonly reason: string;
}

/** A file of an entry, which stays at its source until it is opened. */
export interface ImportedAttachment {
  /** Kept where possible, because texts refer to it; undefined when the source has none. */
  readonly id: string | undefined;
  readonly filename: string;
  readonly fileMetadataDescription: string | undefined;
  /** Bytes, as the source says; undefined when it does not. */
  readonly size: number | undefined;
  /** SHA-256 as the source says, lower-case hex; undefined when it does not. */
  readonly checksum: string | undefined;
  /** Whether the file is on this machine: a second attempt to read it would fail like the first. */
  readonly isLocal?: boolean;
  /**
   * Opens the content from its beginning; undefined when the source does not have it.
   * @throws Fault unavailable `import.source-unavailable` when the whole source does not answer
   */
  open(signal: AbortSignal): Promise<ImportedContent | UnreadableContent | undefined>;
}

/** One version of an entry at its source, in the form in which it is stored here. */
export interface ImportedVersion extends Omit<Entry, 'id' | 'version' | 'attachments' | 'devices'> {
  readonly attachments: readonly ImportedAttachment[];
}

export interface ImportedEntry {
  /** Identifies the entry at its source. */
  readonly key: string;
  /** The id that it keeps; undefined: it gets the next one. */
  readonly id: number | undefined;
  readonly current: ImportedVersion;
  /**
   * Differs when anything of the entry has changed at the source; undefined: it is computed from the current version.
   */
  readonly digest?: string;
  /** The key of the entry that it replies to; undefined for none, or when the source does not say. */
  readonly inReplyTo: string | undefined;
  /** Parts that could not be imported unchanged, each as a sentence. */
  readonly remarks: readonly string[];
  /** Links to other entries of the source; undefined for none, or when ids are kept. */
  readonly links?: EntryLinks | undefined;
  /** Losses that readers of the entry notice; absent: none. */
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
  /** Says which older versions exist at the source that it does not show. Absent: none. */
  readonly hidden?: string;
  /** The list could not be read: a later run tries again. */
  readonly isUnreadable?: true;
}

/** Links in the text of an entry to entries that get their ids when they are stored. */
export interface EntryLinks {
  readonly keys: readonly string[];
  /** Returns the text with links to the entries whose ids are known. */
  write(idOf: (key: string) => number | undefined): Promise<Pick<ImportedVersion, 'source' | 'description'>>;
}

export interface ImportedLosses {
  /** Addresses of images that lead nowhere. */
  readonly missingImages: readonly string[];
  readonly lostWords: readonly string[];
  /** Whether the original is attached, because it has formatting that CommonMark cannot show. */
  readonly hasOriginal: boolean;
}

/** An entry that is left out on purpose. */
export interface SkippedEntry {
  readonly key: string;
  /** Why, as a sentence. */
  readonly text: string;
}

export interface ImportedBatch {
  readonly entries: readonly ImportedEntry[];
  /** Parts that could not be imported at all, each as a sentence. */
  readonly remarks: readonly string[];
  /** Absent: none. */
  readonly skipped?: readonly SkippedEntry[];
  /** With it, a later walk begins behind these entries; some of them may come again. */
  readonly position: string;
}

/** A list that the source does not show. */
export interface UnreadList {
  readonly reason: string;
  /** The source may have the list: a later run tries again. */
  readonly isProblem: boolean;
}

export type ImportedCatalog = { readonly [K in CatalogKind]: readonly CatalogItems[K][] | UnreadList };

/** Where entries come from. All methods reject with the reason of their signal when it aborts. */
export interface ImportSource {
  /** Identifies the source in later runs; contains no secrets. */
  readonly name: string;
  /** The lists were made from the entries: they add what is missing here, and replace nothing. */
  readonly hasDerivedCatalog: boolean;
  /** Whether entries may exist at the source that it does not show. Absent: it shows everything. */
  readonly isPartial?: boolean;
  readCatalog(signal: AbortSignal): Promise<ImportedCatalog>;
  listTemplates(signal: AbortSignal): Promise<readonly Template[] | UnreadList>;
  /**
   * Walks all entries, those created first first. One that is created or changed in the meantime may be missing.
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
   * Reads the source for a comparison, with code that is independent of the import. Absent: it is read by the same
   * code.
   */
  readonly rereading?: ComparedImportSource;
}

export type ComparedImportSource = Pick<
  ImportSource,
  'name' | 'hasDerivedCatalog' | 'isPartial' | 'readCatalog' | 'listTemplates' | 'walk' | 'find' | 'count'
>;
