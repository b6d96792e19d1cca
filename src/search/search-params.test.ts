import { expect, test } from 'vitest';
import { lastValue, listValues } from './search-params.js';

test.each([
  [undefined, undefined],
  [[], undefined],
  ['one', 'one'],
  [' one ', 'one'],
  [['one', ' two '], 'two'],
  [['one', ' '], ''],
])('the last value of %j is %j', (value, expected) => {
  expect(lastValue(value)).toBe(expected);
});

test('all spellings of a parameter name contribute values, in the order of the request', () => {
  expect(
    listValues({ Explain: 'one', other: 'x', ' explain': ['two', 'three'], EXPLAIN: undefined }, 'explain'),
  ).toEqual(['one', 'two', 'three']);
  expect(listValues({}, 'explain')).toEqual([]);
});
