import type { RecordedChange } from '../../entries/change-feed.port.js';
import { type Entry, groupIdOf, type LogbookReference } from '../../entries/entry.js';
import { decodeEntry } from '../../entries/entry-json.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { mentionsOf } from './mentions.js';

/** A change that may concern users, with the values that watches compare. */
export interface Candidate {
  readonly sequence: number;
  readonly kind: 'created' | 'edited';
  readonly entryId: number;
  readonly atMs: number;
  /** The user who made the change. */
  readonly author: string;
  /** The logbooks of the entry as it stands now, and of the version that the change made. */
  readonly logbooks: readonly LogbookReference[];
  /** User names that the change added as mentions, case folded. */
  readonly mentioned: ReadonlySet<string>;
  /** The group of the entry as it stands now. */
  readonly groupId: string | undefined;
  /** The owner of the entry that a new entry replies to. */
  readonly parentOwner: string | undefined;
}

/**
 * Returns the candidate of a change; undefined when it concerns no user: its author asked not to notify, it is an
 * annotation, or there is no such entry.
 * @throws Fault broken `storage.damaged`
 */
export async function readCandidate(entries: EntryReader, change: RecordedChange): Promise<Candidate | undefined> {
  const { sequence, kind, entryId, atMs, revision } = change;
  if (!change.notify || kind === 'annotated') return undefined;
  const stored = await entries.find(entryId);
  if (!stored) return undefined;
  const changed = stored.revision === revision ? stored.entry : await readRevision(entries, entryId, revision);
  if (!changed) return undefined;
  // If the entry has left a closed logbook since, the change must stay hidden from users who may not read that logbook.
  const logbooks = changed === stored.entry ? changed.logbooks : [...stored.entry.logbooks, ...changed.logbooks];
  const before = kind === 'edited' ? await readRevision(entries, entryId, revision - 1) : undefined;
  const mentionedBefore = before && mentionsOf(before);
  const parentId = kind === 'created' ? await entries.findParent(entryId) : undefined;
  return {
    ...{ sequence, kind, entryId, atMs, logbooks },
    author: kind === 'created' ? changed.owner : (changed.modifiedBy ?? changed.owner),
    mentioned: new Set([...mentionsOf(changed)].filter((name) => !mentionedBefore?.has(name))),
    groupId: groupIdOf(stored.entry),
    parentOwner: parentId === undefined ? undefined : (await entries.find(parentId))?.entry.owner,
  };
}

async function readRevision(entries: EntryReader, id: number, revision: number): Promise<Entry | undefined> {
  const json = await entries.findJson(id, revision);
  return json && decodeEntry(Buffer.from(json));
}
