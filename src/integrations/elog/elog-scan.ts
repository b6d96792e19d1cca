import { quoted } from '../../kernel/fault.js';
import { sortInSlices } from '../../kernel/sort-in-slices.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import type { ElogList, ListedEntry } from './elog-folder.js';
import type { ElogNames } from './elog-names.js';

/** Entries of an ELOG that a scan has found. */
export interface ElogScan {
  readonly names: ElogNames;
  /** Imported entries, each after the one to which it replies. */
  readonly entries: readonly ScannedEntry[];
  /** Every entry, by its key. */
  readonly all: ReadonlyMap<string, ListedEntry>;
  /** Keys of the imported entries. */
  readonly brought: Pick<ReadonlySet<string>, 'has'>;
  /** Names of the logbooks, by their lower-case spelling. */
  readonly folders: ReadonlyMap<string, string>;
  /** Folders of the logbooks, by their names. */
  readonly roots: ReadonlyMap<string, Buffer>;
  /** Key of the first entry of the group, by the key of each entry in a group. */
  readonly groups: ReadonlyMap<string, string>;
  /** Sentences about duplicate entries. */
  readonly doubles: readonly string[];
  readonly drafts: readonly ListedEntry[];
  /** Sentences about parts of files that are not entries. */
  readonly unread: readonly string[];
}

export interface ScannedEntry extends ListedEntry {
  /** Sort key of the walk, in milliseconds since the epoch: at least that of the entry to which this one replies. */
  readonly walkMs: number;
}

type Key = Pick<ListedEntry, 'logbook' | 'id'>;

export const keyOf = ({ logbook, id }: Key): string => `${logbook}/${id}`;

/** Returns the key of the entry to which an entry replies; undefined for none. */
const parentKeyOf = ({ logbook, parent }: ListedEntry): string | undefined =>
  parent === undefined ? undefined : keyOf({ logbook, id: parent });

/** Sorts and groups the entries that a scan has found. */
export async function orderScan(
  found: ElogList,
  names: ElogNames,
  isLeftOut: (logbook: string) => boolean,
): Promise<ElogScan> {
  const slice = new TimeSlice();
  const [all, doubles] = await withoutDoubles(await sortInSlices(found.entries, byDate, slice), isLeftOut, slice);
  const [submitted, drafts]: [ListedEntry[], ListedEntry[]] = [[], []];
  const [folders, roots] = [new Map<string, string>(), new Map<string, Buffer>()];
  for (const listed of all.values()) {
    if (slice.isOver) await slice.next();
    folders.set(listed.logbook.toLowerCase(), listed.logbook);
    roots.set(listed.logbook, listed.root);
    if (!isLeftOut(listed.logbook)) (listed.draftOf === undefined ? submitted : drafts).push(listed);
  }
  const entries = await inWalkOrder(await withParents(submitted, slice), slice);
  const unread = found.unread.filter(({ logbook }) => !isLeftOut(logbook)).map(({ sentence }) => sentence);
  return { names, entries, all, folders, roots, ...(await findGroups(entries, slice)), doubles, drafts, unread };
}

const byDate = (one: ListedEntry, other: ListedEntry) => one.date.ms - other.date.ms || one.id - other.id;

/** Returns the first entry for each key, and sentences about the other entries with the same key. */
async function withoutDoubles(
  found: readonly ListedEntry[],
  isLeftOut: (logbook: string) => boolean,
  slice: TimeSlice,
): Promise<[Map<string, ListedEntry>, string[]]> {
  const places = new Map<string, ListedEntry>();
  const doubles: string[] = [];
  for (const listed of found) {
    if (slice.isOver) await slice.next();
    const key = keyOf(listed);
    if (!places.has(key)) places.set(key, listed);
    else if (!isLeftOut(listed.logbook)) {
      doubles.push(`Entry ${key} occurs twice; the one in ${quoted(listed.file.toString(), 200)} was left out.`);
    }
  }
  return [places, doubles];
}

/** Adds the parent of an entry that does not name it, if the parent lists the entry among its replies. */
async function withParents(entries: readonly ListedEntry[], slice: TimeSlice): Promise<ListedEntry[]> {
  const named = new Map<string, number>();
  for (const { logbook, id, replies } of entries) {
    if (slice.isOver) await slice.next();
    for (const reply of replies) if (reply !== id) named.set(keyOf({ logbook, id: reply }), id);
  }
  const withParent: ListedEntry[] = [];
  for (const listed of entries) {
    if (slice.isOver) await slice.next();
    withParent.push({ ...listed, parent: listed.parent ?? named.get(keyOf(listed)) });
  }
  return withParent;
}

/**
 * Finds the first entry of each group. Replies may name entries that no longer exist.
 * @param entries in the order of the walk: a reply follows its parent, except in a cycle
 */
async function findGroups(
  entries: readonly ListedEntry[],
  slice: TimeSlice,
): Promise<Pick<ElogScan, 'brought' | 'groups'>> {
  const roots = new Map<string, string>();
  const groups = new Map<string, string>();
  for (const listed of entries) {
    if (slice.isOver) await slice.next();
    const key = keyOf(listed);
    const root = roots.get(parentKeyOf(listed) ?? '');
    roots.set(key, root ?? key);
    if (root === undefined) continue;
    groups.set(key, root);
    groups.set(root, root);
  }
  return { brought: roots, groups };
}

interface WalkOrder {
  readonly walkMs: number;
  readonly depth: number;
}

/**
 * Sorts entries so that replies follow their parents. Clock changes and typed dates may have given replies earlier
 * dates.
 */
async function inWalkOrder(entries: readonly ListedEntry[], slice: TimeSlice): Promise<ScannedEntry[]> {
  const byKey = new Map<string, ListedEntry>();
  for (const listed of entries) {
    if (slice.isOver) await slice.next();
    byKey.set(keyOf(listed), listed);
  }
  const orders = new Map<string, WalkOrder>();
  const ordered: (ScannedEntry & WalkOrder)[] = [];
  for (const listed of entries) {
    const chain = new Map<string, ListedEntry>();
    for (let next: ListedEntry | undefined = listed; next; next = byKey.get(parentKeyOf(next) ?? '')) {
      if (slice.isOver) await slice.next();
      const key = keyOf(next);
      if (orders.has(key) || chain.has(key)) break;
      chain.set(key, next);
    }
    for (const [key, one] of [...chain].reverse()) {
      if (slice.isOver) await slice.next();
      const parent = orders.get(parentKeyOf(one) ?? '');
      const walkMs = Math.max(one.date.ms, parent?.walkMs ?? Number.NEGATIVE_INFINITY);
      orders.set(key, { walkMs, depth: parent ? parent.depth + 1 : 0 });
    }
    ordered.push({ ...listed, ...(orders.get(keyOf(listed)) as WalkOrder) });
  }
  return sortInSlices(ordered, byWalk, slice);
}

const byWalk = (one: ScannedEntry & WalkOrder, other: ScannedEntry & WalkOrder) =>
  one.walkMs - other.walkMs || one.depth - other.depth || one.id - other.id;
