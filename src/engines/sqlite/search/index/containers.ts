/**
 * The set of entries in one chunk, as in a Roaring bitmap. A chunk covers 65,536 consecutive ids; within a chunk, the
 * low 16 bits of the id (`low`) identify an entry. A small set is a sorted array, a large one a bitmap of 65,536 bits.
 * Containers are immutable: no function here modifies its arguments.
 */
export type Container = Uint16Array | Uint32Array;

export const chunkSize = 65_536;
/** Number of entries at or above which a bitmap (8 KiB) is not larger than an array. */
export const bitmapFrom = 4_096;
const bitmapWords = chunkSize / 32;
/** Stored size of a bitmap; arrays are smaller. */
export const bitmapBytes = chunkSize / 8;

export const empty: Container = new Uint16Array(0);

export const chunkOf = (id: number): number => Math.floor(id / chunkSize);
export const idOf = (chunk: number, low: number): number => chunk * chunkSize + low;

/** @param lows ascending, without duplicates */
export function toContainer(lows: ArrayLike<number>): Container {
  const list = lows instanceof Uint16Array ? lows : Uint16Array.from(lows);
  return list.length < bitmapFrom ? list : toBitmap([list]);
}

/** Returns the stored form: little-endian 16-bit numbers, or the 8 KiB of a bitmap. */
export function encode(container: Container): Uint8Array {
  const small = container instanceof Uint32Array && count(container) < bitmapFrom ? lowsOf(container) : container;
  const stored = small instanceof Uint16Array && small.length >= bitmapFrom ? toBitmap([small]) : small;
  return new Uint8Array(stored.buffer, stored.byteOffset, stored.byteLength);
}

export function decode(bytes: Uint8Array): Container {
  const { buffer, byteOffset, byteLength } = isAligned(bytes) ? bytes : bytes.slice();
  return byteLength === bitmapBytes
    ? new Uint32Array(buffer, byteOffset, bitmapWords)
    : new Uint16Array(buffer, byteOffset, byteLength / 2);
}

function isAligned(bytes: Uint8Array): boolean {
  return bytes.byteOffset % 4 === 0;
}

export function count(container: Container): number {
  if (container instanceof Uint16Array) return container.length;
  let sum = 0;
  for (let at = 0; at < bitmapWords; at++) sum += countBits(container[at] as number);
  return sum;
}

function countBits(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function has(container: Container, low: number): boolean {
  if (container instanceof Uint32Array) return ((container[low >>> 5] as number) & (1 << (low & 31))) !== 0;
  let start = 0;
  let end = container.length;
  while (start < end) {
    const middle = (start + end) >>> 1;
    if ((container[middle] as number) < low) start = middle + 1;
    else end = middle;
  }
  return container[start] === low;
}

export function and(one: Container, other: Container): Container {
  if (one instanceof Uint32Array && other instanceof Uint32Array) {
    const both = new Uint32Array(bitmapWords);
    for (let at = 0; at < bitmapWords; at++) both[at] = (one[at] as number) & (other[at] as number);
    return both;
  }
  const [few, many] = one instanceof Uint16Array && one.length <= sizeAtMost(other) ? [one, other] : [other, one];
  return filter(few, (low) => has(many, low));
}

export function andNot(one: Container, other: Container): Container {
  if (other.length === 0) return one;
  if (one instanceof Uint16Array) return filter(one, (low) => !has(other, low));
  const rest = one.slice();
  if (other instanceof Uint32Array)
    for (let at = 0; at < bitmapWords; at++) rest[at] = (rest[at] as number) & ~(other[at] as number);
  else for (const low of other) rest[low >>> 5] = (rest[low >>> 5] as number) & ~(1 << (low & 31));
  return rest;
}

export function or(containers: readonly Container[]): Container {
  const some = containers.filter((container) => container.length > 0);
  const [first = empty] = some;
  if (some.length <= 1) return first;
  const last = some.at(-1);
  if (some.length === 2 && first instanceof Uint16Array && last instanceof Uint16Array) {
    if (first.length + last.length < bitmapFrom) return merge(first, last);
  }
  const bitmap = toBitmap(some);
  return some.every((container) => container instanceof Uint16Array) && sumOfLengths(some) < bitmapFrom
    ? lowsOf(bitmap)
    : bitmap;
}

/** Collects the entries of many containers of one chunk. */
export class ContainerUnion {
  private readonly bitmap = new Uint32Array(bitmapWords);

  /** @param stored one or more concatenated stored arrays */
  addArrays(stored: Uint8Array): void {
    const { buffer, byteOffset, byteLength } = isAligned(stored) ? stored : stored.slice();
    addTo(this.bitmap, new Uint16Array(buffer, byteOffset, byteLength / 2));
  }

  addBitmap(stored: Uint8Array): void {
    addTo(this.bitmap, decode(stored));
  }

  toContainer(): Container {
    return count(this.bitmap) < bitmapFrom ? lowsOf(this.bitmap) : this.bitmap;
  }
}

/** Returns the entries for which `passes` returns true; it is called in ascending order. */
export function filter(container: Container, passes: (low: number) => boolean): Container {
  const lows = lowsOf(container);
  const passed = new Uint16Array(lows.length);
  let length = 0;
  for (const low of lows) if (passes(low)) passed[length++] = low;
  return passed.subarray(0, length);
}

/** Lists the low bits of the entries, ascending. */
export function lowsOf(container: Container): Uint16Array {
  if (container instanceof Uint16Array) return container;
  const lows = new Uint16Array(count(container));
  let length = 0;
  for (let at = 0; at < bitmapWords; at++) {
    for (let word = container[at] as number; word !== 0; word &= word - 1) {
      lows[length++] = at * 32 + (31 - Math.clz32(word & -word));
    }
  }
  return lows;
}

/** Returns the set from `first` to `last`, both included. */
export function rangeOf(first: number, last: number): Container {
  if (first > last) return empty;
  const bitmap = new Uint32Array(bitmapWords);
  for (let at = first >>> 5; at <= last >>> 5; at++) {
    const from = Math.max(first - at * 32, 0);
    const to = Math.min(last - at * 32, 31);
    bitmap[at] = (0xffffffff >>> (31 - to)) & (0xffffffff << from);
  }
  return bitmap;
}

function toBitmap(containers: readonly Container[]): Uint32Array {
  const bitmap = new Uint32Array(bitmapWords);
  for (const container of containers) addTo(bitmap, container);
  return bitmap;
}

function addTo(bitmap: Uint32Array, container: Container): void {
  if (container instanceof Uint32Array) {
    for (let at = 0; at < bitmapWords; at++) bitmap[at] = (bitmap[at] as number) | (container[at] as number);
  } else {
    for (const low of container) bitmap[low >>> 5] = (bitmap[low >>> 5] as number) | (1 << (low & 31));
  }
}

/** Merges two ascending arrays without duplicates. */
function merge(one: Uint16Array, other: Uint16Array): Uint16Array {
  const both = new Uint16Array(one.length + other.length);
  let length = 0;
  let next = 0;
  for (const low of one) {
    while (next < other.length && (other[next] as number) < low) both[length++] = other[next++] as number;
    if (other[next] === low) next += 1;
    both[length++] = low;
  }
  both.set(other.subarray(next), length);
  return both.subarray(0, length + other.length - next);
}

function sizeAtMost(container: Container): number {
  return container instanceof Uint16Array ? container.length : chunkSize;
}

function sumOfLengths(containers: readonly Container[]): number {
  return containers.reduce((sum, container) => sum + container.length, 0);
}
