import { expect, test } from 'vitest';
import { matchPattern } from './word-patterns.ts';

const matches = (query: string, text: string) =>
  [...text.matchAll(matchPattern(query) ?? /$^/g)].map(([match]) => match);

test.each([
  ['SR:C05-PS{Sext:4}', 'The supply SR:C05-PS{Sext:4} fell.', ['SR:C05-PS{Sext:4']],
  ['top-up', 'Top-up on, topup off', ['Top-up']],
  ['a.b(c)[d]^$|e+f/g\\h&i#j%k~l', 'x a.b(c)[d]^$|e+f/g\\h&i#j%k~l x', ['a.b(c)[d]^$|e+f/g\\h&i#j%k~l']],
  ['"beam lost"', 'Beam  lost again', ['Beam  lost']],
  ['SR:C0?-PS*', 'SR:C05-PSU', ['SR:C05-PSU']],
  ['-test level=Urgent', 'test Urgent', []],
])('%s marks its words', (query, text, expected) => {
  expect(matches(query, text)).toEqual(expected);
});

test('every character that can be typed gives a valid expression', () => {
  for (let code = 32; code < 0x180; code += 1) {
    const character = String.fromCharCode(code);
    expect(() => matchPattern(`a${character}b`)).not.toThrow();
    expect(() => matchPattern(`"a${character}b`)).not.toThrow();
  }
});

test('many wildcards do not make the page hang', () => {
  expect(matches('a*a*a*a*a*a*a*a*a*b', 'a'.repeat(10_000))).toEqual([]);
  expect(matches('a*******b', `${'a'.repeat(200)}b`)).toHaveLength(1);
});
