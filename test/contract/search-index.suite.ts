import { setMaxListeners } from 'node:events';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Transaction } from '../../src/engines/storage.port.js';
import { type Entry, withGroup } from '../../src/entries/entry.js';
import { foldCase } from '../../src/kernel/text.js';
import { parseQuery } from '../../src/search/parse-query.js';
import type { Query } from '../../src/search/query.js';
import type { SearchParams } from '../../src/search/search-params.js';
import { pageChunks } from '../../src/search/stream-page.js';
import { attachment, entryDraft, logbook, property, tag } from '../fixtures/entries.js';
import { propertyOptions } from '../fixtures/property-options.js';
import { countByScanning, type Stored, searchByScanning } from './search-oracle.js';
import type { OpenSearchableStorage, StorageEngine } from './storage.suite.js';

type Draft = Omit<Entry, 'id' | 'version'>;

export function searchIndexSuite({ open }: StorageEngine<OpenSearchableStorage>): void {
  let opened: OpenSearchableStorage;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => {
    await opened.destroy();
  });

  const store = async (draft: Draft) => (await opened.storage.write((tx) => tx.entries.insert(draft))).entry;
  const search = async (query: Query) => {
    const page = await opened.searchIndex.search(query);
    const pieces: Uint8Array[] = [];
    for await (const piece of pageChunks(page.entries, opened.storage.committed.entries)) pieces.push(piece);
    const entries = JSON.parse(Buffer.concat(pieces).toString()) as Entry[];
    return { hitCount: page.hitCount, entries, ids: entries.map(({ id }) => id) };
  };
  const searchFor = (params: SearchParams) => search(parseQuery(params, { nowMs: Date.now(), zone: 'UTC' }));

  describe('finds', () => {
    const ids: Record<string, number> = {};
    beforeAll(async () => {
      const drafts: Record<string, Partial<Entry>> = {
        trip: {
          title: 'Magnet trip',
          description: 'SR:C03-MG:G02A{Quad:1} tripped. Überprüfung läuft, 12.345 mm.',
          tags: [tag('alarm'), tag('Röntgen')],
          level: 'Problem',
          owner: 'Ada',
          createdDate: 1_000,
        },
        leak: {
          title: 'Vacuum leak',
          description: 'vacuum leak near the beam dump; no beam lost',
          logbooks: [logbook('operations'), logbook('vacuum')],
          level: 'Shift Update',
          attachments: [attachment({ filename: 'Gauge Reading.CSV', contentType: 'text/csv' })],
          createdDate: 2_000,
        },
        photo: {
          title: 'Photo',
          description: 'leak, then vacuum restored; 加速器が停止した',
          attachments: [
            attachment({ id: 'f2' }),
            attachment({ id: 'f3', filename: 'note.pdf', contentType: 'application/pdf' }),
          ],
          properties: [
            property('resource', { name: 'Pump.3', file: 'a,b.png', note: ' by hand\n' }),
            property('Empty', {}),
          ],
          events: [{ name: 'then', instant: 500 }],
          createdDate: 3_000,
        },
      };
      for (const [name, fields] of Object.entries(drafts)) ids[name] = (await store(entryDraft(fields))).id;
    });

    test.each<[SearchParams, string[]]>([
      [{}, ['photo', 'leak', 'trip']],
      [{ text: 'TRIPPED' }, ['trip']],
      [{ text: 'uberprufung' }, ['trip']],
      [{ text: 'vacuum leak' }, ['photo', 'leak']],
      [{ text: '"vacuum leak"' }, ['leak']],
      [{ phrase: 'leak near the beam' }, ['leak']],
      [{ text: 'SR:C03-MG:G02A{Quad:1}' }, ['trip']],
      [{ text: 'c03-mg' }, ['trip']],
      [{ text: 'G02A' }, ['trip']],
      [{ text: 'sr:*{quad:1}' }, ['trip']],
      [{ text: '*G02A*' }, ['trip']],
      [{ text: '12.345' }, ['trip']],
      [{ text: 'tri?ped' }, ['trip']],
      [{ text: '*cuum' }, ['photo', 'leak']],
      [{ text: 'vac*' }, ['photo', 'leak']],
      [{ text: 'vacum', fuzzy: '' }, ['photo', 'leak']],
      [{ text: 'vacum' }, []],
      [{ text: '加速器' }, ['photo']],
      [{ text: '*速器*' }, ['photo']],
      [{ text: 'trip' }, []],
      [{ title: 'trip' }, ['trip']],
      [{ title: 'mag* trip' }, ['trip']],
      [{ query: 'ada problem magnet' }, ['trip']],
      [{ query: 'pump' }, ['photo']],
      [{ query: 'csv' }, ['leak']],
      [{ query: '"operations vacuum"' }, []],
      [{ query: 'logbook=vacuum' }, ['leak']],
      [{ query: 'leak -logbook=vac*' }, ['photo']],
      [{ query: 'OWNER=ada owner=user' }, ['photo', 'leak', 'trip']],
      [{ query: 'owner=ada', owner: 'user' }, []],
      [{ query: 'tag=alarm,none level=problem' }, ['trip']],
      [{ query: 'property=resource.name.Pump.3' }, ['photo']],
      [{ query: 'title="vacuum leak"' }, ['leak']],
      [{ query: 'title=photo title=vac*' }, ['photo', 'leak']],
      [{ query: '-title=photo -title=vac*' }, ['trip']],
      [{ query: 'attachment=pdf attachment=*.csv' }, ['photo', 'leak']],
      [{ query: 'start=1970-01-01T00:00:01.000Z end=1970-01-01T00:00:02.000Z' }, ['leak', 'trip']],
      [
        { query: 'start=1970-01-01T00:00:01.000Z end=1970-01-01T00:00:03.000Z', end: '1970-01-01T00:00:01.500Z' },
        ['trip'],
      ],
      [{ query: 'owner= tag=' }, ['photo', 'leak', 'trip']],
      [{ query: 'I=200mA' }, []],
      [{ owner: 'ADA' }, ['trip']],
      [{ owner: 'a*,nobody' }, ['trip']],
      [{ level: 'problem|urgent' }, ['trip']],
      [{ level: 'UPDATE' }, ['leak']],
      [{ level: 'shift update' }, ['leak']],
      [{ level: 'up*,prob' }, ['leak']],
      [{ level: 'upd' }, []],
      [{ level: 'update shift' }, []],
      [{ query: 'level=shift,problem' }, ['leak', 'trip']],
      [{ query: 'leak -level=update' }, ['photo']],
      [{ tags: 'röntgen' }, ['trip']],
      [{ tags: 'rontgen' }, []],
      [{ tags: 'alarm', logbooks: 'vacuum' }, []],
      [{ logbooks: 'VAC*' }, ['leak']],
      [{ properties: 'resource' }, ['photo']],
      [{ properties: 'resource.name.pump.3' }, ['photo']],
      [{ properties: 'resource.file.pump.3' }, []],
      [{ properties: '..pump*' }, ['photo']],
      [{ properties: 'empty' }, ['photo']],
      [{ properties: 'resource.file."A,B.png"' }, ['photo']],
      [{ properties: 'resource.note.by hand' }, ['photo']],
      [{ attachments: '' }, ['photo', 'leak']],
      [{ attachments: 'image' }, ['photo']],
      [{ attachments: 'pdf;text' }, ['photo', 'leak']],
      [{ attachments: 'gauge*.csv' }, ['leak']],
      [{ attachments: '*.CSV' }, ['leak']],
      [{ attachments: '*.sv' }, []],
      [{ attachments: 'IMAGE.PNG' }, ['photo']],
      [{ start: '1970-01-01T00:00:01.000Z', end: '1970-01-01T00:00:02.000Z' }, ['leak', 'trip']],
      [{ start: '1970-01-01T00:00:01.001Z', end: '1970-01-01T00:00:01.999Z' }, []],
      [{ end: '1970-01-01T00:00:00.500Z' }, ['photo']],
      [{ end: '1970-01-01T00:00:00.500Z', includeevents: 'false' }, []],
      [{ sort: 'up' }, ['trip', 'leak', 'photo']],
      [{ size: '1', page: '2' }, ['leak']],
      [{ from: '3' }, []],
      [{ from: '1000000' }, []],
      [{ text: 'NEAR(beam OR -dump) : ^a* {b}' }, []],
    ])('%j', async (params, expected) => {
      const names = async () =>
        (await searchFor(params)).ids.map((id) => Object.keys(ids).find((name) => ids[name] === id));
      expect(await names()).toEqual(expected);
      await opened.searchIndex.waitUntilIndexed();
      expect(await names()).toEqual(expected);
    });

    test('the hit count covers all matches, independent of the page', async () => {
      expect((await searchFor({ size: '1' })).hitCount).toBe(3);
      expect((await searchFor({ size: '0' })).hitCount).toBe(3);
      expect((await searchFor({ from: '100' })).hitCount).toBe(3);
    });
  });

  test('an entry is found by words that an earlier version left out of its description', async () => {
    const [definition, item] = [
      await store(entryDraft({ source: '[12:03]: klystronfault', description: '' })),
      await store(entryDraft({ source: '1812. septemberfault', description: 'septemberfault' })),
    ];
    expect((await searchFor({ text: 'klystronfault' })).ids).toEqual([definition.id]);
    expect((await searchFor({ text: 'septemberfault 1812' })).ids).toEqual([item.id]);
  });

  test('an edited entry is found only by its current version', async () => {
    const entry = await store(entryDraft({ description: 'zirconium', tags: [tag('before')] }));
    await opened.storage.write((tx) => tx.entries.edit({ ...entry, description: 'hafnium', tags: [tag('after')] }));
    expect((await searchFor({ text: 'zirconium' })).ids).toEqual([]);
    expect((await searchFor({ tags: 'before' })).ids).toEqual([]);
    expect((await searchFor({ text: 'hafnium', tags: 'after' })).ids).toEqual([entry.id]);
    await opened.searchIndex.waitUntilIndexed();
    expect((await searchFor({ text: 'zirconium' })).ids).toEqual([]);
    expect((await searchFor({ tags: 'before' })).ids).toEqual([]);
    expect((await searchFor({ text: 'hafnium', tags: 'after' })).ids).toEqual([entry.id]);
  });

  test('a search that many clients repeat finds every entry as soon as it is acknowledged', async () => {
    const ids: number[] = [];
    const params = { text: 'repeatedly', sort: 'down' };
    for (let index = 0; index < 10; index++) {
      const earlier = Promise.all(Array.from({ length: 5 }, () => searchFor(params)));
      const { id } = await store(entryDraft({ description: 'repeatedly' }));
      ids.unshift(id);
      for (const found of await Promise.all(Array.from({ length: 5 }, () => searchFor(params)))) {
        expect(found.ids).toEqual(ids);
      }
      await earlier;
    }
  });

  test('an acknowledged entry is found immediately; a failed one never', async () => {
    for (let index = 0; index < 20; index++) {
      const { id } = await store(entryDraft({ description: `immediately${index}` }));
      expect((await searchFor({ text: `immediately${index}` })).ids).toEqual([id]);
    }
    await opened.storage
      .write(async (tx) => {
        await tx.entries.insert(entryDraft({ description: 'phantom' }));
        throw new Error('no');
      })
      .catch(() => undefined);
    expect(await searchFor({ text: 'phantom' })).toMatchObject({ hitCount: 0 });
  });

  test('a search whose client has disconnected is cancelled, and the next one succeeds', async () => {
    const query = parseQuery({ query: '*e* *a*', sort: 'relevance' }, { nowMs: 0, zone: 'UTC' });
    const disconnected = new AbortController();
    // Node warns of more than ten on one signal.
    setMaxListeners(0, disconnected.signal);
    const searches = Array.from({ length: 20 }, () =>
      opened.searchIndex.search(query, { signal: disconnected.signal }),
    );
    disconnected.abort();
    const outcomes = await Promise.allSettled([
      ...searches,
      opened.searchIndex.search(query, { signal: disconnected.signal }),
    ]);
    // Searches that a worker had already finished may have succeeded.
    for (const outcome of outcomes.slice(2)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'search.cancelled' } });
    }
    expect((await search(query)).hitCount).toBeGreaterThanOrEqual(0);
  });

  test('a search whose client disconnects while it runs is cancelled or answered', async () => {
    const query = parseQuery({ query: '*e* *a*', sort: 'relevance' }, { nowMs: 0, zone: 'UTC' });
    for (let ms = 0; ms < 25; ms++) {
      // Only the moment differs.
      const outcome = await opened.searchIndex.search(query, { signal: AbortSignal.timeout(ms) }).then(
        () => 'answered',
        (error: { code?: string }) => error.code,
      );
      expect(['answered', 'search.cancelled']).toContain(outcome);
    }
    expect((await search(query)).hitCount).toBeGreaterThanOrEqual(0);
  });

  test('entries are returned as the interface shows them', async () => {
    const entry = await store(entryDraft({ description: 'wholeness', tags: [tag('a')], attachments: [attachment()] }));
    expect((await searchFor({ text: 'wholeness' })).entries).toEqual([entry]);
  });

  test('a long page contains the entries as they were found, despite writes while it is read', async () => {
    const long = 'x'.repeat(70_000);
    const [edited, annotated, both] = [
      await store(entryDraft({ title: 'edited', description: `lengthy ${long}` })),
      await store(entryDraft({ title: 'annotated', description: `lengthy ${long}` })),
      await store(entryDraft({ title: 'both', description: 'lengthy' })),
    ];
    const page = await opened.searchIndex.search(parseQuery({ text: 'lengthy' }, { nowMs: 0, zone: 'UTC' }));
    expect(page.entries).toMatchObject({ kind: 'long' });
    await opened.storage.write(async (tx) => {
      await tx.entries.edit({ ...edited, title: 'later' });
      await tx.entries.annotate({ ...annotated, properties: withGroup(annotated.properties, 'group') });
      await tx.entries.annotate({ ...both, properties: withGroup(both.properties, 'group') });
    });
    await opened.storage.write(async (tx) => {
      const now = await tx.entries.find(both.id);
      if (now) await tx.entries.edit({ ...now.entry, title: 'later' });
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of pageChunks(page.entries, opened.storage.committed.entries)) pieces.push(piece);
    const entries = JSON.parse(Buffer.concat(pieces).toString()) as Entry[];
    // An annotation archives no version.
    expect(entries.map(({ id, title, properties }) => [id, title, properties.length])).toEqual([
      [both.id, 'both', 1],
      [annotated.id, 'annotated', 1],
      [edited.id, 'edited', 0],
    ]);
  });

  test('facets count properties by name, as the newest match spells them, indexed or not', async () => {
    const values = async (params: Record<string, string> = {}, options = {}) => {
      const query = parseQuery({ text: 'spelled', ...params }, { nowMs: 0, zone: 'UTC' });
      return (await opened.searchIndex.facets(query, options)).properties;
    };
    await store(entryDraft({ description: 'spelled', properties: [property('Magnet', { name: 'Q1' })] }));
    const both = [property('MAGNET', { name: 'Q2' }), property('Ticket', {})];
    await store(entryDraft({ description: 'spelled', properties: withGroup(both, 'group') }));
    const expected = [
      { name: 'MAGNET', count: 2 },
      { name: 'Ticket', count: 1 },
    ];
    expect(await values()).toEqual({ distinct: 2, values: expected });
    await opened.searchIndex.waitUntilIndexed();
    expect(await values()).toEqual({ distinct: 2, values: expected });
    const one = { distinct: 1, values: [{ name: 'Magnet', count: 1 }] };
    expect(await values({ properties: 'magnet.name.q1' })).toEqual(one);
    expect(await values({ properties: 'magnet.name.q1' }, { excludeOwn: true })).toMatchObject({ values: expected });
    expect(await values({ query: '-property=ticket' }, { excludeOwn: true })).toMatchObject({ values: expected });
  });

  test('counts and pages are exact beyond ten thousand matches', async () => {
    const total = 10_050;
    await opened.storage.write(async (tx) => {
      for (let number = 0; number < total; number++) {
        await tx.entries.insert(entryDraft({ description: 'plenty', createdDate: number }));
      }
    });
    await opened.searchIndex.waitUntilIndexed();
    const beyond = await searchFor({ text: 'plenty', from: '10040', size: '100' });
    expect(beyond.hitCount).toBe(total);
    expect(beyond.entries.map(({ createdDate }) => createdDate)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect((await searchFor({ text: 'plenty', page: '11', size: '1000' })).entries).toHaveLength(50);
    expect((await searchFor({ text: 'plen*' })).hitCount).toBe(total);
  });

  describe('compared with a scan of all entries', () => {
    let runs = 0;

    const fileTexts: Record<string, string> = { one: 'beam dump', two: 'SR:C03{Quad:1} été', three: '' };

    // Few and similar words, so that most conditions match some entries and not others.
    const word = fc.constantFrom(
      'beam',
      'bean',
      'beams',
      'dump',
      'été',
      'SR:C03{Quad:1}',
      'SR:C04-Q',
      'a.b',
      '束',
      '速束',
      '12.5',
      'x',
    );
    const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
    const name = fc.constantFrom('Alpha', 'alpha', 'Beta gamma', 'delta,epsilon', 'Ö[1]', 'beam');
    const names = fc.uniqueArray(name, { maxLength: 3 });
    const draft = fc.record({
      title: text,
      description: text,
      owner: name,
      logbooks: names.map((list) => list.map(logbook)),
      tags: names.map((list) => list.map(tag)),
      devices: fc.constantFrom(undefined, ['SR:C03{Quad:1}'], ['SR:C04-Q', 'sr:c03{quad:1}']),
      run: fc.constantFrom(undefined, { status: 'running', blocks: 0, changedDate: 0 } as const),
      automatic: fc.constantFrom(undefined, true as const),
      createdDate: fc.integer({ min: 0, max: 40 }),
      events: fc.array(fc.record({ name, instant: fc.integer({ min: 0, max: 40 }) }), { maxLength: 2 }),
      properties: fc.array(
        fc
          .tuple(name, fc.dictionary(name, name, { maxKeys: 2, noNullPrototype: true }))
          .map(([of, values]) => property(of, values)),
        { maxLength: 2 },
      ),
      attachments: fc.array(
        fc
          .record({
            filename: fc.constantFrom('beam', 'Beam.PNG', 'a.tar.gz', 'b.gz', '.gz', 'delta.', 'Ö[1].png'),
            contentType: fc.constantFrom('image/png', 'text/plain', 'application/pdf', 'video/mp4'),
            checksum: fc.constantFrom(...Object.keys(fileTexts)),
          })
          .map(attachment),
        { maxLength: 2 },
      ),
    });
    const searchText = fc.oneof(
      word,
      word.map((one) => `${one.slice(0, 2)}*`),
      word.map((one) => `*${one.slice(-2)}`),
      word.map((one) => `*${one.slice(1, 3)}?*`),
      fc.tuple(word, word).map(([one, two]) => `"${one} ${two}"`),
    );
    const namePattern = fc.oneof(
      name.map((one) => `"${one}"`),
      name.map((one) => `"${one.slice(0, 1)}*"`),
      fc.constant('*a'),
    );
    const devicePattern = fc.constantFrom('SR:C03{Quad:1}', 'c03', 'SR*', '*-q', 'quad,C04', 's?', 'x');
    const list = fc.array(namePattern, { minLength: 1, maxLength: 2 }).map((items) => items.join('|'));
    const words = fc.array(searchText, { minLength: 1, maxLength: 2 }).map((items) => items.join(' '));
    const boxWord = fc.oneof(
      { weight: 3, arbitrary: searchText },
      { weight: 1, arbitrary: searchText.map((item) => `-${item}`) },
      {
        weight: 1,
        arbitrary: fc.constantFrom(
          'has:attachment',
          '-has:attachment',
          'is:reply',
          '-is:reply',
          'is:edited',
          '-is:running',
          'is:automatic',
        ),
      },
    );
    const boxFilter = fc
      .tuple(
        fc.constantFrom('', '', '-'),
        fc.oneof(
          fc.tuple(fc.constantFrom('owner', 'tag', 'logbook'), list),
          fc.tuple(fc.constant('device'), devicePattern),
          fc.tuple(fc.constant('property'), namePattern),
          fc.constantFrom(['attachment', 'image'], ['attachment', '*.gz,text'], ['attachment', '*']),
          fc.tuple(fc.constant('title'), word),
        ),
      )
      .map(([sign, [key, value]]) => `${sign}${key}=${value}`);
    const boxItem = fc.oneof({ weight: 3, arbitrary: boxWord }, { weight: 2, arbitrary: boxFilter });
    const box = fc.array(boxItem, { minLength: 1, maxLength: 3 }).map((items) => items.join(' '));
    const instant = fc.integer({ min: 0, max: 20 }).map(String);
    const values = {
      text: words,
      title: words,
      query: box,
      attachmenttext: words,
      fuzzy: fc.constantFrom('true', 'false'),
      owner: list,
      logbooks: list,
      tags: list,
      device: devicePattern,
      properties: fc
        .tuple(namePattern, namePattern, namePattern)
        .chain(([of, attribute, value]) =>
          fc.constantFrom(of, `${of}.${attribute}`, `${of}.${attribute}.${value}`, `..${value}`),
        ),
      attachments: fc.oneof(
        list,
        fc.constantFrom('', 'image', 'text', 'pdf,video', '*', '*.gz', '*.png', '*.tar.gz', '*.*', 'b*.png|*.gz', '*.'),
      ),
      start: instant,
      end: instant.map((ms) => String(20 + Number(ms))),
      includeevents: fc.constantFrom('true', 'false'),
      sort: fc.constantFrom('up', 'down', 'relevance'),
      size: fc.constantFrom('1', '3', '1000'),
      from: fc.constantFrom('0', '2'),
      hidden: fc.constantFrom('alpha', 'beta gamma', 'nowhere'),
    };
    // Few parameters at a time: with more, hardly anything would match.
    const params = fc
      .subarray(Object.keys(values) as (keyof typeof values)[], { minLength: 1, maxLength: 4 })
      .chain((keys) => fc.record(Object.fromEntries(keys.map((key) => [key, values[key]]))));
    const queries = fc.array(params, { minLength: 30, maxLength: 30 });

    // The writes of a run, in order, and the points at which the index catches up.
    const step = fc.oneof(
      { weight: 6, arbitrary: draft.map((fields) => ({ kind: 'create', fields }) as const) },
      {
        weight: 2,
        arbitrary: fc.tuple(fc.nat(), draft).map(([at, fields]) => ({ kind: 'edit', at, fields }) as const),
      },
      { weight: 1, arbitrary: fc.nat().map((at) => ({ kind: 'annotate', at }) as const) },
      { weight: 2, arbitrary: fc.constant({ kind: 'catch up' } as const) },
      { weight: 1, arbitrary: fc.constant({ kind: 'read files' } as const) },
    );
    const history = fc.array(step, { minLength: 1, maxLength: 16 });

    test('the same entries are found, in the same order, with the same count', async () => {
      const property = fc.asyncProperty(history, queries, async (steps, searches) => {
        // The entries of each run have their own level, by which each of its queries is restricted.
        runs += 1;
        const level = `Run ${runs}`;
        // Later than all earlier runs, so that some entries are in order and some are backdated.
        const epochMs = 10_000 + runs * 100;
        const read = ({ start, end, hidden, ...params }: Readonly<Record<string, string>>) =>
          parseQuery(
            {
              ...params,
              level,
              start: start === undefined ? undefined : new Date(epochMs + Number(start)).toISOString(),
              end: end === undefined ? undefined : new Date(epochMs + Number(end)).toISOString(),
            },
            { nowMs: 0, zone: 'UTC', hiddenLogbooks: hidden === undefined ? [] : [hidden] },
          );
        const entries: Stored[] = [];
        for (const step of steps) {
          if (step.kind === 'catch up') await opened.searchIndex.waitUntilIndexed();
          else if (step.kind === 'read files') await readFiles();
          else await opened.storage.write((tx) => take(tx, at(step, epochMs), entries, level));
        }
        await readFiles();
        for (const params of searches) {
          const query = read(params);
          const { hitCount, ids } = await search(query);
          const expected = searchByScanning(entries, query);
          // Engines may rank differently, but must find the same entries.
          if (query.sort === 'relevance' && expected.hitCount > expected.ids.length) expected.ids = ids;
          if (query.sort === 'relevance')
            for (const list of [ids, expected.ids]) list.sort((one, other) => one - other);
          expect({ params, hitCount, ids }).toEqual({ params, ...expected });
        }
        for (const params of searches.slice(0, 5)) {
          const query = { ...read(params), from: 0, size: 1_000, sort: 'oldest' as const };
          const all = entries.map(({ id }) => id).toSorted((one, other) => one - other);
          const found = await opened.searchIndex.matching(query, [...all, 0, 999_999_999]);
          expect({ params, found }).toEqual({
            params,
            found: searchByScanning(entries, query).ids.toSorted((one, other) => one - other),
          });
        }
        const [params = {}] = searches;
        const query = read(params);
        const facets = await opened.searchIndex.facets(query, { interval: 'year' });
        for (const counts of [
          facets.logbooks,
          facets.tags,
          facets.levels,
          facets.owners,
          facets.devices,
          facets.properties,
        ]) {
          // The label is the spelling that came first.
          for (const value of counts.values) Object.assign(value, { name: foldCase(value.name) });
        }
        expect({ params, ...facets }).toEqual({ params, ...countByScanning(entries, query) });
      });
      await fc.assert(property, propertyOptions(100));
    });

    type Step = Exclude<typeof step extends fc.Arbitrary<infer T> ? T : never, { kind: 'catch up' | 'read files' }>;

    /** Stores the texts of attachments, as the text extraction job does. */
    async function readFiles(): Promise<void> {
      await opened.storage.write(async (tx) => {
        for (const { checksum } of await tx.attachments.listUnextracted('', 100)) {
          await tx.attachments.storeText(checksum, fileTexts[checksum] ?? '');
        }
      });
    }

    function at(step: Step, epochMs: number): Step {
      if (step.kind === 'annotate') return step;
      const { createdDate, events } = step.fields;
      const moved = events.map(({ name, instant }) => ({ name, instant: epochMs + instant }));
      return { ...step, fields: { ...step.fields, createdDate: epochMs + createdDate, events: moved } };
    }

    async function take(tx: Transaction, step: Step, entries: Stored[], level: string): Promise<void> {
      if (step.kind === 'create') {
        const inReplyTo = step.fields.title.length % 3 === 0 ? entries[0]?.id : undefined;
        const { entry } = await tx.entries.insert(entryDraft({ ...step.fields, level }), { inReplyTo });
        entries.push({ ...entry, isReply: inReplyTo !== undefined, fileTexts });
        return;
      }
      const at = step.at % entries.length;
      const before = entries[at];
      if (!before) return;
      const { isReply, fileTexts: _, ...entry } = before;
      const after =
        step.kind === 'edit'
          ? await tx.entries.edit({ ...entry, ...step.fields, createdDate: entry.createdDate, modifyDate: 1 })
          : await tx.entries.annotate({ ...entry, properties: withGroup(entry.properties, 'beam') });
      entries[at] = { ...after.entry, isReply, fileTexts };
    }
  });

  test('entry 0 is found by its words, also after an edit', async () => {
    const { entry } = await opened.storage.write((tx) =>
      tx.entries.insertGiven({ ...entryDraft({ title: 'zeroth' }), id: 0 }),
    );
    expect((await searchFor({ title: 'zeroth' })).ids).toEqual([0]);
    await opened.storage.write((tx) => tx.entries.edit({ ...entry, title: 'noughtword' }));
    expect((await searchFor({ title: 'noughtword' })).entries).toMatchObject([{ id: 0, title: 'noughtword' }]);
  });
}
