import type { components } from './schema.ts';

type Schemas = components['schemas'];

export type Entry = Schemas['Entry'] & {
  /** Display name of the owner, where the directory knows one. */
  readonly ownerName?: string | null;
  /** Number of the version, from 1. */
  readonly version?: number;
  readonly thread?: Thread | null;
};
export type Attachment = Schemas['Attachment'] & { readonly width?: number; readonly height?: number };

/** The thread of an entry, and the position in it. */
export interface Thread {
  readonly id: string;
  readonly size: number;
  readonly position: number;
  readonly lastDate: number;
  readonly lastOwner: string;
}

/** Start and end of a match, in UTF-16 units. The unit at the end is not part of the match. */
export type Span = readonly [number, number];

/** An entry of a list: with an excerpt instead of its text. */
export interface Hit extends Omit<Entry, 'source' | 'description'> {
  readonly snippet?: string;
  readonly highlights?: { readonly title?: readonly Span[]; readonly snippet?: readonly Span[] };
}

export interface SearchPage {
  readonly hitCount: number;
  readonly logs: readonly Hit[];
  /**
   * Id of the newest entry at the time of the search. Requests for later pages send it, so that they show the same
   * state.
   */
  readonly asOf?: number;
  /** Entries of similar meaning, if a text was given. */
  readonly byMeaning?: readonly SimilarEntry[];
}

export interface SimilarEntry {
  readonly entry: Hit;
  /** Devices and words that it has in common with the other entry. */
  readonly like: readonly string[];
}

export interface ValueCounts {
  readonly distinct: number;
  readonly values: readonly { readonly name: string; readonly count: number }[];
}

export interface TimeBucket {
  readonly start: number;
  readonly count: number;
  /** Number of entries of the bucket, by level. */
  readonly levels?: Readonly<Record<string, number>>;
}

export interface Facets {
  readonly hitCount: number;
  readonly logbooks: ValueCounts;
  readonly tags: ValueCounts;
  readonly levels: ValueCounts;
  readonly owners: ValueCounts;
  readonly devices: ValueCounts;
  readonly properties: ValueCounts;
  readonly time: {
    readonly interval: string;
    readonly zone: string;
    readonly from?: number;
    readonly to?: number;
    readonly buckets: readonly TimeBucket[];
  };
}

export interface Suggestion {
  readonly value: string;
  readonly count: number;
}

/** The reader, and what the reader may do. */
export type Me = Schemas['Me'];
/** Facts about the service that the pages need before anything else. */
export type Bootstrap = Schemas['Bootstrap'];

export type SavedSearch = Schemas['SavedSearch'];

/** A rule by which changes reach the inbox of the user. */
export type Watch = Schemas['Watch'];
export type WatchInput = Schemas['WatchInput'];
export type InboxItem = Schemas['InboxItem'];
export type InboxDelivery = Schemas['InboxDelivery'];
export type PushBrowser = Schemas['PushBrowser'];

export interface InboxPage {
  /** Number of unread items in the whole inbox. */
  readonly unread: number;
  /** Number of the user's watches. */
  readonly watches: number;
  readonly items: readonly InboxItem[];
  /** Position from which the next page continues; null: this is the last page. */
  readonly next: number | null;
}
