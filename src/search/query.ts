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

export interface FlagFilter {
  /** Has a file; was created in answer to another entry; was changed after its creation. */
  readonly trait: 'attachment' | 'reply' | 'edited';
  readonly wanted: boolean;
}

/** A parsed search. Every list of matches is and-ed, every list of patterns or-ed; an empty one constrains nothing. */
export interface Query {
  readonly title: readonly TextMatch[];
  readonly description: readonly TextMatch[];
  readonly anywhere: readonly TextMatch[];
  /** In the text of the attachments. */
  readonly attachmentText: readonly TextMatch[];
  /** None of these occurs anywhere. */
  readonly excluded: readonly TextMatch[];
  readonly traits: readonly FlagFilter[];
  readonly owners: readonly Pattern[];
  readonly levels: readonly Pattern[];
  readonly logbooks: readonly Pattern[];
  readonly tags: readonly Pattern[];
  readonly properties: readonly PropertyPattern[];
  readonly attachments: readonly AttachmentFilter[];
  readonly window?: TimeWindow;
  /** What is filed under one of these is not there for who asks; as they are compared. No part of what was asked. */
  readonly hiddenLogbooks: readonly string[];
  /** IANA zone in which times were read, and in which days and months begin. */
  readonly zone: string;
  /** By creation, or by how well `anywhere` is met. */
  readonly sort: 'newest' | 'oldest' | 'relevance';
  /** How many matches to skip. */
  readonly from: number;
  /** How many to return at most. */
  readonly size: number;
}
