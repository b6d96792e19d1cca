import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wildcardTest } from './wildcard.js';

const meanings: Record<string, string> = { '*': '.*', '?': '.', '.': '\\.' };

test('a pattern matches what the regular expression of the same meaning does', () => {
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

test('many stars in a long text are no more work than few', () => {
  // A regular expression of this form would not come to an end.
  expect(wildcardTest('*a*a*a*a*a*a*a*b')('a'.repeat(20_000))).toBe(false);
});
