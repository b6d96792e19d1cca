import { expect, test } from 'vitest';
import type { ListedEntry } from './elog-folder.js';
import { ElogNames } from './elog-names.js';
import { keyOf, orderScan } from './elog-scan.js';

const place = (id: number, ms: number, more: Partial<ListedEntry> = {}): ListedEntry => ({
  id,
  start: 0,
  end: 1,
  logbook: 'Ops',
  root: Buffer.from('/elog/Ops'),
  dir: Buffer.from('/elog/Ops'),
  file: Buffer.from('/elog/Ops/190102a.log'),
  fileState: '',
  date: { ms, isWithoutZone: false, isOfFile: false },
  parent: undefined,
  replies: [],
  draftOf: undefined,
  ...more,
});
const scan = (entries: readonly ListedEntry[]) =>
  orderScan(
    { entries, unread: [] },
    new ElogNames({ logbooks: {}, attributes: new Map(), timeZone: 'UTC', addresses: [] }, (name) => name),
    () => false,
  );

test('a reply comes after its parent, even if the clock was set back, or only the parent names the reply', async () => {
  const { entries, groups } = await scan([
    place(1, 50, { replies: [3, 9] }),
    place(2, 10, { parent: 1 }),
    place(3, 20),
    place(4, 30, { parent: 2 }),
    place(5, 40, { parent: 77 }),
  ]);
  expect(entries.map(({ id, parent }) => [id, parent])).toEqual([
    [5, 77],
    [1, undefined],
    [2, 1],
    [3, 1],
    [4, 2],
  ]);
  expect([...groups.keys()].sort()).toEqual(['Ops/1', 'Ops/2', 'Ops/3', 'Ops/4']);
  expect(new Set(groups.values())).toEqual(new Set(['Ops/1']));
});

test('cycles of replies, drafts and copies do no harm', async () => {
  const { entries, drafts, doubles } = await scan([
    place(1, 1, { parent: 2 }),
    place(2, 2, { parent: 1 }),
    place(2, 3, { file: Buffer.from('/copy') }),
    place(3, 4, { draftOf: 'Joe' }),
    place(4, 5, { parent: 4 }),
  ]);
  expect(entries.map(keyOf)).toHaveLength(3);
  expect(drafts.map(keyOf)).toEqual(['Ops/3']);
  expect(doubles).toEqual(['Entry Ops/2 occurs twice; the one in “/copy” was left out.']);
});

test('a chain of 3,000 replies takes as many steps for each reply as a short one', async () => {
  const chain = Array.from({ length: 3_000 }, (_, at) => place(at + 1, at, at === 0 ? {} : { parent: at }));
  const { get } = Map.prototype;
  let steps = 0;
  Map.prototype.get = function (key) {
    steps += 1;
    return get.call(this, key);
  };
  try {
    const { groups } = await scan(chain);
    expect(groups.size).toBe(3_000);
    expect(new Set(groups.values())).toEqual(new Set(['Ops/1']));
  } finally {
    Map.prototype.get = get;
  }
  expect(steps).toBeLessThan(20 * chain.length);
});
