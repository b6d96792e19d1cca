import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseBox, parseText } from './parse-search-text.js';

const phrase = (...words: string[]) => ({ kind: 'phrase', words });

describe('the one box', () => {
  test('a - before a word or a quotation excludes it', () => {
    expect(parseBox('beam -dump -"lost at night" "in time"', false)).toEqual({
      anywhere: [phrase('beam'), phrase('in', 'time')],
      excluded: [phrase('dump'), phrase('lost', 'at', 'night')],
      flags: [],
    });
  });

  test.each(['c03-mg', 'beam - dump', 'beam -', '--- dump', 'from -5 to -3.2 mm'])('“%s” excludes nothing', (text) => {
    expect(parseBox(text, false)).toMatchObject({ excluded: [], flags: [] });
    expect(parseBox(text, false).anywhere).toEqual(parseText(text, false));
  });

  test('what is excluded is meant as it is written, also in a fuzzy search', () => {
    expect(parseBox('-dumps beams', true)).toMatchObject({
      anywhere: [{ kind: 'fuzzy', word: 'beams', maxDistance: 1 }],
      excluded: [phrase('dumps')],
    });
    expect(parseBox('-quad*', false).excluded).toEqual([{ kind: 'wildcard', pattern: 'quad*' }]);
  });

  test('flags are understood in any case, and with a - before them', () => {
    expect(parseBox('has:attachment IS:reply -is:edited beam', false)).toEqual({
      anywhere: [phrase('beam')],
      excluded: [],
      flags: [
        { flag: 'attachment', wanted: true },
        { flag: 'reply', wanted: true },
        { flag: 'edited', wanted: false },
      ],
    });
  });

  test('other colons, and flags in quotes, are words', () => {
    expect(parseBox('has:files "is:reply" sr:c03', false)).toEqual({
      anywhere: [phrase('has', 'files'), phrase('is', 'reply'), phrase('sr', 'c03')],
      excluded: [],
      flags: [],
    });
  });

  test('without a -, a colon of a flag or an odd quote, it is read as any text', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-zé0-9 .,:;()*?]{0,40}$/), (text) => {
        expect(parseBox(text, false)).toEqual({ anywhere: parseText(text, false), excluded: [], flags: [] });
      }),
    );
  });
});
