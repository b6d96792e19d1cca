import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import { TreeHead } from '../../packages/merkle-log/merkle-tree.js';
import { TreeCheck } from './tree-check.js';

const leafOf = (index: number) => hash('sha256', `leaf ${index}`, 'hex');

function rootOfLeaves(leaves: readonly string[]): string {
  const head = new TreeHead();
  for (const leaf of leaves) head.add(leaf);
  return head.root ?? '';
}

test('an altered tile, a missing record and an earlier head that the ledger does not continue are found', () => {
  const check = (stored: string, leaves: readonly string[], root = rootOfLeaves(leaves), lastSequence = 2) => {
    const problems: string[] = [];
    const tree = new TreeCheck([{ name: 'A', size: 2, root }], (what) => problems.push(what));
    tree.addTile(0, 0, { hashes: stored, lastSequence });
    for (const [index, leaf] of leaves.entries()) tree.addRecord(leaf, index + 1);
    tree.finish();
    return problems;
  };
  const [a, b, c] = [leafOf(1), leafOf(2), leafOf(3)];
  expect(check(`${a}${b}`, [a, b])).toEqual([]);
  expect(check(`${a}${c}`, [a, b])).toEqual(['the tile 0/0 of the tree does not match the records']);
  expect(check(`${a}${b}`, [a])).toHaveLength(2);
  expect(check(`${a}${b}`, [a, b], a)).toEqual(['the first 2 records are not those that A covers']);
  expect(check(`${a}${b}`, [a, b], undefined, 3)).toEqual([
    'the tile 0/0 of the tree names another record as its last',
  ]);
  expect(check('', [a, b])).toEqual(['the tile 0/0 of the tree has 0 hashes']);
});

test('a missing root of a complete tile and a missing end of an inner tile are found', () => {
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
  const above = [rootOfLeaves(first)];
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
  ).toEqual(['the level 1 of the tree has 0 hashes, but the level below has 1 complete tile']);
  expect(
    check([
      [0, 0, first.slice(0, 200)],
      [0, 1, second],
      [1, 0, above],
    ]),
  ).toContain('the tile 0/0 of the tree has 200 hashes');
});
