import type { TimeSlice } from './time-slice.js';

/** Number of items sorted in one step. */
const runLength = 512;

/** Sorts like `toSorted`, but in slices; equal items keep their order. */
export async function sortInSlices<T>(
  items: readonly T[],
  compare: (one: T, other: T) => number,
  slice: TimeSlice,
): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += runLength) {
    if (slice.isOver) await slice.next();
    runs.push(items.slice(at, at + runLength).sort(compare));
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2) {
      merged.push(await merge(runs[at] as T[], runs[at + 1] ?? [], compare, slice));
    }
    runs = merged;
  }
  return runs[0] ?? [];
}

async function merge<T>(
  first: readonly T[],
  second: readonly T[],
  compare: (one: T, other: T) => number,
  slice: TimeSlice,
): Promise<T[]> {
  const merged: T[] = [];
  let [one, other] = [0, 0];
  while (one < first.length || other < second.length) {
    if (merged.length % runLength === 0 && slice.isOver) await slice.next();
    const isSecond = one >= first.length || (other < second.length && compare(first[one] as T, second[other] as T) > 0);
    merged.push((isSecond ? second[other++] : first[one++]) as T);
  }
  return merged;
}
