import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/engines/storage.port.js';
import { WebhookSender } from '../../src/integrations/webhook/webhook-sender.js';
import { systemClock } from '../../src/kernel/clock.js';
import { Fault } from '../../src/kernel/fault.js';
import { DeliveryWorker } from '../../src/notifications/subscribers/delivery-worker.js';
import { backOffMs, deliveryIdOf, type Subscriber } from '../../src/notifications/subscribers/subscriber.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import type { OpenStorage } from '../contract/storage.suite.js';
import { entryDraft } from '../fixtures/entries.js';
import { recordingLog } from '../fixtures/log.js';
import { Receiver } from '../fixtures/receiver.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const subscriber: Subscriber = {
  name: 'hook',
  kind: 'webhook',
  target: 'here',
  search: {},
  events: ['created'],
  batchMs: 0,
  maxChanges: 3,
  retryMs: 5,
  maxRetryMs: 20,
  giveUpMs: 60_000,
};

describe.each([sqliteEngine])('a subscriber of the storage $name', ({ open }) => {
  let opened: OpenStorage;
  let target: Receiver;
  let running: DeliveryWorker | undefined;
  let logged: ReturnType<typeof recordingLog>;
  beforeEach(async () => {
    opened = await open();
    target = await Receiver.start();
    logged = recordingLog();
  });
  afterEach(async () => {
    await running?.stop();
    await opened.destroy();
    await target.stop();
  });

  const follow = async (
    fields: Partial<Subscriber> = {},
    {
      storage = opened.storage,
      searchIndex = opened.searchIndex,
    }: { storage?: Storage; searchIndex?: SearchIndex } = {},
  ): Promise<DeliveryWorker> => {
    const url = new URL(target.origin);
    const rules = { allowPrivate: true, allowed: [] };
    const sender = new WebhookSender({ url, timeoutMs: 5_000, secret: 'x', ...rules }, systemClock);
    const deps = { storage, searchIndex, clock: systemClock, zone: 'UTC', linkOf: () => '', log: logged.log };
    const it = await DeliveryWorker.start(deps, { ...subscriber, ...fields }, sender);
    opened.storage.onCommit(() => it.noteCommit());
    running = it;
    return it;
  };
  const create = (title: string, fields: { notify?: boolean; text?: string } = {}) =>
    opened.storage.write(async (tx) => {
      const { id: entryId } = await tx.entries.insert(entryDraft({ title, description: fields.text ?? 'text' }));
      await tx.feed.append({ kind: 'created', entryId, version: 1, notify: fields.notify ?? true, atMs: Date.now() });
    });
  const handled = async (it: DeliveryWorker, sequence: number) => {
    while (it.progress.sequence < sequence) await new Promise(setImmediate);
  };

  test('tells of at most so many changes at once, however many wait', async () => {
    await follow().then((it) => it.stop());
    for (let index = 0; index < 7; index++) await create(`entry ${index}`);
    await handled(await follow(), 7);
    expect(target.received.map(({ json }) => json.changes.length)).toEqual([3, 3, 1]);
    expect(target.titles).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `entry ${index}`));
  });

  test('tells of long entries apart', async () => {
    await follow().then((it) => it.stop());
    const text = 'x'.repeat(600_000);
    for (const title of ['a', 'b']) await create(title, { text });
    await handled(await follow(), 2);
    expect(target.received.map(({ json }) => json.changes.length)).toEqual([1, 1]);
  });

  test('remembers over a restart what it looked at, and tells of nothing twice', async () => {
    let it = await follow({ search: { title: 'wanted' } });
    await create('quiet wanted', { notify: false });
    await create('other');
    await create('wanted');
    await create('other');
    await handled(it, 4);
    await it.stop();
    expect(await opened.storage.committed.subscribers.find('hook')).toMatchObject({ sequence: 4, pending: null });
    opened = await opened.reopen();
    it = await follow({ search: { title: 'wanted' } });
    await create('wanted again');
    await handled(it, 5);
    expect(target.titles).toEqual(['wanted', 'wanted again']);
  });

  test('waits for a search that cannot answer yet, and says so', async () => {
    let refusals = 2;
    const searchIndex: SearchIndex = {
      search: (...args) => opened.searchIndex.search(...args),
      facets: (...args) => opened.searchIndex.facets(...args),
      waitUntilIndexed: (...args) => opened.searchIndex.waitUntilIndexed(...args),
      status: () => opened.searchIndex.status(),
      async matching(...args) {
        if (refusals-- > 0) throw new Fault('unavailable', 'search.index-building', 'The search index is being built.');
        return opened.searchIndex.matching(...args);
      },
    };
    const it = await follow({ search: { title: 'wanted' } }, { searchIndex });
    await create('wanted');
    while (it.progress.lastError === '') await new Promise(setImmediate);
    expect(it.progress).toMatchObject({ lastError: 'The search index is being built.', sequence: 0 });
    await target.waitFor(1);
    expect(target.titles).toEqual(['wanted']);
    expect(logged.messages()).toEqual(['subscriber paused: internal error; will retry']);
  });

  test('one that is new while the disk is full is on record with the first entry that fits, and misses nothing after a restart', async () => {
    let isFull = true;
    const storage: Storage = {
      ...opened.storage,
      write: (work) =>
        isFull ? Promise.reject(new Fault('full', 'storage.full', 'Full.')) : opened.storage.write(work),
    };
    await create('before');
    const it = await follow({ batchMs: 60_000 }, { storage });
    while (it.progress.lastError === '') await new Promise(setImmediate);
    isFull = false;
    await create('first');
    // The delivery still waits for others to join it.
    while (!(await opened.storage.committed.subscribers.find('hook'))) await new Promise(setImmediate);
    isFull = true;
    await it.stop();
    opened = await opened.reopen();
    await create('second');
    await handled(await follow(), 3);
    expect(target.titles).toEqual(['first', 'second']);
  });

  test('what arrived is not sent again because its record does not fit on the disk', async () => {
    let writes = 0;
    const storage: Storage = {
      ...opened.storage,
      write: (work) =>
        // The first puts the subscriber on record, the second its delivery.
        ++writes === 3 ? Promise.reject(new Fault('full', 'storage.full', 'Full.')) : opened.storage.write(work),
    };
    const it = await follow({}, { storage });
    await create('first');
    await handled(it, 1);
    await create('second');
    await handled(it, 2);
    expect(target.titles).toEqual(['first', 'second']);
  });
});

