import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSearch, stringifySearch } from './url-search.ts';

test('any text survives the URL unharmed', () => {
  const key = fc.string({ unit: 'grapheme', minLength: 1 }).filter((one) => one !== '__proto__');
  fc.assert(
    fc.property(fc.dictionary(key, fc.string({ unit: 'grapheme' })), (search) => {
      const copy = { ...search };
      expect(parseSearch(stringifySearch(copy))).toEqual(copy);
    }),
  );
});

test.each(['1e3', '12345678901234567890', '"quoted"', 'a&b', 'a+b', 'a,b;c|d', '{"a":1}', 'true', '#5', '100%', ''])(
  '%s stays the same text',
  (value) => {
    expect(parseSearch(stringifySearch({ query: value }))).toEqual({ query: value });
  },
);

test('a repeated parameter is a list, and one that is undefined is absent', () => {
  const search = { tags: ['a', 'b'], sort: undefined };
  expect(stringifySearch(search)).toBe('?tags=a&tags=b');
  expect(parseSearch('?tags=a&tags=b')).toEqual({ tags: ['a', 'b'] });
});
