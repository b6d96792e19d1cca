import type { TextMatch } from '../../packages/search-language/search-text.js';
import type { RunStatus } from '../entries/entry.js';

/** A folded word, name or value, in which `*` matches any characters and `?` exactly one. */
export interface Pattern {
  readonly text: string;
  readonly hasWildcards: boolean;
}

/** An undefined part matches anything. */
export interface PropertyPattern {
  readonly name?: Pattern;
  readonly attribute?: Pattern;
  readonly value?: Pattern;
}

export type MediaKind = 'image' | 'video' | 'audio' | 'text' | 'pdf';

export type AttachmentFilter =
  | { readonly kind: 'any' }
  | { readonly kind: 'media'; readonly media: MediaKind }
  | { readonly kind: 'filename'; readonly pattern: Pattern };

/** Bounds are inclusive, in milliseconds since the epoch. */
export interface TimeWindow {
  readonly startMs?: number;
  readonly endMs?: number;
  readonly includeEvents: boolean;
}

/**
 * A condition of an entry: it has an attachment, is a reply, was edited, is automatic, or is a run with this status.
 */
export type Flag = 'attachment' | 'reply' | 'edited' | 'automatic' | RunStatus;

export interface FlagFilter {
  readonly flag: Flag;
  readonly wanted: boolean;
}

/** Lists of patterns. At least one pattern of a list must match; an empty list matches all entries. */
export interface QueryLists {
  readonly owners: readonly Pattern[];
  readonly levels: readonly Pattern[];
  readonly logbooks: readonly Pattern[];
  readonly tags: readonly Pattern[];
  readonly devices: readonly Pattern[];
  readonly properties: readonly PropertyPattern[];
  readonly attachments: readonly AttachmentFilter[];
}

/** Lists whose values an index counts. */
export type Facet = Exclude<keyof QueryLists, 'attachments'>;

/** One of the lists, with its key. */
export type PatternList = {
  [K in keyof QueryLists]: { readonly key: K; readonly patterns: QueryLists[K] };
}[keyof QueryLists];

/**
 * A constraint in addition to the lists of the query. At least one of its patterns must match, or none when it is
 * excluded. A pattern of the title is a list of matches, all of which must occur.
 */
export type ValueFilter = { readonly excluded: boolean } & (
  | PatternList
  | { readonly key: 'title'; readonly patterns: readonly (readonly TextMatch[])[] }
);

/** Lists of matches. All matches of a list must occur; an empty list matches all entries. */
export interface QueryTexts {
  readonly title: readonly TextMatch[];
  readonly description: readonly TextMatch[];
  readonly anywhere: readonly TextMatch[];
  /** Matches in the text of attachments. */
  readonly attachmentText: readonly TextMatch[];
  /** Matches that must not occur anywhere in the entry. */
  readonly excluded: readonly TextMatch[];
}

/** Fields of a query that select entries. */
export type SelectingKey = keyof QueryTexts | keyof QueryLists | 'flags' | 'window';

/** A parsed search. */
export interface Query extends QueryTexts, QueryLists {
  readonly flags: readonly FlagFilter[];
  readonly filters: readonly ValueFilter[];
  readonly window?: TimeWindow;
  /**
   * Folded names of the logbooks that the user must not read. Their entries are never found. No parameter sets them.
   */
  readonly hiddenLogbooks: readonly string[];
  /** Id of an entry. Entries created after it are neither found nor counted. */
  readonly asOf?: number;
  /** IANA zone for times without a zone, and for the boundaries of days and months. */
  readonly zone: string;
  /** Whether only the newest matching entry of each group counts. */
  readonly perGroup: boolean;
  /** Order of the matches: by creation, or by relevance to `anywhere`. */
  readonly sort: 'newest' | 'oldest' | 'relevance';
  /** Number of matches to skip. */
  readonly from: number;
  /** Maximum number of matches to return. */
  readonly size: number;
}
