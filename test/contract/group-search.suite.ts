import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Entry, groupIdOf, withGroup } from '../../src/entries/entry.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { parseView } from '../../src/search/parse-view.js';
import type { Query } from '../../src/search/query.js';
import type { SearchParams } from '../../src/search/search-params.js';
import { shownChunks } from '../../src/search/stream-page.js';
import { entryDraft, logbook } from '../fixtures/entries.js';
import { propertyOptions } from '../fixtures/property-options.js';
import { searchByScanning } from './search-oracle.js';
import type { OpenSearchableStorage, StorageEngine } from './storage.suite.js';

interface Thread {
  readonly id: string;
  readonly size: number;
  readonly position: number;
  readonly lastDate: number;
  readonly lastOwner: string;
}
type Shown = Entry & { readonly snippet: string; readonly thread: Thread | null };

/** Requirements of every search index for threads and views. */
export function groupSearchSuite({ open }: StorageEngine<OpenSearchableStorage>): void {
  let opened: OpenSearchableStorage;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened.destroy());

  const search = async (query: Query, params: SearchParams = { view: 'list' }) => {
    const view = parseView(params) ?? { isList: false, hasHighlights: false };
    const { entries, hitCount } = await opened.searchIndex.search(query, { view });
    if (entries.kind === 'joined')
      return { hitCount, logs: JSON.parse(Buffer.from(entries.json).toString()) as Shown[] };
    if (entries.kind === 'long') throw new Error('the page is in no view');
    const pieces: Uint8Array[] = [];
    const more = (versions: Parameters<typeof opened.searchIndex.show>[1]) =>
      opened.searchIndex.show({ query, view }, versions);
    for await (const piece of shownChunks(entries, more)) pieces.push(piece);
    return { hitCount, logs: JSON.parse(Buffer.concat(pieces).toString()) as Shown[] };
  };

  test('a long page shows the entries as they were found, despite writes while it is read', async () => {
    const long = 'x'.repeat(400_000);
    const created = await opened.storage.write(async (tx) => {
      const all: Entry[] = [];
      for (let at = 0; at < 6; at++) {
        all.push((await tx.entries.insert(entryDraft({ title: `lengthy ${at}`, description: `${at} ${long}` }))).entry);
      }
      return all;
    });
    const query = parseQuery({ title: 'lengthy', sort: 'up' }, { nowMs: 0, zone: 'UTC' });
    const view = { isList: false, hasHighlights: true };
    const { entries } = await opened.searchIndex.search(query, { view });
    if (entries.kind !== 'begun') throw new Error(`the page is ${entries.kind}`);
    await opened.storage.write(async (tx) => {
      await tx.entries.edit({ ...(created[5] as Entry), title: 'later' });
    });
    const pieces: Uint8Array[] = [];
    const more = (versions: Parameters<typeof opened.searchIndex.show>[1]) =>
      opened.searchIndex.show({ query, view }, versions);
    for await (const piece of shownChunks(entries, more)) pieces.push(piece);
    const shown = JSON.parse(Buffer.concat(pieces).toString()) as Shown[];
    expect(shown).toMatchObject(created);
    expect(shown.map(({ thread }) => thread)).toEqual(Array(6).fill(null));
  });

  test('a long thread has exact sizes and positions, and is one hit', async () => {
    const size = 700;
    const groupId = 'A long thread';
    await opened.storage.write(async (tx) => {
      for (let at = 0; at < size; at++) {
        const closed = at % 7 === 0;
        const draft = entryDraft({ title: 'threaded', createdDate: 5_000 + (at % 100), owner: `owner ${at % 100}` });
        const logbooks = [logbook(closed ? 'closed' : 'open')];
        await tx.entries.insert({ ...draft, logbooks, properties: withGroup([], groupId) });
      }
    });
    for (const indexed of [false, true]) {
      if (indexed) await opened.searchIndex.waitUntilIndexed();
      const all = { title: 'threaded', sort: 'up', size: '1000' };
      for (const hiddenLogbooks of [[], ['closed']]) {
        const visible = hiddenLogbooks.length === 0 ? size : size - 100;
        const { logs } = await search(parseQuery(all, { nowMs: 0, zone: 'UTC', hiddenLogbooks }));
        expect(logs.map(({ thread }) => thread?.position)).toEqual(logs.map((_, at) => at + 1));
        expect(new Set(logs.map(({ thread }) => thread?.size))).toEqual(new Set([visible]));
        expect(logs[0]?.thread).toMatchObject({ id: groupId, lastDate: 5_099, lastOwner: 'owner 99' });
        const grouped = await search(
          parseQuery({ ...all, group: 'thread' }, { nowMs: 0, zone: 'UTC', hiddenLogbooks }),
        );
        expect(grouped).toMatchObject({ hitCount: 1, logs: [logs.at(-1)] });
      }
    }
  });

  test('an entry that leaves its thread is a hit of its own, before and after it is indexed', async () => {
    const [first, second] = await opened.storage.write(async (tx) => {
      const insert = async (createdDate: number) => {
        const draft = entryDraft({ title: 'leaving', createdDate });
        return (await tx.entries.insert({ ...draft, properties: withGroup([], 'Left') })).entry;
      };
      return [await insert(7_000), await insert(7_001)];
    });
    const query = parseQuery({ title: 'leaving', group: 'thread' }, { nowMs: 0, zone: 'UTC' });
    const found = async () => (await search(query)).logs.map(({ id, thread }) => [id, thread?.size]);
    await opened.searchIndex.waitUntilIndexed();
    expect(await found()).toEqual([[second?.id, 2]]);
    await opened.storage.write((tx) => tx.entries.edit({ ...(first as Entry), properties: [] }));
    for (const indexed of [false, true]) {
      if (indexed) await opened.searchIndex.waitUntilIndexed();
      expect(await found()).toEqual([
        [second?.id, undefined],
        [first?.id, undefined],
      ]);
    }
  });

  describe('compared with a scan of all entries', () => {
    let runs = 0;
    const draft = fc.record({
      description: fc.constantFrom('beam', 'dump', 'beam dump'),
      createdDate: fc.nat(8),
      owner: fc.constantFrom('ada', 'bob'),
      logbooks: fc.constantFrom([logbook('open')], [logbook('closed')], [logbook('open'), logbook('closed')]),
      group: fc.constantFrom(undefined, 'One', 'two', 'three'),
    });
    const step = fc.oneof(
      { weight: 6, arbitrary: draft.map((fields) => ({ kind: 'create', fields }) as const) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.nat(), draft).map(([at, fields]) => ({ kind: 'edit', at, fields }) as const),
      },
      { weight: 1, arbitrary: fc.nat().map((at) => ({ kind: 'join', at }) as const) },
      { weight: 1, arbitrary: fc.nat().map((at) => ({ kind: 'leave', at }) as const) },
      { weight: 2, arbitrary: fc.constant({ kind: 'catch up' } as const) },
    );
    const params = fc.record({
      text: fc.constantFrom('', 'beam', 'dump'),
      sort: fc.constantFrom('up', 'down'),
      size: fc.constantFrom('1', '2', '100'),
      from: fc.constantFrom('0', '1', '2'),
      group: fc.constantFrom('', 'thread'),
      hidden: fc.constantFrom([], ['closed']),
    });

    test('the same threads are found, with the same sizes and places', async () => {
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.array(params, { minLength: 20, maxLength: 20 }),
        async (steps, searches) => {
          runs += 1;
          const level = `Run ${runs}`;
          const entries: Entry[] = [];
          const half = Math.ceil(steps.length / 2);
          for (const some of [steps.slice(0, half), steps.slice(half)]) {
            for (const one of some) {
              if (one.kind === 'catch up') await opened.searchIndex.waitUntilIndexed();
              else await opened.storage.write((tx) => take(tx, one, entries, level));
            }
            for (const one of searches) await compare(one, entries, level);
          }
        },
      );
      await fc.assert(property, propertyOptions(60));
    });

    async function compare(
      { hidden, ...some }: typeof params extends fc.Arbitrary<infer T> ? T : never,
      entries: readonly Entry[],
      level: string,
    ): Promise<void> {
      const query = parseQuery({ ...some, level }, { nowMs: 0, zone: 'UTC', hiddenLogbooks: hidden });
      const { hitCount, logs } = await search(query);
      const found = logs.map(({ id, thread }) => ({ id, thread }));
      expect({ some, hidden, hitCount, found }).toEqual({ some, hidden, ...scan(entries, query) });
    }

    type Step = Exclude<typeof step extends fc.Arbitrary<infer T> ? T : never, { kind: 'catch up' }>;
    type Tx = Parameters<Parameters<OpenSearchableStorage['storage']['write']>[0]>[0];

    const inGroup = (group: string | undefined) =>
      group === undefined ? [] : withGroup([], `${group} of run ${runs}`);

    async function take(tx: Tx, one: Step, entries: Entry[], level: string): Promise<void> {
      if (one.kind === 'create') {
        const { group, createdDate, ...fields } = one.fields;
        const at = { createdDate: 10_000 + runs * 10 + createdDate, level, properties: inGroup(group) };
        entries.push((await tx.entries.insert(entryDraft({ ...fields, ...at }))).entry);
        return;
      }
      const at = one.at % Math.max(1, entries.length);
      const before = entries[at];
      if (!before) return;
      if (one.kind === 'edit') {
        const { group: _group, createdDate: _created, owner: _owner, ...fields } = one.fields;
        entries[at] = (await tx.entries.edit({ ...before, ...fields })).entry;
      } else if (one.kind === 'leave') {
        entries[at] = (await tx.entries.edit({ ...before, properties: [] })).entry;
      } else if (groupIdOf(before) === undefined) {
        entries[at] = (await tx.entries.annotate({ ...before, properties: inGroup('two') })).entry;
      }
    }

    function scan(entries: readonly Entry[], query: Query) {
      const stored = entries.map((entry) => ({ ...entry, isReply: false, fileTexts: {} }));
      const oldest = { ...query, sort: 'oldest', from: 0, size: 1_000 } as const;
      const byId = new Map(entries.map((entry) => [entry.id, entry]));
      const threadOf = (id: number) => groupIdOf(byId.get(id) as Entry) ?? `alone ${id}`;
      const everything = { ...oldest, description: [], level: [] };
      const visible = searchByScanning(stored, everything).ids;
      const matching = searchByScanning(stored, oldest).ids;
      const hits = query.perGroup
        ? matching.filter((id, at) => !matching.slice(at + 1).some((later) => threadOf(later) === threadOf(id)))
        : matching;
      const ordered = query.sort === 'oldest' ? hits : hits.toReversed();
      const found = ordered.slice(query.from, query.from + query.size).map((id) => {
        const members = visible.filter((other) => threadOf(other) === threadOf(id));
        const last = byId.get(members.at(-1) as number) as Entry;
        const thread = {
          id: threadOf(id),
          size: members.length,
          position: members.indexOf(id) + 1,
          lastDate: last.createdDate,
          lastOwner: last.owner,
        };
        return { id, thread: members.length < 2 ? null : thread };
      });
      return { hitCount: hits.length, found };
    }
  });
}
