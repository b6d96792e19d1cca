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

/** More stretches than these are looked for among those that there are. */
const manyBuckets = 2_000;

/**
 * A window, both ends included, as stretches and what is left.
 * @param known the stretches that there are, asked for when the window is very long
 */
export function splitWindow(startMs: number, endMs: number, known: () => readonly string[]): WindowParts {
  const first = bucketAt(startMs - 1, shortBits) + 1;
  const end = bucketAt(endMs + 1, shortBits);
  if (first >= end) return { buckets: [], edges: [[startMs, endMs]] };
  const short = 2 ** shortBits;
  const edges: [number, number][] = [
    [startMs, first * short - 1],
    [end * short, endMs],
  ];
  const inside = edges.filter(([from, to]) => from <= to);
  const shortPerLong = 2 ** (longBits - shortBits);
  if ((end - first) / shortPerLong > manyBuckets) {
    return { buckets: known().filter((name) => isInside(name, first * short, end * short)), edges: inside };
  }
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
  return { buckets, edges: inside };
}

function isInside(name: string, startMs: number, endMs: number): boolean {
  const [bits = 0, bucket = 0] = name.split(':').map(Number);
  return bucket * 2 ** bits >= startMs && (bucket + 1) * 2 ** bits <= endMs;
}
