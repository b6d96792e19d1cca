import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { filterKeys } from '../../packages/search-language/query-text.js';
import { type BoxText, parseBox } from './parse-box.js';
import { parseText } from './parse-search-text.js';

const nothing: BoxText = { anywhere: [], excluded: [], flags: [], filters: [], starts: [], ends: [] };
const phrase = (...words: string[]) => ({ kind: 'phrase', words });

describe('the box', () => {
  test('values of filters are folded only in case', () => {
    const [filter] = parseBox('tag="Señal ÄB"', false).filters;
    expect(filter?.patterns).toEqual([{ text: 'señal äb', hasWildcards: false }]);
  });

  test.each(filterKeys)('%s= filters', (key) => {
    const { filters, starts, ends } = parseBox(`${key}=2024`, false);
    expect([...filters, ...starts, ...ends]).toHaveLength(1);
  });

  test('a leading - excludes a word or a phrase', () => {
    expect(parseBox('beam -dump -"lost at night" "in time"', false)).toEqual({
      ...nothing,
      anywhere: [phrase('beam'), phrase('in', 'time')],
      excluded: [phrase('dump'), phrase('lost', 'at', 'night')],
    });
  });

  test.each(['c03-mg', 'beam - dump', 'beam -', '--- dump', 'from -5 to -3.2 mm'])('“%s” excludes nothing', (text) => {
    expect(parseBox(text, false)).toMatchObject({ excluded: [], flags: [] });
    expect(parseBox(text, false).anywhere).toEqual(parseText(text, false));
  });

  test('excluded words are not fuzzy in a fuzzy search', () => {
    expect(parseBox('-dumps beams', true)).toMatchObject({
      anywhere: [{ kind: 'fuzzy', word: 'beams', maxDistance: 1 }],
      excluded: [phrase('dumps')],
    });
    expect(parseBox('-quad*', false).excluded).toEqual([{ kind: 'wildcard', pattern: 'quad*' }]);
  });

  test('flags may be written in any case and with a leading -', () => {
    expect(parseBox('has:attachment IS:reply -is:edited beam', false)).toEqual({
      ...nothing,
      anywhere: [phrase('beam')],
      flags: [
        { flag: 'attachment', wanted: true },
        { flag: 'reply', wanted: true },
        { flag: 'edited', wanted: false },
      ],
    });
  });

  test('other text with colons, and flags in quotes, are words', () => {
    expect(parseBox('has:files "is:reply" sr:c03', false)).toEqual({
      ...nothing,
      anywhere: [phrase('has', 'files'), phrase('is', 'reply'), phrase('sr', 'c03')],
    });
  });

  test('without exclusions, flags and quotes, it is parsed like any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zé0-9 .,:;()*?]{0,40}$/), (text) => {
        expect(parseBox(text, false)).toEqual({ ...nothing, anywhere: parseText(text, false) });
      }),
    );
  });
});
