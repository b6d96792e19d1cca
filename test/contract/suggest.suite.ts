import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { partsOf } from '../../packages/search-language/tokenize.js';
import type { Entry } from '../../src/entries/entry.js';
import { foldCase } from '../../src/kernel/text.js';
import { parseQuery } from '../../src/search/parse-query.js';
import type { SuggestKey } from '../../src/search/suggestions.js';
import { entryDraft, logbook, property, tag } from '../fixtures/entries.js';
import { propertyOptions } from '../fixtures/property-options.js';
import type { OpenSearchableStorage, StorageEngine } from './storage.suite.js';

/** Requirements of every search index for suggestions. */
export function suggestSuite({ open }: StorageEngine<OpenSearchableStorage>): void {
  let opened: OpenSearchableStorage;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.destroy());

  const entries: Entry[] = [];
  const suggest = (key: SuggestKey, prefix: string, hiddenLogbooks: readonly string[] = [], size = 10) =>
    opened.searchIndex.suggest({ key, prefix, size, hiddenLogbooks });

  describe('compared with a scan of all entries', () => {
    const name = fc.constantFrom('Alpha', 'alpine', 'Beta gamma', 'Ölbad', 'beam', 'be');
    const word = fc.constantFrom('beam', 'beams', 'Dump', 'été', 'SR:C03', 'be', 'alpha');
    const text = fc.array(word, { maxLength: 5 }).map((words) => words.join(' '));
    const draft = fc.record({
      title: text,
      description: text,
      owner: name,
      level: name,
      logbooks: fc
        .uniqueArray(fc.constantFrom('open', 'closed', 'other'), { minLength: 1 })
        .map((all) => all.map(logbook)),
      tags: fc.uniqueArray(name, { maxLength: 3 }).map((all) => all.map(tag)),
      properties: fc.constantFrom(
        [],
        [property('Resource', { Name: 'SR 1.2', file: 'a' })],
        [property('resource', { name: 'sr 7' })],
      ),
    });
    const step = fc.oneof(
      { weight: 5, arbitrary: draft.map((fields) => ({ kind: 'create', fields }) as const) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.nat(), draft).map(([at, fields]) => ({ kind: 'edit', at, fields }) as const),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'catch up' } as const) },
    );
    const request = fc.record({
      key: fc.constantFrom<SuggestKey>('owner', 'tag', 'logbook', 'level', 'property', 'title', 'text'),
      prefix: fc.constantFrom(
        '',
        'a',
        'AL',
        'b',
        'be',
        'beam',
        'ö',
        'e',
        'o',
        'res',
        'resource.',
        'Resource.n',
        'resource.name.s',
        'x',
      ),
      hidden: fc.constantFrom([], ['closed'], ['closed', 'other']),
      size: fc.constantFrom(1, 2, 10),
    });

    test('the same values are suggested, with the same counts, in the same order', async () => {
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 10 }),
        fc.array(request, { minLength: 20, maxLength: 20 }),
        async (steps, requests) => {
          for (const one of steps) {
            if (one.kind === 'catch up') await opened.searchIndex.waitUntilIndexed();
            else if (one.kind === 'create') {
              const { entry } = await opened.storage.write((tx) => tx.entries.insert(entryDraft(one.fields)));
              entries.push(entry);
            } else if (entries.length > 0) {
              const at = one.at % entries.length;
              const next = { ...(entries[at] as Entry), ...one.fields };
              entries[at] = (await opened.storage.write((tx) => tx.entries.edit(next))).entry;
            }
          }
          for (const { key, prefix, hidden, size } of requests) {
            const values = (await suggest(key, prefix, hidden, size)).map(({ name, count }) => ({
              name: fold(key, name),
              count,
            }));
            expect({ key, prefix, hidden, values }).toEqual({
              key,
              prefix,
              hidden,
              values: scan(key, prefix, hidden, size),
            });
          }
        },
      );
      await fc.assert(property, propertyOptions(60));
    });

    const isText = (key: SuggestKey) => key === 'title' || key === 'text';
    const fold = (key: SuggestKey, value: string) => (isText(key) ? (partsOf(value)[0] ?? '') : foldCase(value));

    function valuesOf(entry: Entry, key: SuggestKey, dots: number): string[] {
      if (key === 'owner' || key === 'level') return [entry[key]];
      if (key === 'tag') return entry.tags.map(({ name }) => name);
      if (key === 'logbook') return entry.logbooks.map(({ name }) => name);
      if (key === 'title') return partsOf(entry.title);
      if (key === 'text') return partsOf(entry.description);
      return entry.properties.flatMap((one) => {
        if (dots === 0) return [one.name];
        return one.attributes.map(({ name, value }) =>
          dots === 1 ? `${one.name}.${name}` : `${one.name}.${name}.${value}`,
        );
      });
    }

    function scan(key: SuggestKey, prefix: string, hidden: readonly string[], size: number) {
      const counts = new Map<string, number>();
      const start = isText(key) ? (partsOf(prefix).at(-1) ?? '') : foldCase(prefix);
      for (const entry of entries) {
        if (entry.logbooks.some(({ name }) => hidden.includes(name))) continue;
        const values = valuesOf(entry, key, prefix.split('.').length - 1).map((value) => fold(key, value));
        for (const value of new Set(values))
          if (value.startsWith(start)) counts.set(value, (counts.get(value) ?? 0) + 1);
      }
      return Array.from(counts, ([name, count]) => ({ name, count }))
        .sort((one, other) => other.count - one.count || (one.name < other.name ? -1 : 1))
        .slice(0, size);
    }
  });

  test('values are spelled as in an entry that the user may see', async () => {
    const closed = { logbooks: [logbook('closed')] };
    const draft = { title: 'Überspannung', properties: [property('Power Supply', { Serial: 'QF-7' })] };
    await opened.storage.write(async (tx) => {
      await tx.entries.insert(entryDraft(draft));
      await tx.entries.insert(
        entryDraft({ ...closed, title: 'ÜBERSPANNUNG', properties: [property('POWER SUPPLY', {})] }),
      );
    });
    for (const indexed of [false, true]) {
      if (indexed) await opened.searchIndex.waitUntilIndexed();
      expect(await suggest('title', 'ubersp', ['closed'])).toEqual([{ name: 'Überspannung', count: 1 }]);
      expect(await suggest('title', 'ubersp')).toEqual([{ name: 'ÜBERSPANNUNG', count: 2 }]);
      expect(await suggest('property', 'power', ['closed'])).toEqual([{ name: 'Power Supply', count: 1 }]);
      expect(await suggest('property', 'power supply.serial.q')).toEqual([
        { name: 'Power Supply.Serial.QF-7', count: 1 },
      ]);
    }
  });

  test('a similar value in an explanation is spelled as in an entry, also with combining characters', async () => {
    await opened.storage.write((tx) => tx.entries.insert(entryDraft({ level: 'Stro\u0308mung' })));
    await opened.searchIndex.waitUntilIndexed();
    const query = parseQuery({ level: 'Str\u00f6nung' }, { nowMs: Date.now(), zone: 'UTC' });
    const { explanation } = await opened.searchIndex.search(query, { explain: true });
    expect(explanation?.parts).toMatchObject([{ hitCount: 0, suggestions: ['Stro\u0308mung'] }]);
  });
}
