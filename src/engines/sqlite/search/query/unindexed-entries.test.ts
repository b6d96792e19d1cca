import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fold, termsOf } from '../../../../../packages/search-language/tokenize.js';
import { longestLiteral, wildcardTest } from '../../../../../packages/search-language/wildcard.js';
import { entryDraft, property, tag } from '../../../../../test/fixtures/entries.js';
import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { fields, kinds } from '../../../search-terms.js';
import { UnindexedEntry } from './unindexed-entries.js';

const filler = 'lorem ipsum dolor '.repeat(1_200);
const entryWith = (description: string): SearchableEntry => ({
  id: 1,
  view: {
    id: 1,
    version: 1,
    ...entryDraft({ description, tags: [tag('Alarm')], properties: [property('p', { a: 'v' })] }),
  },
  isReply: false,
  attachmentTexts: [],
});

const pieces = fc.constantFrom(
  'beam',
  'lost',
  'SR:C03-MG',
  'SR에서',
  '束流',
  ' ',
  ' ',
  ',',
  '.',
  '-',
  '\n',
  'É',
  '4',
  '"',
);

test('a long text has the same terms as if it were split into words', () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 30 }), (some) => {
      const text = some.join('');
      const long = new UnindexedEntry(entryWith(`${filler}${text} ${filler}`), 1);
      const { parts, names } = termsOf(`${text} ${some.map((piece) => ` ${piece} `).join('')} sr eam c03-m`);
      const expected = termsOf(text);
      for (const part of parts) {
        expect(long.has(kinds.word, fields.description, part), part).toBe(expected.parts.includes(part));
      }
      for (const name of names) {
        expect(long.has(kinds.name, fields.description, name), name).toBe(expected.names.includes(name));
      }
    }),
    { numRuns: 200 },
  );
});

test('a text that is not split yet has the same terms as one that is', () => {
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 12 }), (some) => {
      const entry = entryWith(some.join(''));
      const [whole, split] = [new UnindexedEntry(entry, 1), new UnindexedEntry(entry, 1)];
      split.filter(kinds.word, fields.description, () => true);
      const { parts, names } = termsOf(`${some.join(' ')} ${some.join('')} sr eam c03-m`);
      for (const [kind, terms] of [[kinds.word, parts] as const, [kinds.name, names] as const]) {
        for (const term of terms) {
          const [found, expected] = [whole, split].map((one) => one.has(kind, fields.description, term));
          expect(found, term).toBe(expected);
        }
      }
    }),
    { numRuns: 300 },
  );
});

test('a long entry has its values, and the words that a test selects', () => {
  const entry = new UnindexedEntry(entryWith(`${filler} quadrupole`), 1);
  expect(entry.has(kinds.tag, 0, 'alarm')).toBe(true);
  expect([...entry.labels(kinds.tag)]).toEqual([['alarm', 'Alarm']]);
  expect(entry.filter(kinds.word, fields.description, (name) => name.startsWith('quad'))).toEqual(['quadrupole']);
  expect(entry.has(kinds.word, fields.description, 'quad')).toBe(false);
});

test('a pattern matches a long entry like a short one, whatever literal it contains', () => {
  const pattern = fc.array(fc.oneof(pieces, fc.constantFrom('*', '?')), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(pieces, { minLength: 1, maxLength: 12 }), pattern, (some, parts) => {
      const written = fold(parts.join(''));
      const matches = (text: string) =>
        new UnindexedEntry(entryWith(text), 1).some(
          kinds.name,
          fields.description,
          wildcardTest(written),
          longestLiteral(written),
        );
      expect(matches(`${filler}${some.join('')}`)).toBe(matches(`filler ${some.join('')}`));
    }),
    { numRuns: 200 },
  );
});

test('a word is found after a long run without spaces, and a part of a word that occurs many times is not', () => {
  const entry = new UnindexedEntry(entryWith(`${'a-'.repeat(20_000)}beam ${'xbeamx '.repeat(500)}end`), 1);
  expect(entry.has(kinds.word, fields.description, 'beam')).toBe(true);
  expect(entry.has(kinds.word, fields.description, 'bea')).toBe(false);
});
