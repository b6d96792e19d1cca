import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { indexFormat } from '../../src/engines/opensearch/index-mapping.js';
import { PageReader } from '../../src/engines/opensearch/page-reader.js';
import { SearchCluster } from '../../src/engines/opensearch/search-cluster.js';
import { SearchIndexes } from '../../src/engines/opensearch/search-indexes.js';
import { SimilarEntries } from '../../src/engines/opensearch/similar-entries.js';
import { withGroup } from '../../src/entries/entry.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { parseView } from '../../src/search/parse-view.js';
import type { Query } from '../../src/search/query.js';
import type { PageEntries, SearchIndex } from '../../src/search/search-index.port.js';
import type { SearchParams } from '../../src/search/search-params.js';
import { shownChunks } from '../../src/search/stream-page.js';
import type { TimeInterval } from '../../src/search/time-buckets.js';
import { attachment, entryDraft, logbook, property, tag } from '../fixtures/entries.js';
import { silentLog } from '../fixtures/log.js';
import { type IndexedStorage, openIndexed } from '../fixtures/opensearch-engine.js';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { propertyOptions } from '../fixtures/property-options.js';

const words = [
  'beam',
  'Beams',
  'bean',
  'dump',
  'été',
  'SR:C03{Quad:1}',
  'SR:C04-Q',
  'a.b',
  '束',
  '速束',
  '12.5',
  'vacuum',
];
const names = ['Alpha', 'alpha', 'Beta gamma', 'delta,epsilon', 'Ö[1]', 'a\\b', 'x"y', 'a*b', '(a|b)#&@<1>~'];
const long = 'w'.repeat(300);
const hostile = [
  'a\u0000b',
  '\u{1f600}\u{1f600}',
  `${long}`,
  `${long}x`,
  'ǅ ß ſ',
  'e\u0301',
  '__proto__',
  'constructor',
];

