import { cosine, signatureBytes, signatureOf } from '../../../../../packages/token-vectors/token-vectors.js';
import type { Connection } from '../../database/connection.js';
import { chunkSize } from '../index/containers.js';
import { blockIds } from '../index/entry-vectors.js';
import { contains, type EntrySet } from './entry-set.js';

/** Number of blocks of a chunk, which are read at a time: 1 MB. */
const chunkBlocks = chunkSize / blockIds;
/** Number of 32-bit words of a signature. */
const words = signatureBytes / 4;
/** Maximum number of different bits; unrelated vectors differ in about 64. */
const maxDifferent = 60;

/**
 * Returns the entries whose signatures differ least from that of a vector. All signatures are compared: searching only
 * the nearest 16 of 256 k-means clusters would find only 40 to 95 % of the ten nearest entries.
 * @param limit maximum number of entries
 * @param checkTime called between chunks
 */
export function nearestBySignature(
  index: Connection,
  among: EntrySet,
  vector: Int8Array,
  { limit, checkTime }: { readonly limit: number; readonly checkTime: () => void },
): number[] {
  const wanted = new Uint32Array(signatureOf(vector).buffer);
  const nearest = new Nearest(limit);
  for (const [chunk, container] of among.chunks.entries()) {
    if (container.length === 0) continue;
    checkTime();
    const first = chunk * chunkBlocks;
    const rows = index.all<{ block: number; signatures: Uint8Array }>(
      'SELECT block, signatures FROM signature_block WHERE block BETWEEN ? AND ?',
      first,
      first + chunkBlocks - 1,
    );
    for (const { block, signatures } of rows) scanBlock(block * blockIds, signatures, { wanted, among, nearest });
  }
  return nearest.toIds();
}

interface Scan {
  readonly wanted: Uint32Array;
  readonly among: EntrySet;
  readonly nearest: Nearest;
}

function scanBlock(firstId: number, bytes: Uint8Array, { wanted, among, nearest }: Scan): void {
  const signatures = new Uint32Array(bytes.buffer, bytes.byteOffset, blockIds * words);
  const [first = 0, second = 0, third = 0, fourth = 0] = wanted;
  for (let row = 0; row < blockIds; row++) {
    const at = row * words;
    const one =
      countNibbles((signatures[at] as number) ^ first) + countNibbles((signatures[at + 1] as number) ^ second);
    const two =
      countNibbles((signatures[at + 2] as number) ^ third) + countNibbles((signatures[at + 3] as number) ^ fourth);
    const different = sumOfBytes(toBytes(one) + toBytes(two));
    // Few signatures are near enough, so the set is rarely consulted.
    if (different <= nearest.last && contains(among, firstId + row)) nearest.add(firstId + row, different);
  }
}

/** Counts the set bits in each nibble of a word; returns eight sums of at most 4. */
function countNibbles(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x5555_5555);
  return (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
}

/** Adds the two nibbles of each byte. */
const toBytes = (nibbles: number): number => (nibbles & 0x0f0f_0f0f) + ((nibbles >>> 4) & 0x0f0f_0f0f);

/** Adds the four bytes of a word; the sum must be less than 256. */
const sumOfBytes = (bytes: number): number => Math.imul(bytes, 0x0101_0101) >>> 24;

/** Collects the entries with the fewest different bits. */
class Nearest {
  private readonly byDifference: number[][] = Array.from({ length: maxDifferent + 1 }, () => []);
  /** Maximum number of different bits of entries that are still collected. */
  last = maxDifferent;
  private count = 0;

  constructor(private readonly limit: number) {}

  add(id: number, different: number): void {
    this.byDifference[different]?.push(id);
    this.count += 1;
    for (;;) {
      const farthest = this.byDifference[this.last] as number[];
      if (this.last === 0 || this.count - farthest.length < this.limit) return;
      this.count -= farthest.length;
      this.byDifference[this.last] = [];
      this.last -= 1;
    }
  }

  toIds(): number[] {
    return this.byDifference.flat().slice(0, this.limit);
  }
}

export function cosinesOf(index: Connection, ids: readonly number[], vector: Int8Array): Map<number, number> {
  const rows = index.all<{ id: number; vector: Uint8Array }>(
    'SELECT entry_id AS id, vector FROM json_each(?) AS wanted CROSS JOIN entry_vector ON entry_id = wanted.value',
    JSON.stringify(ids),
  );
  return new Map(
    rows.map((row) => {
      const { buffer, byteOffset, byteLength } = row.vector;
      return [row.id, cosine(new Int8Array(buffer, byteOffset, byteLength), vector)];
    }),
  );
}
