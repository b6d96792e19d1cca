import { quoted } from '../../kernel/fault.js';
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

export const keyOf = ({ logbook, id }: Pick<ElogPlace, 'logbook' | 'id'>): string => `${logbook}/${id}`;

/** Puts what a scan has found in order. */
export async function orderScan(
  found: readonly ElogPlace[],
  names: ElogNames,
  isLeftOut: (logbook: string) => boolean,
): Promise<ElogScan> {
  const slice = new TimeSlice();
  const [all, doubles] = withoutDoubles(found.toSorted(byDate), isLeftOut);
  await slice.next();
  const submitted = [...all.values()].filter(({ logbook, draftOf }) => !isLeftOut(logbook) && draftOf === undefined);
  const drafts = [...all.values()].filter(({ logbook, draftOf }) => !isLeftOut(logbook) && draftOf !== undefined);
  await slice.next();
  const places = await inWalkOrder(withParents(submitted), slice);
  return { names, places, all, threads: await findThreads(places, slice), doubles, drafts };
}

const byDate = (one: ElogPlace, other: ElogPlace) => one.date.ms - other.date.ms || one.id - other.id;

/** Returns the first entry with each key, and a sentence about each of the others. */
function withoutDoubles(
  found: readonly ElogPlace[],
  isLeftOut: (logbook: string) => boolean,
): [Map<string, ElogPlace>, string[]] {
  const places = new Map<string, ElogPlace>();
  const doubles: string[] = [];
  for (const place of found) {
    const key = keyOf(place);
    if (!places.has(key)) places.set(key, place);
    else if (!isLeftOut(place.logbook)) {
      doubles.push(`Entry ${key} is there twice; the one in ${quoted(place.file, 200)} was left out.`);
    }
  }
  return [places, doubles];
}

/** An entry that does not say what it answers may be named by that as its answer. */
function withParents(places: readonly ElogPlace[]): ElogPlace[] {
  const named = new Map<string, number>();
  for (const { logbook, id, replies } of places) {
    for (const reply of replies) if (reply !== id) named.set(keyOf({ logbook, id: reply }), id);
  }
  return places.map((place) => ({ ...place, parent: place.parent ?? named.get(keyOf(place)) }));
}

/** The entry that began a thread; answers may name entries that are gone. */
async function findThreads(places: readonly ElogPlace[], slice: TimeSlice): Promise<Map<string, string>> {
  const parents = new Map(places.map((place) => [keyOf(place), place.parent]));
  const threads = new Map<string, string>();
  for (const place of places) {
    if (slice.isOver) await slice.next();
    const seen = new Set<string>();
    let root = keyOf(place);
    for (let next = place.parent; next !== undefined && !seen.has(root); ) {
      const key = keyOf({ ...place, id: next });
      seen.add(root);
      if (!parents.has(key)) break;
      root = key;
      next = parents.get(key);
    }
    if (root === keyOf(place)) continue;
    threads.set(keyOf(place), root);
    threads.set(root, root);
  }
  return threads;
}

/** Clocks are set, and entries get dates of other days: an answer may have an earlier one than what it answers. */
async function inWalkOrder(places: readonly ElogPlace[], slice: TimeSlice): Promise<ScannedPlace[]> {
  const byKey = new Map(places.map((place) => [keyOf(place), place]));
  const orders = new Map<string, { readonly walkMs: number; readonly depth: number }>();
  for (const place of places) {
    if (slice.isOver) await slice.next();
    const chain: ElogPlace[] = [];
    const seen = new Set<string>();
    for (let next: ElogPlace | undefined = place; next && !orders.has(keyOf(next)) && !seen.has(keyOf(next)); ) {
      seen.add(keyOf(next));
      chain.push(next);
      next = next.parent === undefined ? undefined : byKey.get(keyOf({ ...next, id: next.parent }));
    }
    for (const one of chain.reverse()) {
      const parent = one.parent === undefined ? undefined : orders.get(keyOf({ ...one, id: one.parent }));
      orders.set(keyOf(one), {
        walkMs: Math.max(one.date.ms, parent?.walkMs ?? Number.NEGATIVE_INFINITY),
        depth: parent ? parent.depth + 1 : 0,
      });
    }
  }
  const orderOf = (place: ElogPlace) => orders.get(keyOf(place)) ?? { walkMs: place.date.ms, depth: 0 };
  return places
    .map((place) => ({ ...place, ...orderOf(place) }))
    .sort((one, other) => one.walkMs - other.walkMs || one.depth - other.depth || one.id - other.id);
}