test('the waits double up to the longest one, half of each by chance', () => {
  const waits = { retryMs: 1_000, maxRetryMs: 600_000 };
  const longest = [1, 2, 3, 10, 11, 1_000].map((attempt) => backOffMs(attempt, waits, () => 1));
  expect(longest).toEqual([1_000, 2_000, 4_000, 512_000, 600_000, 600_000]);
  expect(backOffMs(2, waits, () => 0)).toBe(1_000);
});

test('a delivery id is of the store, the subscriber and the changes', () => {
  const change = (sequence: number, atMs = 5) =>
    ({ sequence, atMs, kind: 'created', entryId: 1, version: 1, notify: true }) as const;
  const id = deliveryIdOf('store', 'hook', [change(1), change(2)]);
  expect(deliveryIdOf('store', 'hook', [change(1), change(2)])).toBe(id);
  const others = [
    deliveryIdOf('other', 'hook', [change(1), change(2)]),
    deliveryIdOf('store', 'other', [change(1), change(2)]),
    deliveryIdOf('store', 'hook', [change(1)]),
    deliveryIdOf('store', 'hook', [change(12)]),
    deliveryIdOf('store', 'hook', [change(1), change(2, 6)]),
  ];
  expect(new Set([id, ...others]).size).toBe(6);
});
