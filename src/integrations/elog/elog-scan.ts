import { quoted } from '../../kernel/fault.js';
import { sortInSlices } from '../../kernel/sort-in-slices.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import type { ElogPlace } from './elog-folder.js';
import type { ElogNames } from './elog-names.js';

/** The entries of an ELOG as a scan has found them. */
export interface ElogScan {
  readonly names: ElogNames;
  /** Entries that the import brings, each after the one that it answers. */
  readonly places: readonly ScannedPlace[];
  /** Every entry, by its key. */
  readonly all: ReadonlyMap<string, ElogPlace>;
  /** Keys of the entries that the import brings. */
  readonly brought: Pick<ReadonlySet<string>, 'has'>;
  /** Folders of the logbooks, by their names in lower case. */
  readonly folders: ReadonlyMap<string, string>;
  /** Entry that began the thread of each entry that is in one, by their keys. */
  readonly threads: ReadonlyMap<string, string>;
  /** Copies of entries, each a sentence. */
  readonly doubles: readonly string[];
  readonly drafts: readonly ElogPlace[];
}

export interface ScannedPlace extends ElogPlace {
  /** Orders the walk, in milliseconds since the epoch: an answer is not before what it answers. */
  readonly walkMs: number;
}

type Key = Pick<ElogPlace, 'logbook' | 'id'>;

export const keyOf = ({ logbook, id }: Key): string => `${logbook}/${id}`;

/** Returns the key of the entry that an entry answers; undefined for none. */
const parentKeyOf = ({ logbook, parent }: ElogPlace): string | undefined =>
  parent === undefined ? undefined : keyOf({ logbook, id: parent });

/** Puts what a scan has found in order. */
export async function orderScan(
  found: readonly ElogPlace[],
  names: ElogNames,
  isLeftOut: (logbook: string) => boolean,
): Promise<ElogScan> {
  const slice = new TimeSlice();
  const [all, doubles] = await withoutDoubles(await sortInSlices(found, byDate, slice), isLeftOut, slice);
  const [submitted, drafts]: [ElogPlace[], ElogPlace[]] = [[], []];
  const folders = new Map<string, string>();
  for (const place of all.values()) {
    if (slice.isOver) await slice.next();
    folders.set(place.logbook.toLowerCase(), place.logbook);
    if (!isLeftOut(place.logbook)) (place.draftOf === undefined ? submitted : drafts).push(place);
  }
  const places = await inWalkOrder(await withParents(submitted, slice), slice);
  return { names, places, all, folders, ...(await findThreads(places, slice)), doubles, drafts };
}

const byDate = (one: ElogPlace, other: ElogPlace) => one.date.ms - other.date.ms || one.id - other.id;

/** Returns the first entry with each key, and a sentence about each of the others. */
async function withoutDoubles(
  found: readonly ElogPlace[],
  isLeftOut: (logbook: string) => boolean,
  slice: TimeSlice,
): Promise<[Map<string, ElogPlace>, string[]]> {
  const places = new Map<string, ElogPlace>();
  const doubles: string[] = [];
  for (const place of found) {
    if (slice.isOver) await slice.next();
    const key = keyOf(place);
    if (!places.has(key)) places.set(key, place);
    else if (!isLeftOut(place.logbook)) {
      doubles.push(`Entry ${key} is there twice; the one in ${quoted(place.file, 200)} was left out.`);
    }
  }
  return [places, doubles];
}

/** An entry that does not say what it answers may be named by that as its answer. */
async function withParents(places: readonly ElogPlace[], slice: TimeSlice): Promise<ElogPlace[]> {
  const named = new Map<string, number>();
  for (const { logbook, id, replies } of places) {
    if (slice.isOver) await slice.next();
    for (const reply of replies) if (reply !== id) named.set(keyOf({ logbook, id: reply }), id);
  }
  const withParent: ElogPlace[] = [];
  for (const place of places) {
    if (slice.isOver) await slice.next();
    withParent.push({ ...place, parent: place.parent ?? named.get(keyOf(place)) });
  }
  return withParent;
}

/**
 * Finds the entry that began each thread; answers may name entries that are gone.
 * @param places in the order of the walk: what an entry answers comes before it, except in a circle
 */
async function findThreads(
  places: readonly ElogPlace[],
  slice: TimeSlice,
): Promise<Pick<ElogScan, 'brought' | 'threads'>> {
  const roots = new Map<string, string>();
  const threads = new Map<string, string>();
  for (const place of places) {
    if (slice.isOver) await slice.next();
    const key = keyOf(place);
    const root = roots.get(parentKeyOf(place) ?? '');
    roots.set(key, root ?? key);
    if (root === undefined) continue;
    threads.set(key, root);
    threads.set(root, root);
  }
  return { brought: roots, threads };
}

interface WalkOrder {
  readonly walkMs: number;
  readonly depth: number;
}

/** Clocks are set, and entries get dates of other days: an answer may have an earlier one than what it answers. */
async function inWalkOrder(places: readonly ElogPlace[], slice: TimeSlice): Promise<ScannedPlace[]> {
  const byKey = new Map<string, ElogPlace>();
  for (const place of places) {
    if (slice.isOver) await slice.next();
    byKey.set(keyOf(place), place);
  }
  const orders = new Map<string, WalkOrder>();
  const ordered: (ScannedPlace & WalkOrder)[] = [];
  for (const place of places) {
    const chain = new Map<string, ElogPlace>();
    for (let next: ElogPlace | undefined = place; next; next = byKey.get(parentKeyOf(next) ?? '')) {
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
    ordered.push({ ...place, ...(orders.get(keyOf(place)) as WalkOrder) });
  }
  return sortInSlices(ordered, byWalk, slice);
}

const byWalk = (one: ScannedPlace & WalkOrder, other: ScannedPlace & WalkOrder) =>
  one.walkMs - other.walkMs || one.depth - other.depth || one.id - other.id;
