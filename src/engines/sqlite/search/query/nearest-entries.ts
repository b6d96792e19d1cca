import { cosine, signatureBytes, signatureOf } from '../../../../../packages/token-vectors/token-vectors.js';
import type { Connection } from '../../database/connection.js';
import { chunkOf, chunkSize, empty, lowsOf } from '../index/containers.js';
import { blockIds } from '../index/entry-vectors.js';
import type { EntrySet } from './entry-set.js';

/** Number of blocks that are read at a time: 2 MB. */
const blocksPerRead = 256;
/** Number of 32-bit words of a signature. */
const words = signatureBytes / 4;
/** Maximum number of different bits; about 64 differ between unrelated vectors. */
const maxDifferent = 60;

/**
 * Returns the entries whose signatures differ least from that of a vector.
 * @param limit maximum number of entries
 * @param checkTime called between slices
 */
export function nearestBySignature(
  index: Connection,
  among: EntrySet,
  vector: Int8Array,
  { limit, checkTime }: { readonly limit: number; readonly checkTime: () => void },
): number[] {
  const wanted = new Uint32Array(signatureOf(vector).buffer);
  const nearest = new Nearest(limit);
  let chunk = -1;
  let isAmong = new Uint8Array(chunkSize);
  for (let first = 0; ; first += blocksPerRead) {
    checkTime();
    if (chunkOf(first * blockIds) >= among.chunks.length) break;
    const rows = index.all<{ block: number; signatures: Uint8Array }>(
      'SELECT block, signatures FROM signature_block WHERE block BETWEEN ? AND ?',
      first,
      first + blocksPerRead - 1,
    );
    for (const { block, signatures } of rows) {
      const firstId = block * blockIds;
      if (chunkOf(firstId) !== chunk) {
        chunk = chunkOf(firstId);
        isAmong = new Uint8Array(chunkSize);
        for (const low of lowsOf(among.chunks[chunk] ?? empty)) isAmong[low] = 1;
      }
      scanBlock(new Uint32Array(signatures.slice().buffer), wanted, (at, different) => {
        if (isAmong[(firstId + at) % chunkSize] === 1) nearest.add(firstId + at, different);
      });
    }
  }
  return nearest.toIds();
}

function scanBlock(signatures: Uint32Array, wanted: Uint32Array, onNear: (at: number, different: number) => void) {
  for (let at = 0; at < blockIds; at++) {
    let different = 0;
    for (let word = 0; word < words; word++) {
      different += bitCount((signatures[at * words + word] as number) ^ (wanted[word] as number));
    }
    if (different <= maxDifferent) onNear(at, different);
  }
}

function bitCount(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x5555_5555);
  const fours = (pairs & 0x3333_3333) + ((pairs >>> 2) & 0x3333_3333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24;
}

/** Collects the entries with the fewest different bits. */
class Nearest {
  private readonly byDifference: number[][] = Array.from({ length: maxDifferent + 1 }, () => []);
  private last = maxDifferent;
  private count = 0;

  constructor(private readonly limit: number) {}

  add(id: number, different: number): void {
    if (different > this.last) return;
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

/** Returns the cosines of the angles between a vector and those of entries. */
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
