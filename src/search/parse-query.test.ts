import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Fault } from '../kernel/fault.js';
import { parseQuery } from './parse-query.js';
import type { SearchParams } from './search-params.js';

const nowMs = Date.UTC(2026, 5, 15, 12);
const parse = (params: SearchParams) => parseQuery(params, { nowMs, zone: 'UTC' });
const phrase = (...words: string[]) => ({ kind: 'phrase', words });
const pattern = (text: string) => ({ text, hasWildcards: /[*?]/.test(text) });

describe('search parameters', () => {
  test.each([
    ['owners', 'owner'],
    ['levels', 'level'],
    ['logbook', 'logbooks'],
    ['tag', 'tags'],
    ['devices', 'device'],
    ['property', 'properties'],
    ['attachment', 'attachments'],
    ['desc', 'text'],
    ['description', 'text'],
    ['limit', 'size'],
  ])('%s is %s', (alias, name) => {
    expect(parse({ [alias]: '7' })).toEqual(parse({ [name]: '7' }));
    if (name !== 'size') expect(parse({ [alias]: 'a', [name]: 'b' })).not.toEqual(parse({ [name]: 'b' }));
    if (name === 'attachments') expect(parse({ [alias]: '' }).attachments).toEqual([{ kind: 'any' }]);
    else expect(parse({ [alias]: ' ' })).toEqual(parse({}));
  });

  test('no parameters: all entries, newest first, a hundred on a page', () => {
    expect(parse({})).toEqual({
      title: [],
      description: [],
      anywhere: [],
      attachmentText: [],
      excluded: [],
      filters: [],
      perGroup: false,
      hiddenLogbooks: [],
      flags: [],
      owners: [],
      levels: [],
      logbooks: [],
      tags: [],
      devices: [],
      properties: [],
      attachments: [],
      zone: 'UTC',
      sort: 'newest',
      from: 0,
      size: 100,
    });
  });

  test('names are trimmed and compared without case; unknown parameters are ignored', () => {
    expect(parse({ ' Owner ': 'x', TAGS: 'y', colour: 'red' })).toEqual(parse({ owner: 'x', tags: 'y' }));
  });

  test.each(['text', 'desc', 'description'])('%s searches the description', (key) => {
    expect(parse({ [key]: 'beam lost' }).description).toEqual([phrase('beam'), phrase('lost')]);
  });

  test('quoted text is one phrase, and so are words joined by punctuation', () => {
    expect(parse({ text: 'a "Beam lost!" SR:C03' }).description).toEqual([
      phrase('a'),
      phrase('beam', 'lost'),
      phrase('sr', 'c03'),
    ]);
    expect(parse({ phrase: 'vacuum leak' }).description).toEqual([phrase('vacuum', 'leak')]);
  });

  test('wildcards work within a word, but not in quotes', () => {
    expect(parse({ text: 'Quad* SR:*:?' }).description).toEqual([
      { kind: 'wildcard', pattern: 'quad*' },
      { kind: 'wildcard', pattern: 'sr:*:?' },
    ]);
    expect(parse({ text: '"quad*"' }).description).toEqual([phrase('quad')]);
  });

  test.each(['*', '', '  ', '**', '--- !'])('the text “%s” matches all entries', (text) => {
    expect(parse({ text }).description).toEqual([]);
  });

  test('fuzzy allows one letter in short words and two in longer ones', () => {
    const words = [
      { kind: 'phrase', words: ['of'] },
      { kind: 'fuzzy', word: 'beam', maxDistance: 1 },
      { kind: 'fuzzy', word: 'magnet', maxDistance: 2 },
    ];
    expect(parse({ text: 'of beam magnet', fuzzy: '' }).description).toEqual(words);
    expect(parse({ text: 'of beam magnet', fuzzy: 'true' }).description).toEqual(words);
    expect(parse({ text: 'beam', fuzzy: 'FALSE' }).description).toEqual([phrase('beam')]);
  });

  test('lists are separated by comma, semicolon, bar or a repeated parameter, but not within quotes', () => {
    expect(parse({ tags: ['a, b;c|d', 'e'] }).tags.map((tag) => tag.text)).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(parse({ tags: '"a,b",c' }).tags.map((tag) => tag.text)).toEqual(['a,b', 'c']);
    expect(parse({ properties: 'resource.file."a,b.png"' }).properties).toEqual([
      { name: pattern('resource'), attribute: pattern('file'), value: pattern('a,b.png') },
    ]);
  });

  test('a property has up to three parts, each of which may be empty; the value may contain dots', () => {
    expect(parse({ properties: 'Log Entry Group.id.null, .id., a..b.c, x' }).properties).toEqual([
      { name: pattern('log entry group'), attribute: pattern('id'), value: pattern('null') },
      { attribute: pattern('id') },
      { name: pattern('a'), value: pattern('b.c') },
      { name: pattern('x') },
    ]);
  });

  test('attachments: any, a media type, or a file name', () => {
    expect(parse({ attachments: '' }).attachments).toEqual([{ kind: 'any' }]);
    expect(parse({ attachments: '*' }).attachments).toEqual([{ kind: 'any' }]);
    expect(parse({ attachments: 'Image,*.CSV' }).attachments).toEqual([
      { kind: 'media', media: 'image' },
      { kind: 'filename', pattern: pattern('*.csv') },
    ]);
  });

  test('start and end form a window in the given zone', () => {
    expect(parse({ start: '2026-06-01', end: 'now', tz: 'Europe/Berlin' }).window).toEqual({
      startMs: Date.UTC(2026, 4, 31, 22),
      endMs: nowMs,
      includeEvents: true,
    });
    expect(parse({ start: '1 day', includeEvents: 'false' }).window).toMatchObject({ includeEvents: false });
  });

  test('from takes precedence over page; the size is limited to the maximum', () => {
    expect(parse({ page: '3', size: '20' })).toMatchObject({ from: 40, size: 20 });
    expect(parse({ page: '3', from: '7', limit: '20' })).toMatchObject({ from: 7, size: 20 });
    expect(parse({ size: '5000' })).toMatchObject({ size: 1000 });
    expect(parse({ page: '2', size: '5000' })).toMatchObject({ from: 1000 });
  });

  test.each([
    ['up', 'oldest'],
    ['ASC', 'oldest'],
    ['ascending', 'oldest'],
    ['down', 'newest'],
    ['desc', 'newest'],
    ['Descending', 'newest'],
  ])('sort=%s is %s first', (sort, expected) => {
    expect(parse({ sort }).sort).toBe(expected);
  });

  test.each<[SearchParams, string]>([
    [{ size: '-1' }, 'search.bad-page'],
    [{ size: 'ten' }, 'search.bad-page'],
    [{ size: '1.5' }, 'search.bad-page'],
    [{ page: '0' }, 'search.bad-page'],
    [{ from: '-1' }, 'search.bad-page'],
    [{ page: '999999999999999', size: '1000' }, 'search.bad-page'],
    [{ sort: 'sideways' }, 'search.bad-sort'],
    [{ tz: 'Mars/Olympus' }, 'search.bad-zone'],
    [{ start: 'whenever' }, 'search.bad-time'],
    [{ start: 'now', end: '1 h' }, 'search.start-after-end'],
    [{ text: '"open' }, 'search.unbalanced-quotes'],
    [{ tags: 'a,"b' }, 'search.unbalanced-quotes'],
    [{ text: 'x'.repeat(8_193) }, 'search.too-long'],
    [{ text: 'a '.repeat(101) }, 'search.too-many-words'],
    [{ tags: 'a,'.repeat(1_001) }, 'search.too-many-values'],
    [{ text: 'a*b*c*d*e*f*g*h*i*' }, 'search.too-many-wildcards'],
    [{ owner: 'a*b*c*d*e*f*g*h*i*' }, 'search.too-many-wildcards'],
  ])('400 for %j: %s', (params, code) => {
    expect(() => parse(params)).toThrow(expect.objectContaining({ kind: 'invalid', code }));
  });

  test('any input gives a query or a Fault', () => {
    const keys = [
      'text',
      'title',
      'query',
      'phrase',
      'fuzzy',
      'owner',
      'tags',
      'properties',
      'attachments',
      'start',
      'size',
    ];
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[a-z*?"., ;|-]{0,30}$/));
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...keys), value), (params) => {
        try {
          const query = parse(params);
          for (const match of [...query.description, ...query.title, ...query.anywhere]) {
            expect(JSON.stringify(match)).not.toContain('""');
          }
        } catch (error) {
          expect(error).toBeInstanceOf(Fault);
        }
      }),
    );
  });
});
