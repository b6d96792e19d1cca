import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type HashAt, hashChildren, inclusionPath, rootByPath, rootOf, TreeHead, tileHashes } from './merkle-tree.js';
import { TreeCheck } from './tree-check.js';

const leafOf = (index: number) => hash('sha256', `leaf ${index}`, 'hex');

/** RFC 6962, 2.1, as it is written there. */
function rootByDefinition(leaves: readonly string[]): string {
  const [only] = leaves;
  if (leaves.length === 1 && only !== undefined) return only;
  let half = 1;
  while (2 * half < leaves.length) half *= 2;
  return hashChildren(rootByDefinition(leaves.slice(0, half)), rootByDefinition(leaves.slice(half)));
}

/** What is stored of a tree: the leaves, and the roots of complete tiles. */
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

test('a tree that grows leaf by leaf has at each size the root of the tree of that size', () => {
  const head = new TreeHead();
  const leaves: string[] = [];
  for (let index = 0; index < 300; index += 1) {
    leaves.push(leafOf(index));
    head.add(leafOf(index));
    if (index % 7 === 0) expect(head.root).toBe(rootByDefinition(leaves));
  }
});

test('a tile that was altered, a record too few and an earlier head that is not continued are found', () => {
  const check = (stored: string, leaves: readonly string[], root = rootByDefinition(leaves), lastSequence = 2) => {
    const problems: string[] = [];
    const tree = new TreeCheck([{ name: 'A', size: 2, root }], (what) => problems.push(what));
    tree.addTile(0, 0, { hashes: stored, lastSequence });
    for (const [index, leaf] of leaves.entries()) tree.addRecord(leaf, index + 1);
    tree.finish();
    return problems;
  };
  const [a, b, c] = [leafOf(1), leafOf(2), leafOf(3)];
  expect(check(`${a}${b}`, [a, b])).toEqual([]);
  expect(check(`${a}${c}`, [a, b])).toEqual(['the tile 0/0 of the tree is not that of the records']);
  expect(check(`${a}${b}`, [a])).toHaveLength(2);
  expect(check(`${a}${b}`, [a, b], a)).toEqual(['the first 2 records are not those that A was made of']);
  expect(check(`${a}${b}`, [a, b], undefined, 3)).toEqual([
    'the tile 0/0 of the tree names another record as its last',
  ]);
  expect(check('', [a, b])).toEqual(['the tile 0/0 of the tree has 0 hashes']);
});

test('a tree of which the root of a complete tile, or the end of an inner tile, is missing is found', () => {
  const leaves = Array.from({ length: 300 }, (_, index) => leafOf(index));
  const check = (tiles: readonly (readonly [level: number, position: number, hashes: readonly string[]])[]) => {
    const problems: string[] = [];
    const tree = new TreeCheck([], (what) => problems.push(what));
    for (const [level, position, hashes] of tiles) {
      const lastSequence = level === 0 ? 256 * position + hashes.length : 0;
      tree.addTile(level, position, { hashes: hashes.join(''), lastSequence });
    }
    for (const [index, leaf] of leaves.entries()) tree.addRecord(leaf, index + 1);
    tree.finish();
    return problems;
  };
  const [first, second] = [leaves.slice(0, 256), leaves.slice(256)];
  const above = [rootByDefinition(first)];
  expect(
    check([
      [0, 0, first],
      [0, 1, second],
      [1, 0, above],
    ]),
  ).toEqual([]);
  expect(
    check([
      [0, 0, first],
      [0, 1, second],
    ]),
  ).toEqual(['the level 1 of the tree has 0 hashes, and 1 tiles are complete below']);
  expect(
    check([
      [0, 0, first.slice(0, 200)],
      [0, 1, second],
      [1, 0, above],
    ]),
  ).toContain('the tile 0/0 of the tree has 200 hashes');
});
