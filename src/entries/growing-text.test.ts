import fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingText, join, separators } from './growing-text.js';

/** Texts of which many are equal, begin with another one or contain its lines. */
const blockText = fc
  .array(fc.constantFrom('ok', 'Point 1', 'Point 10', '- `motor`: `1.5`', 'x', 'A line that is long enough'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((lines) => lines.join('\n'));

const run = fc
  .record({ head: fc.oneof(fc.constant(''), blockText), blocks: fc.array(blockText, { minLength: 1, maxLength: 8 }) })
  .chain(({ head, blocks }) => {
    const versions = [head];
    for (const block of blocks) versions.push(join(versions.at(-1) ?? '', block, separators.source));
    return fc.record({ versions: fc.constant(versions), read: fc.nat({ max: blocks.length }) });
  });

const growing = (versions: readonly string[]) =>
  new GrowingText(
    versions.at(-1) ?? '',
    versions.map(({ length }) => length),
  );

test('a version to which other lines were added is recognised, with any line breaks', () => {
  fc.assert(
    fc.property(run, fc.constantFrom('\n', '\r\n', '\n\n', '  \r'), ({ versions, read }, lineBreak) => {
      const sent = `Added before\n${versions[read]}\nAdded after`.replaceAll('\n', lineBreak);
      expect(growing(versions).findLatest(sent)).toBe(read);
    }),
  );
});

test('whichever lines were removed or changed, no version after the one that was read is found', () => {
  const changes = fc.infiniteStream(fc.constantFrom('keep', 'keep', 'remove', 'change'));
  fc.assert(
    fc.property(run, changes, ({ versions, read }, stream) => {
      const sent = (versions[read] ?? '').split('\n').flatMap((line) => {
        const change = stream.next().value;
        if (change === 'remove') return [];
        return change === 'change' ? `${line} (corrected)` : line;
      });
      expect(growing(versions).findLatest(sent.join('\n'))).toBeLessThanOrEqual(read);
    }),
  );
});

test('a block of which a long line was kept, or that follows changed blocks, is recognised', () => {
  const versions = ['', 'one', 'one\n\nThe second block\nok', 'one\n\nThe second block\nok\n\nthree'];
  const text = growing(versions);
  expect(text.findLatest('The second block\nnot ok')).toBe(2);
  expect(text.findLatest('The second block\nok\n\nthree')).toBe(3);
  expect(text.findLatest('three')).toBe(0);
  // The lines of the first version look like the blocks when the line between them is removed.
  expect(growing(['x\ny\nok', 'x\ny\nok\n\nx', 'x\ny\nok\n\nx\n\nok']).findLatest('x\nok')).toBe(0);
  expect(text.findLatest('')).toBe(0);
});

test('the ends of at most 32 versions with similar blocks are searched for', () => {
  const findAmong = (count: number) => {
    const versions = ['', 'start'];
    for (let block = 0; block < count; block += 1) versions.push(`${versions.at(-1)}\n\nok`);
    return growing(versions).findLatest(`start${'\nok\nadded'.repeat(count)}`);
  };
  expect(findAmong(32)).toBe(2);
  expect(findAmong(33)).toBe(0);
});
