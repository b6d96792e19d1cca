import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wildcardTest } from './wildcard.js';

const meanings: Record<string, string> = { '*': '.*', '?': '.', '.': '\\.' };

test('a pattern matches the same texts as the equivalent regular expression', () => {
  const text = fc.array(fc.constantFrom('a', 'b', '束', '😀', '.'), { maxLength: 12 }).map((chars) => chars.join(''));
  const pattern = fc.array(fc.constantFrom('a', 'b', '束', '😀', '.', '*', '?'), { maxLength: 8 });
  fc.assert(
    fc.property(text, pattern, (text, chars) => {
      const source = chars.map((char) => meanings[char] ?? char).join('');
      expect(wildcardTest(chars.join(''))(text)).toBe(new RegExp(`^${source}$`, 'su').test(text));
    }),
    { numRuns: 2_000 },
  );
});

test('many stars do not make a long text slow', () => {
  // The equivalent regular expression would not terminate.
  expect(wildcardTest('*a*a*a*a*a*a*a*b')('a'.repeat(20_000))).toBe(false);
});
