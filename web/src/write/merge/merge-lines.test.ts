import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinParts, mergeLines } from './merge-lines.ts';

const merge = (base: string, mine: string, theirs: string) =>
  joinParts(mergeLines(base, mine, theirs), ({ mine: own, theirs: other }) => `<${other}|${own}>`);

test('changes of different lines are both kept', () => {
  expect(merge('a\nb\nc', 'A\nb\nc', 'a\nb\nC')).toBe('A\nb\nC');
  expect(merge('a\nb', 'a\nb\nmine', 'theirs\na\nb')).toBe('theirs\na\nb\nmine');
  expect(merge('a\nb\nc', 'a\nc', 'a\nb\nc\nd')).toBe('a\nc\nd');
});

test('the same change of both is no conflict', () => {
  expect(merge('a\nb', 'a\nB', 'a\nB')).toBe('a\nB');
});

test('different changes of one line are a conflict, and only there', () => {
  const parts = mergeLines('a\n\nb\n\nc', 'a\n\nmine\n\nc', 'a\n\ntheirs\n\nC');
  expect(parts.map(({ kind }) => kind)).toEqual(['same', 'conflict', 'same', 'theirs']);
  expect(parts[1]).toMatchObject({ line: 3, base: 'b', mine: 'mine', theirs: 'theirs' });
});

test('two additions in one place are a conflict', () => {
  expect(merge('a', 'a\nmine', 'a\ntheirs')).toBe('a\n<theirs|mine>');
});

test('a line that one removes and the other changes is a conflict', () => {
  expect(mergeLines('a\nb\nc', 'a\nc', 'a\nB\nc').some(({ kind }) => kind === 'conflict')).toBe(true);
});

test('choosing one side everywhere, where only that side changed, gives its text', () => {
  const text = fc
    .array(fc.constantFrom('a', 'b', '', 'c d'), { minLength: 1, maxLength: 8 })
    .map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, (base, changed) => {
      expect(merge(base, changed, base)).toBe(changed);
      expect(merge(base, base, changed)).toBe(changed);
      expect(merge(base, changed, changed)).toBe(changed);
    }),
  );
});

test('no change of either side is lost without a conflict that shows it', () => {
  const line = fc.constantFrom('a', 'b', 'c', 'd');
  const text = fc.array(line, { minLength: 1, maxLength: 6 }).map((lines) => lines.join('\n'));
  fc.assert(
    fc.property(text, text, text, (base, mine, theirs) => {
      const parts = mergeLines(base, mine, theirs);
      expect(
        joinParts(
          parts.map((part) => ({ ...part, kind: 'conflict' as const })),
          (part) => part.mine,
        ),
      ).toBe(mine);
      expect(
        joinParts(
          parts.map((part) => ({ ...part, kind: 'conflict' as const })),
          (part) => part.theirs,
        ),
      ).toBe(theirs);
    }),
  );
});
