import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { highlightersOf } from './highlights.js';
import { parseQuery } from './parse-query.js';
import type { SearchParams } from './search-params.js';
import { maxSnippetLength, snippetOf } from './snippet.js';

const queryOf = (params: SearchParams) => parseQuery(params, { nowMs: 0, zone: 'UTC' });
const marked = (params: SearchParams, text: string) =>
  highlightersOf(queryOf(params))
    .description.rangesIn(text)
    .map(([start, end]) => text.slice(start, end));

describe('highlights', () => {
  test.each<[SearchParams, string, string[]]>([
    [{ text: 'tripped' }, 'It TRIPPED. (tripped)', ['TRIPPED', 'tripped']],
    [{ text: 'trip' }, 'It tripped.', []],
    [{ text: 'muller' }, 'Called Müller and Mu\u0308ller', ['Müller', 'Mu\u0308ller']],
    [{ text: 'tri*' }, 'trip, tripod and strip', ['trip', 'tripod']],
    [{ text: '*g02a*' }, 'SR:C03-MG:G02A{Quad:1} tripped', ['G02A']],
    [{ text: 'sr:*quad*' }, 'the SR:C03-MG:G02A{Quad:1} tripped', ['SR:C03-MG:G02A{Quad:1']],
    [{ text: 'c03-mg' }, 'SR:C03-MG:G02A', ['C03-MG']],
    [{ text: '"beam lost"' }, 'beam, lost; lost beam', ['beam, lost']],
    [{ phrase: 'beam lost' }, 'beam lost', ['beam lost']],
    [{ text: 'vacum', fuzzy: '' }, 'Vacuum and vacumm', ['Vacuum', 'vacumm']],
    [{ query: 'beam -lost is:reply' }, 'beam lost', ['beam']],
    [{ query: '加速' }, '粒子加速器', ['加速']],
    [{ text: 'ﬁle' }, 'a ﬁle, a file', ['ﬁle', 'file']],
    [{ text: '😀 x' }, '😀x😀', ['😀x😀']],
    [{ title: 'beam' }, 'beam', []],
    [{ owner: 'beam' }, 'beam', []],
    [{}, 'beam', []],
  ])('%j in “%s” are %j', (params, text, expected) => {
    expect(marked(params, text)).toEqual(expected);
  });

  test('are in order, within the text and apart', () => {
    const word = fc.constantFrom('beam', 'be*', '*a*', '"beam dump"', 'dump', 'd?mp', 'x-beam', '加');
    const piece = fc.constantFrom('beam', 'dump', ' ', ',', 'x-', 'é', '加', '😀', '\n');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 4 }), fc.array(piece, { maxLength: 40 }), (words, pieces) => {
        const text = pieces.join('');
        let last = -1;
        for (const [start, end] of highlightersOf(queryOf({ text: words.join(' ') })).description.rangesIn(text)) {
          expect(start).toBeGreaterThan(last);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          last = end;
        }
      }),
    );
  });
});

describe('a snippet', () => {
  const { description } = highlightersOf(queryOf({ text: 'beam dump' }));

  test('of a short text is the whole text, on one line', () => {
    expect(snippetOf(' The beam\n\tdump.\r\n', description)).toEqual({
      text: 'The beam dump.',
      ranges: [
        [4, 8],
        [9, 13],
      ],
    });
  });

  test('begins some words before the first match', () => {
    const text = `${'word '.repeat(100)}beam ${'more '.repeat(100)}`;
    const { text: shown, ranges } = snippetOf(text, description);
    expect(shown).toMatch(/^…(word ){8,12}beam (more )+more…$/);
    expect(ranges.map(([start, end]) => shown.slice(start, end))).toEqual(['beam']);
  });

  test('is the beginning when nothing in the text matches', () => {
    expect(snippetOf('word '.repeat(100), description).text).toMatch(/^word .* word…$/);
  });

  test('is never longer than its limit, divides no character, and marks what matches', () => {
    const piece = fc.constantFrom(
      'beam',
      'dump ',
      ' ',
      'x'.repeat(100),
      '😀'.repeat(70),
      'é',
      '\n',
      'y ',
      'beam'.repeat(90),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { text, ranges } = snippetOf(pieces.join(''), description);
        expect(text.length).toBeLessThanOrEqual(maxSnippetLength);
        expect(text.isWellFormed()).toBe(true);
        for (const [start, end] of ranges) expect(text.slice(start, end)).toMatch(/^(beam|dump)$/);
      }),
    );
  });
});
