import type { EventMark } from './entry.js';
import type { PropertyDraft } from './entry-draft.js';
import type { StoredEntry } from './entry-json.js';

/** An entry that is about to be stored, as its author sent it, with the plain text. */
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
  /** Id of the entry that this one replies to. */
  readonly inReplyTo: number | undefined;
}

/** Lets plug-ins of a site add properties to new entries and be notified of them. */
export interface EntryExtensions {
  /**
   * Returns properties to store with the entry. None of them is already on the entry, and the entry with them stays
   * within `entryLimits`. Resolves within a few seconds and never rejects.
   */
  provideProperties(entry: NewEntry): Promise<readonly PropertyDraft[]>;
  /** Notifies plug-ins of a new entry, which is on stable storage. Returns immediately and never throws. */
  announce(entry: StoredEntry): void;
}
