import { expect, test } from 'vitest';
import { parseEntryId, typedEntryId } from './entry-id.ts';

test.each([
  ['0', 0],
  ['1', 1],
  ['4711', 4711],
  ['999999999999999', 999_999_999_999_999],
])('%s is an id', (text, id) => {
  expect(parseEntryId(text)).toBe(id);
});

test.each([undefined, '', ' ', '00', '-1', '-0', '1.5', '1e3', '0x1', 'abc', '1234567890123456'])(
  '%j is not an id',
  (text) => {
    expect(parseEntryId(text)).toBeUndefined();
  },
);

test.each([
  ['42', 42],
  ['#48 211', 48_211],
  [' #7 ', 7],
  ['0', 0],
  ['007', undefined],
  ['4x', undefined],
  ['', undefined],
  ['99999999999999999999', undefined],
])('the number of an entry in %j is %s', (text, number) => {
  expect(typedEntryId(text)).toBe(number);
});
