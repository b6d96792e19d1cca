import { describe, expect, test } from 'vitest';
import { attachment, entryDraft, property } from '../../../../../test/fixtures/entries.js';
import type { SearchableEntry } from '../../../../entries/searchable-entry.js';
import { fields, type Kind, kinds } from '../../../search-terms.js';
import { type FindKnown, forEachTermWithin, noNewTerms, vocabularyLimit } from './vocabulary-limit.js';

const entryWith = (description: string, attachmentText = '', values: Record<string, string> = {}): SearchableEntry => ({
  id: 1,
  view: {
    id: 1,
    version: 1,
    ...entryDraft({ description, properties: [property('p', values)], attachments: [attachment()] }),
  },
  isReply: false,
  attachmentTexts: [attachmentText],
});

const words = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`).join(' ');
const nothingKnown: FindKnown = () => new Set();

function termsOf(entry: SearchableEntry, findKnown = nothingKnown, limit = vocabularyLimit) {
  const found = new Set<string>();
  const omitted = forEachTermWithin(limit, entry, findKnown, (kind, field, name) =>
    found.add(`${kind} ${field} ${name}`),
  );
  const count = (kind: Kind, field: number) => [...found].filter((key) => key.startsWith(`${kind} ${field} `)).length;
  return { found, omitted, count };
}

describe('what one entry may add to the vocabulary', () => {
  test('all words of a report of 9,000 different words, with an attachment of 19,000', () => {
    const { omitted, count } = termsOf(entryWith(words('w', 9_000), words('a', 19_000)));
    expect([omitted, count(kinds.word, fields.description), count(kinds.word, fields.attachment)]).toEqual([
      0, 9_000, 19_000,
    ]);
  });

  test('the first of too many new words', () => {
    const { found, omitted, count } = termsOf(entryWith(words('w', 30_000), words('a', 30_000)));
    expect(count(kinds.word, fields.description)).toBeLessThanOrEqual(vocabularyLimit.own);
    expect(count(kinds.word, fields.attachment)).toBe(vocabularyLimit.attachments);
    expect(found).toContain(`${kinds.word} ${fields.description} w0`);
    expect(found).toContain(`${kinds.word} ${fields.title} title`);
    expect(omitted).toBeGreaterThan(30_000);
  });

  test('words that the index contains do not count', () => {
    const known: FindKnown = (_kind, names) => new Set(names.filter((name) => name.startsWith('known')));
    const { omitted, count } = termsOf(entryWith(`${words('known', 30_000)} ${words('w', 9_000)}`), known);
    expect([omitted, count(kinds.word, fields.description)]).toEqual([0, 39_000]);
  });

  test('values of properties count too', () => {
    const values = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`a${at}`, `v${at}`]));
    const { count, omitted } = termsOf(entryWith('', '', values));
    expect(count(kinds.attributeValue, 0) + count(kinds.attribute, 0)).toBeLessThanOrEqual(vocabularyLimit.own);
    expect(omitted).toBeGreaterThan(0);
  });

  test('what is removed from the index adds nothing to it', () => {
    const { count } = termsOf(entryWith(words('w', 30_000)), nothingKnown, noNewTerms);
    expect(count(kinds.word, fields.description)).toBe(0);
  });
});
