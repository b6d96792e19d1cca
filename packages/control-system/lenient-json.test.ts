import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLenient, toDigits, toNumber } from './lenient-json.js';

test('numbers that are not finite become texts, and texts stay as they are', () => {
  expect(parseLenient('[NaN, -Infinity, "NaN", "a \\" NaN\\\\", 1]')).toEqual([
    'NaN',
    '-Infinity',
    'NaN',
    'a " NaN\\',
    1,
  ]);
});

test('long integers keep their digits, and other numbers and texts stay as they are', () => {
  const text =
    '[9007199254740993,-18446744073709551615,9007199254740991,0.1234567890123456789,1e20,"9007199254740993"]';
  const [long, negative, ...others] = parseLenient(text) as unknown[];
  expect([long, negative].map(toDigits)).toEqual(['9007199254740993', '-18446744073709551615']);
  expect(toNumber(long)).toBe(9_007_199_254_740_992);
  expect(others).toEqual([9_007_199_254_740_991, 0.123_456_789_012_345_68, 1e20, '9007199254740993']);
  expect(parseLenient('[1e-1234567890123456,{"digits":"1"}]')).toEqual([0, { digits: '1' }]);
  expect([{ digits: 'abc' }, { digits: '1' }, { digits: 7 }].map(toDigits)).toEqual([undefined, undefined, undefined]);
  expect(parseLenient('{"NaN":NaN,"n":9007199254740993}')).toEqual({ NaN: 'NaN', n: { digits: '9007199254740993' } });
});

test('any JSON is read as usual, except for its long integers', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const isUsual = !/\d{16}/.test(json);
      if (isUsual) expect(parseLenient(json)).toEqual(JSON.parse(json));
      const padded = `[${json},1234567890123456]`;
      if (isUsual) expect(parseLenient(padded)).toEqual(JSON.parse(padded));
    }),
  );
});

test.each(['"', '\\', '\\"', '"\\', '-', '[', 'NaN', '"a",'])('many of %s take linear time', (part) => {
  expect(() => parseLenient(`1234567890123456${part.repeat(250_000)}\\\n`)).toThrow(SyntaxError);
  for (const start of ['', '"']) expect(() => parseLenient(`${start}${part.repeat(250_000)}\\\n`)).toThrow(SyntaxError);
});
