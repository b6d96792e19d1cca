import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  consistencyPath,
  type HashAt,
  hashChildren,
  inclusionPath,
  isConsistent,
  rootByPath,
  rootOf,
  TreeHead,
  tileHashes,
} from './merkle-tree.js';

const leafOf = (index: number) => hash('sha256', `leaf ${index}`, 'hex');

/** The definition in RFC 6962, 2.1. */
function rootByDefinition(leaves: readonly string[]): string {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  let half = 1;
  while (2 * half < leaves.length) half *= 2;
  return hashChildren(rootByDefinition(leaves.slice(0, half)), rootByDefinition(leaves.slice(half)));
}

/** Returns the stored hashes of a tree: the leaves, and the roots of complete tiles. */
function hashesOf(leaves: readonly string[]): HashAt {
  return async (level, index) => {
    const width = tileHashes ** level;
    return rootByDefinition(leaves.slice(index * width, (index + 1) * width));
  };
}

test('each leaf of a tree of any size leads to its root, and to no other', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 700 }), fc.nat(), async (size, seed) => {
      const leaves = Array.from({ length: size }, (_, index) => leafOf(index));
      const index = seed % size;
      const root = await rootOf(size, hashesOf(leaves));
      expect(root).toBe(rootByDefinition(leaves));
      const path = await inclusionPath(index, size, hashesOf(leaves));
      expect(rootByPath(leafOf(index), index, size, path)).toBe(root);
      expect(rootByPath(leafOf(size), index, size, path)).not.toBe(root);
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
    }),
    { numRuns: 40 },
  );
});

/** The definition in RFC 9162, 2.1.4.1. */
function consistencyByDefinition(former: number, leaves: readonly string[], isFormerTree = true): string[] {
  if (former === leaves.length) return isFormerTree ? [] : [rootByDefinition(leaves)];
  let half = 1;
  while (2 * half < leaves.length) half *= 2;
  const [left, right] = [leaves.slice(0, half), leaves.slice(half)];
  if (former <= half) return [...consistencyByDefinition(former, left, isFormerTree), rootByDefinition(right)];
  return [...consistencyByDefinition(former - half, right, false), rootByDefinition(left)];
}

test('each tree is proven to continue each earlier one, and to continue no other', async () => {
  const size = 70;
  const leaves = Array.from({ length: size }, (_, index) => leafOf(index));
  const stateOf = (count: number) => ({ size: count, root: rootByDefinition(leaves.slice(0, count)) });
  for (let former = 1; former <= size; former += 1) {
    for (let later = former; later <= size; later += 1) {
      const path = await consistencyPath(former, later, hashesOf(leaves));
      const [one, other] = [stateOf(former), stateOf(later)];
      expect(isConsistent(one, other, path)).toBe(true);
      expect(isConsistent({ ...one, root: leafOf(size) }, other, path)).toBe(false);
      expect(isConsistent(one, { ...other, root: leafOf(size) }, path)).toBe(false);
      expect(isConsistent(one, other, [...path, leafOf(0)])).toBe(false);
      if (path.length > 0) expect(isConsistent(one, other, path.slice(1))).toBe(false);
      if (later > former) expect(isConsistent(other, one, path)).toBe(false);
    }
  }
  expect(isConsistent({ size: 0, root: '' }, stateOf(1), [])).toBe(false);
});

test('proofs across tiles are those of the definition, and have few hashes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 900 }), fc.nat(), async (size, seed) => {
      const leaves = Array.from({ length: size }, (_, index) => leafOf(index));
      const former = 1 + (seed % size);
      const path = await consistencyPath(former, size, hashesOf(leaves));
      expect(path).toEqual(consistencyByDefinition(former, leaves));
      expect(path.length).toBeLessThanOrEqual(Math.ceil(Math.log2(size)) + 1);
    }),
    { numRuns: 30 },
  );
});

test('each of a hundred checkpoints of a growing log continues every earlier one', async () => {
  const head = new TreeHead();
  const leaves: string[] = [];
  const checkpoints = Array.from({ length: 100 }, (_, index) => {
    for (let added = 0; added <= index % 3; added += 1) {
      leaves.push(leafOf(leaves.length));
      head.add(leaves.at(-1) ?? '');
    }
    return { size: head.size, root: head.root ?? '' };
  });
  const known = new Map<string, Promise<string>>();
  const hashAt: HashAt = (level, index) => {
    const found = known.get(`${level}/${index}`) ?? hashesOf(leaves)(level, index);
    known.set(`${level}/${index}`, found);
    return found;
  };
  let pairs = 0;
  for (const [at, later] of checkpoints.entries()) {
    for (const former of checkpoints.slice(0, at)) {
      pairs += 1;
      const path = await consistencyPath(former.size, later.size, hashAt);
      expect(isConsistent(former, later, path)).toBe(true);
    }
  }
  expect(pairs).toBe(4_950);
});

test('a tree that grows leaf by leaf has at each size the root of the tree of that size', () => {
  const head = new TreeHead();
  const leaves: string[] = [];
  for (let index = 0; index < 300; index += 1) {
    leaves.push(leafOf(index));
    head.add(leafOf(index));
    if (index % 7 === 0) expect(head.root).toBe(rootByDefinition(leaves));
  }
});
