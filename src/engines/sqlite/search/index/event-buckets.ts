/**
 * Length of short time buckets, as a power of two in ms. Events are grouped into buckets, so that a window of years
 * takes a few posting lists instead of a scan of all events. A bucket is 2^28 ms (three days) or 2^34 ms (200 days)
 * long and starts at a multiple of its length.
 */
const shortBits = 28;
const longBits = 34;

const bucketAt = (ms: number, bits: number) => Math.floor(ms / 2 ** bits);
const nameOf = (bits: number, bucket: number) => `${bits}:${bucket}`;

export function bucketsOf(instantMs: number): string[] {
  return [shortBits, longBits].map((bits) => nameOf(bits, bucketAt(instantMs, bits)));
}

export interface WindowParts {
  /** Buckets that lie completely inside the window. */
  readonly buckets: readonly string[];
  /** Remaining intervals at the edges, in ms, both ends included. */
  readonly edges: readonly (readonly [startMs: number, endMs: number])[];
}

/** Maximum number of long buckets in a window; for larger windows, the existing buckets are checked instead. */
const manyBuckets = 2_000;

/**
 * Splits a window, both ends included, into buckets and edges.
 * @param known lists the existing buckets; called only for a very long window
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
  const nonEmptyEdges = edges.filter(([from, to]) => from <= to);
  const shortPerLong = 2 ** (longBits - shortBits);
  if ((end - first) / shortPerLong > manyBuckets) {
    return { buckets: known().filter((name) => isInside(name, first * short, end * short)), edges: nonEmptyEdges };
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
  return { buckets, edges: nonEmptyEdges };
}

function isInside(name: string, startMs: number, endMs: number): boolean {
  const [bits = 0, bucket = 0] = name.split(':').map(Number);
  return bucket * 2 ** bits >= startMs && (bucket + 1) * 2 ** bits <= endMs;
}
