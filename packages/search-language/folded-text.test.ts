import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldTraceably } from './folded-text.js';
import { fold, locatedNames, locatedParts, namesOf, partsOf } from './tokenize.js';

const char = fc.constantFrom(
  ...['a', 'Z', ' ', '.', ':', '1', 'é', 'e\u0301', 'ß', 'İ', 'ﬁ', 'µ', '™', '½', 'Σ', 'ς', '\u00ad', '\u200d'],
  ...['加', 'か\u3099', 'ｶ', 'ﾞ', '한', 'ᄒ', 'ᅡ', 'ㄱ', 'ㅏ', '😀', '✌️', 'Å', 'K', '\u0301', '\ud800', '－'],
);
const text = fc.oneof(
  fc.array(char, { maxLength: 30 }).map((chars) => chars.join('')),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 20 }),
);

test('a text is folded exactly as for the index, whatever its characters', () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(foldTraceably(one)?.folded ?? fold(one)).toBe(fold(one));
    }),
  );
});

test('characters of common scripts can be traced back', () => {
  const common = fc.array(char, { maxLength: 30 }).map((chars) => chars.join(''));
  fc.assert(
    fc.property(common, (one) => {
      expect(foldTraceably(one)).toBeDefined();
    }),
  );
});

test('the original passage of a found term folds to a text with this term', () => {
  fc.assert(
    fc.property(text, (one) => {
      const traceable = foldTraceably(one);
      if (!traceable) return;
      for (const { term, start, end } of locatedParts(traceable.folded)) {
        const [from, to] = traceable.original(start, end);
        expect(from).toBeLessThan(to);
        expect(fold(one.slice(from, to))).toContain(term);
      }
    }),
  );
});

test('located words and names are those of the index, in order', () => {
  fc.assert(
    fc.property(text, (one) => {
      const folded = fold(one);
      expect(locatedParts(folded).map(({ term }) => term)).toEqual(partsOf(one));
      expect(locatedNames(folded).map(({ term }) => term)).toEqual(namesOf(one));
      for (const { term, start, end } of locatedNames(folded)) expect(folded.slice(start, end)).toBe(term);
    }),
  );
});
