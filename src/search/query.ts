/** A folded word, name or value in which `*` stands for any run of characters and `?` for one. */
export interface Pattern {
  readonly text: string;
  readonly hasWildcards: boolean;
}

/** One thing that must occur in the searched text. Words are folded (see words.ts). */
export type TextMatch =
  | { readonly kind: 'phrase'; readonly words: readonly string[] }
  | { readonly kind: 'wildcard'; readonly pattern: string }
  | { readonly kind: 'fuzzy'; readonly word: string; readonly maxDistance: 1 | 2 };

/** A part that is undefined matches anything. */
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

/** A parsed search. Every list of matches is and-ed, every list of patterns or-ed; an empty one constrains nothing. */
export interface Query {
  readonly title: readonly TextMatch[];
  readonly description: readonly TextMatch[];
  readonly anywhere: readonly TextMatch[];
  readonly owners: readonly Pattern[];
  readonly levels: readonly Pattern[];
  readonly logbooks: readonly Pattern[];
  readonly tags: readonly Pattern[];
  readonly properties: readonly PropertyPattern[];
  readonly attachments: readonly AttachmentFilter[];
  readonly window?: TimeWindow;
  readonly sort: 'newest' | 'oldest';
  /** How many matches to skip. */
  readonly from: number;
  /** How many to return at most. */
  readonly size: number;
}
