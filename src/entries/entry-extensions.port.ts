import type { EventMark } from './entry.js';
import type { PropertyDraft } from './entry-draft.js';
import type { StoredEntry } from './entry-json.js';

/** An entry that is about to be stored: what its author sent, and its text as read. */
export interface NewEntry {
  readonly owner: string;
  readonly title: string;
  readonly source: string;
  readonly description: string;
  /** Undefined: the default level. */
  readonly level: string | undefined;
  readonly logbooks: readonly { readonly name: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly properties: readonly PropertyDraft[];
  readonly events: readonly EventMark[];
  /** Id of the entry that it answers. */
  readonly inReplyTo: number | undefined;
}

/** What a site adds to the life of new entries. */
export interface EntryExtensions {
  /**
   * Properties to store with the entry, none of which it has, in number and size such that the entry with them is
   * still a possible one. Resolves within a few seconds and never rejects.
   */
  provideProperties(entry: NewEntry): Promise<readonly PropertyDraft[]>;
  /** A new entry is on stable storage. Returns at once and never throws. */
  announce(entry: StoredEntry): void;
}
