/**
 * Events by stretches of time, so that a window of years is a few lists and not a walk over every event. A stretch is
 * 2^28 ms (three days) or 2^34 ms (200 days) long and begins at a multiple of its length.
 */
const shortBits = 28;
const longBits = 34;

const bucketAt = (ms: number, bits: number) => Math.floor(ms / 2 ** bits);
const nameOf = (bits: number, bucket: number) => `${bits}:${bucket}`;

/** The names of the stretches that an instant lies in. */
export function bucketsOf(instantMs: number): string[] {
  return [shortBits, longBits].map((bits) => nameOf(bits, bucketAt(instantMs, bits)));
}

export interface WindowParts {
  /** Stretches that lie inside as a whole. */
  readonly buckets: readonly string[];
  /** What is left at the edges, in ms, both ends included. */
  readonly edges: readonly (readonly [startMs: number, endMs: number])[];
}

/** A window, both ends included, as stretches and what is left. */
export function splitWindow(startMs: number, endMs: number): WindowParts {
  const first = bucketAt(startMs - 1, shortBits) + 1;
  const end = bucketAt(endMs + 1, shortBits);
  if (first >= end) return { buckets: [], edges: [[startMs, endMs]] };
  const shortPerLong = 2 ** (longBits - shortBits);
  const buckets: string[] = [];
  for (let at = first; at < end; ) {
    if (at % shortPerLong === 0 && at + shortPerLong <= end) {
      buckets.push(nameOf(longBits, at / shortPerLong));
      at += shortPerLong;
    } else {
      buckets.push(nameOf(shortBits, at));
      at += 1;
    }
  }
  const short = 2 ** shortBits;
  const edges: [number, number][] = [
    [startMs, first * short - 1],
    [end * short, endMs],
  ];
  return { buckets, edges: edges.filter(([from, to]) => from <= to) };
}