describe.skipIf(!hasOpenSearch)(
  'OpenSearch compared with the embedded index, on one storage (needs OpenSearch and Java)',
  () => {
    let server: OpenSearchServer;
    let opened: IndexedStorage;
    beforeAll(async () => {
      server = await OpenSearchServer.start();
      opened = await openIndexed(server.newOptions());
      await fill();
      await opened.embedded.waitUntilIndexed();
      await opened.searchIndex.waitUntilIndexed();
    });
    afterAll(async () => {
      await opened?.destroy();
      await server?.stop();
    });

    /** Always the same 400 entries, so that a difference can be looked into. */
    async function fill(): Promise<void> {
      const word = fc.oneof(
        { weight: 9, arbitrary: fc.constantFrom(...words) },
        { weight: 1, arbitrary: fc.constantFrom(...hostile) },
      );
      const text = fc.array(word, { maxLength: 8 }).map((all) => all.join(' '));
      const name = fc.constantFrom(...names);
      const draft = fc.record({
        title: text,
        description: text,
        owner: name,
        level: fc.constantFrom('Info', 'Problem', 'info'),
        logbooks: fc
          .uniqueArray(fc.constantFrom('open', 'closed', 'other'), { minLength: 1 })
          .map((all) => all.map(logbook)),
        tags: fc.uniqueArray(name, { maxLength: 3 }).map((all) => all.map(tag)),
        createdDate: fc.integer({ min: 1_600_000_000_000, max: 1_640_000_000_000 }),
        properties: fc
          .array(fc.tuple(name, fc.dictionary(name, fc.oneof(name, text), { maxKeys: 2, noNullPrototype: true })), {
            maxLength: 2,
          })
          .map((all) => all.map(([of, values]) => property(of, values))),
        attachments: fc.array(
          fc.constantFrom('a.PNG', 'b.tar.gz', '.gz').map((filename) => attachment({ filename })),
          { maxLength: 1 },
        ),
        group: fc.constantFrom(undefined, 'One', 'two', ' Two '),
      });
      const drafts = fc.sample(draft, { numRuns: 400, seed: 7 });
      await opened.storage.write(async (tx) => {
        for (const { group, ...fields } of drafts) {
          const properties = group === undefined ? fields.properties : withGroup(fields.properties, group);
          await tx.entries.insert(entryDraft({ ...fields, properties }));
        }
      });
      await opened.storage.write(async (tx) => {
        for (let id = 1; id <= 400; id += 9) {
          const found = await tx.entries.find(id);
          if (found) await tx.entries.edit({ ...found.entry, title: `${found.entry.title} edited`, modifyDate: 5 });
        }
      });
    }

    const text = fc.oneof(
      fc.constantFrom(
        ...words,
        ...hostile,
        'bema',
        'vacum',
        'nowhere',
        'dmp',
        '?',
        '??',
        'b?a*',
        '*a*b*',
        '*:*',
        'sr:c0?*',
        '[a-z]*',
        'a\\*',
      ),
      fc.tuple(fc.constantFrom(...words), fc.constantFrom(...words)).map(([one, two]) => `"${one} ${two}"`),
    );
    const pattern = fc.oneof(
      fc.constantFrom(...names, 'alpa', 'betagamma').map((one) => (one.includes('"') ? one : `"${one}"`)),
      fc.constantFrom('a*', '*a*', '?lpha', '"a\\*"'),
    );
    const params = fc
      .record(
        {
          query: fc
            .array(
              fc.oneof(
                text,
                text.map((one) => `-${one}`),
              ),
              { maxLength: 3 },
            )
            .map((all) => all.join(' ')),
          text,
          title: text,
          fuzzy: fc.constant('true'),
          owner: pattern,
          tags: pattern,
          level: fc.constantFrom('info', 'problem', 'p*', 'inof'),
          logbooks: fc.constantFrom('open', 'closed|other', 'opne'),
          properties: fc
            .tuple(pattern, pattern, pattern)
            .chain(([a, b, c]) => fc.constantFrom(a, `${a}.${b}`, `${a}.${b}.${c}`)),
          attachments: fc.constantFrom('image', '*.png', '*.gz', 'a*'),
          sort: fc.constantFrom('up', 'down'),
          group: fc.constant('thread'),
          size: fc.constantFrom('5', '50'),
          from: fc.constantFrom('0', '3'),
        },
        { requiredKeys: [] },
      )
      .filter((one) => Object.keys(one).length < 6);
    const hidden = fc.constantFrom([], [], ['closed'], ['closed', 'other']);
    const parse = (given: SearchParams, hiddenLogbooks: readonly string[]): Query | undefined => {
      try {
        return parseQuery(given, { nowMs: 1_650_000_000_000, zone: 'Europe/Berlin', hiddenLogbooks });
      } catch {
        return undefined;
      }
    };
    const read = async (index: SearchIndex, query: Query, view: ReturnType<typeof parseView>, entries: PageEntries) => {
      const pieces: Uint8Array[] = [];
      if (entries.kind === 'joined') pieces.push(entries.json);
      if (entries.kind === 'begun' && view) {
        const more = (rest: Parameters<SearchIndex['show']>[1]) => index.show({ query, view }, rest);
        for await (const piece of shownChunks(entries, more)) pieces.push(piece);
      }
      return JSON.parse(Buffer.concat(pieces).toString()) as unknown;
    };
    const compare = async (work: (index: SearchIndex) => Promise<unknown>) => {
      const outcome = (index: SearchIndex) =>
        work(index).catch((error: { code?: string }) => {
          if (error.code === undefined) throw error;
          return error.code;
        });
      expect(await outcome(opened.searchIndex)).toEqual(await outcome(opened.embedded));
    };
    const check = (property: fc.IAsyncProperty<unknown>, numRuns: number) =>
      fc.assert(property as fc.IAsyncProperty<[unknown]>, propertyOptions(numRuns));

    test('the same pages, with threads, snippets, highlights and positions', async () => {
      const views = fc.constantFrom({ view: 'list' }, { view: 'list', highlight: 'true' }, { highlight: 'true' });
      await check(
        fc.asyncProperty(params, hidden, views, async (given, closed, shown) => {
          const query = parse(given, closed);
          const view = parseView(shown);
          if (!query) return;
          await compare(async (index) => {
            const page = await index.search(query, { view, position: true });
            return { ...page, entries: await read(index, query, view, page.entries) };
          });
        }),
        150,
      );
    });

    test('the same explanations: parts, counts, expansions, suggestions, and the part without a match', async () => {
      await check(
        fc.asyncProperty(params, hidden, async (given, closed) => {
          const query = parse(given, closed);
          if (!query) return;
          await compare(async (index) => {
            const { explanation } = await index.search(query, { explain: true });
            // The indexes may name other terms of an expansion first, and spell a value in another way.
            const parts = explanation?.parts.map(({ expansion, suggestions, ...part }) => ({
              ...part,
              suggestions: suggestions?.map((one) => one.toLowerCase()).toSorted(),
              expansion: expansion && { count: expansion.count, terms: expansion.terms.toSorted() },
            }));
            return { ...explanation, parts };
          });
        }),
        150,
      );
    });

    test('the same similar entries, in the same order, for the same reasons', async () => {
      // More than 200 entries contain this word, of which the embedded index compares only the newest.
      const rare = words.filter((word) => word !== '束');
      const to = fc.oneof(
        fc.integer({ min: 1, max: 400 }),
        fc
          .array(fc.constantFrom(...rare, 'water', 'laser'), { minLength: 1, maxLength: 6 })
          .map((all) => all.join(' ')),
      );
      await check(
        fc.asyncProperty(to, params, hidden, async (one, given, closed) => {
          const query = parse(given, closed);
          if (!query) return;
          await compare((index) => index.similar({ to: one, query, size: 10 }));
        }),
        150,
      );
    });

    describe('with a maximum number of compared documents', () => {
      let few: IndexedStorage;
      let cluster: SearchCluster;
      let similar: SimilarEntries;
      let index: string;
      const ids: Record<string, number> = {};
      beforeAll(async () => {
        const options = server.newOptions();
        few = await openIndexed(options);
        const titles = { leak: 'Water leak at the cooling manifold', refill: 'Coolant refilled' };
        await few.storage.write(async (tx) => {
          for (const [name, title] of Object.entries(titles)) {
            ids[name] = (await tx.entries.insert(entryDraft({ title, description: '' }))).entry.id;
          }
          for (let n = 1; n <= 30; n++) {
            ids.scan = (await tx.entries.insert(entryDraft({ title: 'Undulator gap scan', description: '' }))).entry.id;
          }
        });
        await few.searchIndex.waitUntilIndexed();
        cluster = new SearchCluster(options, silentLog);
        const { entries, entryWrites } = few.storage.committed;
        similar = new SimilarEntries(cluster, new PageReader(entries), entryWrites, 20);
        const indexes = await new SearchIndexes(
          cluster,
          (await few.storage.status()).storeId,
          indexFormat,
        ).findCurrent();
        index = indexes?.name ?? '';
      });
      afterAll(async () => {
        cluster?.close();
        await few?.destroy();
      });
      const search = (to: string, given: SearchParams = {}) => {
        const query = parseQuery(given, { nowMs: 0, zone: 'UTC', hiddenLogbooks: [] });
        return similar.list(index, { to, query, size: 50 });
      };
      const findIds = async (...args: Parameters<typeof search>) =>
        (await search(...args)).map(({ entry }) => (entry as { id: number }).id);

      test('a filter that leaves fewer documents has all of them compared', async () => {
        const few = { asOf: String(ids.refill) };
        expect(await findIds('coolant dripping', few)).toEqual([ids.refill, ids.leak]);
      });

      test('otherwise, documents with the rarest terms are compared', async () => {
        expect(await findIds('coolant dripping while undulator moves')).toEqual([ids.refill]);
      });

      test('the newest are compared if all terms are frequent', async () => {
        const newest = Array.from({ length: 20 }, (_, at) => (ids.scan ?? 0) - at);
        expect(await findIds('undulator gap scan')).toEqual(newest);
      });

      test('two comparisons run at a time, some wait, and further ones are refused', async () => {
        const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => search('coolant dripping')));
        const refused = outcomes.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
        expect(refused.length).toBeGreaterThanOrEqual(2);
        for (const one of refused) expect(one).toMatchObject({ kind: 'busy', code: 'search.busy' });
        expect(await findIds('coolant dripping')).toEqual([ids.refill]);
      });
    });

    test('the same facets and histograms', async () => {
      const options = fc.record(
        {
          interval: fc.constantFrom<TimeInterval | 'auto'>('auto', 'day', 'week', 'month', 'year', 'minute'),
          buckets: fc.constantFrom(5, 30),
          excludeOwn: fc.boolean(),
          cover: fc.constant({ fromMs: 1_590_000_000_000, toMs: 1_645_000_000_000 }),
        },
        { requiredKeys: [] },
      );
      await check(
        fc.asyncProperty(params, hidden, options, async (given, closed, one) => {
          const query = parse(given, closed);
          if (!query) return;
          await compare(async (index) => {
            const found = await index.facets(query, one);
            // One index shows the first spelling, and the other the newest.
            for (const counts of [found.logbooks, found.tags, found.levels, found.owners]) {
              for (const value of counts.values) Object.assign(value, { name: value.name.toLowerCase() });
            }
            for (const bucket of found.time.buckets) {
              const levels = Object.entries(bucket.levels).map(([name, count]) => [name.toLowerCase(), count]);
              Object.assign(bucket, { levels: Object.fromEntries(levels) });
            }
            return found;
          });
        }),
        100,
      );
    });
  },
);
