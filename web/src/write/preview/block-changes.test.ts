import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeOfBlocks } from './block-changes.ts';

test('only blocks that differ are replaced', () => {
  expect(changeOfBlocks(['a', 'b', 'c'], ['a', 'x', 'c'])).toEqual({ start: 1, removed: 1, html: ['x'] });
  expect(changeOfBlocks(['a', 'a'], ['a', 'a', 'a'])).toEqual({ start: 2, removed: 0, html: ['a'] });
  expect(changeOfBlocks(['a'], ['a'])).toEqual({ start: 1, removed: 0, html: [] });
});

test('the change leads from any blocks to any others', () => {
  const blocks = fc.array(fc.constantFrom<string>('a', 'b', 'c'), { maxLength: 8 });
  fc.assert(
    fc.property(blocks, blocks, (from, to) => {
      const { start, removed, html } = changeOfBlocks(from, to);
      expect(from.toSpliced(start, removed, ...html)).toEqual(to);
    }),
  );
});
