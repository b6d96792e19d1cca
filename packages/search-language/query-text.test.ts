import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatQueryText, parseQueryText, type QueryTerm, type QueryToken } from './query-text.js';

/** Returns the term of a token, without its position. */
function termOf({ start: _start, end: _end, valueStart: _value, isClosed: _closed, ...term }: QueryToken): QueryTerm {
  return term as QueryTerm;
}
const termsIn = (text: string) => parseQueryText(text).map(termOf);
const word = (text: string, excluded = false) => ({ kind: 'word', text, excluded });
const phrase = (text: string, excluded = false) => ({ kind: 'phrase', text, excluded });
const filter = (key: string, values: string[], excluded = false) => ({ kind: 'filter', key, values, excluded });

describe('the text of the box', () => {
  test.each([
    ['', []],
    ['beam -dump', [word('beam'), word('dump', true)]],
    ['-"lost at night" "in', [phrase('lost at night', true), phrase('in')]],
    ['-5 -- - c03-mg', [word('-5'), word('--'), word('-'), word('c03-mg')]],
    ['"a"-"b" c-"d"', [phrase('a'), phrase('b', true), word('c-'), phrase('d')]],
    [
      'IS:reply -has:attachment',
      [
        { kind: 'flag', flag: 'is:reply', excluded: false },
        { kind: 'flag', flag: 'has:attachment', excluded: true },
      ],
    ],
    ['owner=ada', [filter('owner', ['ada'])]],
    ['Tags=a,b;"c, d"|e', [filter('tag', ['a', 'b', 'c, d', 'e'])]],
    ['-logbook="Main Ring" x', [filter('logbook', ['Main Ring'], true), word('x')]],
    ['property=resource.name."SR 1"', [filter('property', ['resource.name.SR 1'])]],
    ['title=a,b title="a b"', [filter('title', ['a,b']), filter('title', ['a b'])]],
    ['start="12 hours" end=now', [filter('start', ['12 hours']), filter('end', ['now'])]],
    ['owner= tag="', [filter('owner', []), filter('tag', [])]],
    ['"x"owner=a', [phrase('x'), filter('owner', ['a'])]],
    [
      'I=200mA http://x/?owner=ada sea-level=3 "owner=ada"',
      [word('I=200mA'), word('http://x/?owner=ada'), word('sea-level=3'), phrase('owner=ada')],
    ],
  ])('%j', (text, expected) => {
    expect(termsIn(text)).toEqual(expected);
  });

  test('has the positions of a token and of its values, and whether its quotes are closed', () => {
    expect(parseQueryText(' -tag="a b')).toEqual([
      {
        kind: 'filter',
        key: 'tag',
        values: ['a b'],
        excluded: true,
        isClosed: false,
        start: 1,
        end: 10,
        valueStart: 6,
      },
    ]);
    expect(parseQueryText('x -"y"')[1]).toMatchObject({ isClosed: true, start: 2, end: 6, valueStart: 3 });
  });
});

const piece = fc.constantFrom(
  ...[
    'owner=',
    'TAG=',
    '-level=',
    'title=',
    'start=',
    'is:reply',
    'x=',
    '"',
    '-',
    ' ',
    '\t',
    '\u00a0',
    ',',
    ';',
    '|',
    '=',
    'a',
    'b c',
    '5',
    '*',
    '😀',
    '\ud800',
  ],
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join('')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

test('any text is parsed, and its written terms are parsed as the same terms', () => {
  fc.assert(
    fc.property(text, (one) => {
      const terms = termsIn(one);
      const written = formatQueryText(terms);
      expect(termsIn(written)).toEqual(terms);
      expect(formatQueryText(termsIn(written))).toBe(written);
      expect(parseQueryText(written).every(({ isClosed }) => isClosed)).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test('tokens are in order and cover everything but the spaces between them', () => {
  fc.assert(
    fc.property(text, (one) => {
      let last = 0;
      for (const { start, end, valueStart } of parseQueryText(one)) {
        expect(one.slice(last, start).trim()).toBe('');
        expect(end).toBeGreaterThan(start);
        expect(valueStart).toBeGreaterThanOrEqual(start);
        expect(valueStart).toBeLessThanOrEqual(end);
        last = end;
      }
      expect(one.slice(last).trim()).toBe('');
    }),
    { numRuns: 2_000 },
  );
});

test('a value with quotes, spaces and separators is written as one value that matches it', () => {
  const written = formatQueryText([{ kind: 'filter', key: 'tag', values: ['a "b", c', 'd'], excluded: false }]);
  expect(termsIn(written)).toEqual([filter('tag', ['a ?b?, c', 'd'])]);
});

test('a long text is parsed in linear time', () => {
  for (const part of ['a', '"', '-', 'owner=', 'owner="', ' '])
    expect(parseQueryText(part.repeat(100_000))).toBeDefined();
});
