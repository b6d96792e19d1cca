import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Storage } from '../../src/engines/storage.port.js';
import { WebhookSender } from '../../src/integrations/webhook/webhook-sender.js';
import { type Clock, monotonicClock, systemClock } from '../../src/kernel/clock.js';
import { ClockWatch } from '../../src/kernel/clock-watch.js';
import { Fault } from '../../src/kernel/fault.js';
import { searchRoute } from '../../src/notifications/subscribers/delivery-route.js';
import { DeliveryWorker, type DeliveryWorkerDeps } from '../../src/notifications/subscribers/delivery-worker.js';
import type { Sender } from '../../src/notifications/subscribers/sender.port.js';
import { computeDeliveryId, type Subscriber } from '../../src/notifications/subscribers/subscriber.js';
import type { SearchIndex } from '../../src/search/search-index.port.js';
import type { OpenSearchableStorage } from '../contract/storage.suite.js';
import { entryDraft } from '../fixtures/entries.js';
import { recordingLog, silentJobs } from '../fixtures/log.js';
import { Receiver } from '../fixtures/receiver.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const subscriber: Subscriber = {
  name: 'hook',
  kind: 'webhook',
  target: 'here',
  search: {},
  events: ['created'],
  batchWindowMs: 0,
  maxChanges: 3,
  initialRetryDelayMs: 5,
  maxRetryDelayMs: 20,
  maxDeliveryAgeMs: 60_000,
};

describe.each([sqliteEngine])('a subscriber of the storage $name', ({ open }) => {
  let opened: OpenSearchableStorage;
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

  const startWorker = async (
    fields: Partial<Subscriber> = {},
    {
      storage = opened.storage,
      searchIndex = opened.searchIndex,
      onSend = () => undefined,
      clockWatch = { mayRemoveByAge: () => true },
      clock = systemClock,
    }: {
      storage?: Storage;
      searchIndex?: SearchIndex;
      onSend?: (signal: AbortSignal) => void;
      clockWatch?: DeliveryWorkerDeps['clockWatch'];
      clock?: Clock;
    } = {},
  ): Promise<DeliveryWorker> => {
    const url = new URL(target.origin);
    const rules = { allowPrivate: true, allowed: [] };
    const webhook = new WebhookSender({ url, timeoutMs: 300_000, secret: 'x', ...rules }, { clock: systemClock });
    const sender: Sender = {
      send: (delivery, signal) => {
        onSend(signal);
        return webhook.send(delivery, signal);
      },
    };
    const deps = { storage, searchIndex, clock, clockWatch, zone: 'UTC', linkOf: () => undefined, log: logged.log };
    const its = { ...subscriber, ...fields };
    const it = await DeliveryWorker.start(deps, its, searchRoute(deps, its, sender));
    opened.storage.onCommit(() => it.onCommit());
    running = it;
    return it;
  };
  const create = (title: string, fields: { notify?: boolean; text?: string } = {}) =>
    opened.storage.write(async (tx) => {
      const { id: entryId } = await tx.entries.insert(entryDraft({ title, description: fields.text ?? 'text' }));
      await tx.feed.append({ kind: 'created', entryId, revision: 1, notify: fields.notify ?? true, atMs: Date.now() });
    });
  const searchWith = (matching: SearchIndex['matching']): SearchIndex => ({
    search: (...args) => opened.searchIndex.search(...args),
    show: (...args) => opened.searchIndex.show(...args),
    suggest: (...args) => opened.searchIndex.suggest(...args),
    facets: (...args) => opened.searchIndex.facets(...args),
    similar: (...args) => opened.searchIndex.similar(...args),
    waitUntilIndexed: (...args) => opened.searchIndex.waitUntilIndexed(...args),
    status: () => opened.searchIndex.status(),
    matching,
  });
  const whenHandled = async (it: DeliveryWorker, sequence: number) => {
    while (it.progress.sequence < sequence) await new Promise(setImmediate);
  };

  test('a delivery has at most maxChanges changes, however many are waiting', async () => {
    await startWorker().then((it) => it.stop());
    for (let index = 0; index < 7; index++) await create(`entry ${index}`);
    await whenHandled(await startWorker(), 7);
    expect(target.received.map(({ json }) => json.changes.length)).toEqual([3, 3, 1]);
    expect(target.titles).toEqual([0, 1, 2, 3, 4, 5, 6].map((index) => `entry ${index}`));
  });

  test('long entries are delivered separately', async () => {
    await startWorker().then((it) => it.stop());
    const text = 'x'.repeat(600_000);
    for (const title of ['a', 'b']) await create(title, { text });
    await whenHandled(await startWorker(), 2);
    expect(target.received.map(({ json }) => json.changes.length)).toEqual([1, 1]);
  });

  test('after a restart it continues after the changes it has scanned, and delivers nothing twice', async () => {
    let it = await startWorker({ search: { title: 'wanted' } });
    await create('quiet wanted', { notify: false });
    await create('other');
    await create('wanted');
    await create('other');
    await whenHandled(it, 4);
    await it.stop();
    expect(await opened.storage.committed.subscribers.find('hook')).toMatchObject({ sequence: 4, pending: null });
    opened = await opened.reopen();
    it = await startWorker({ search: { title: 'wanted' } });
    await create('wanted again');
    await whenHandled(it, 5);
    expect(target.titles).toEqual(['wanted', 'wanted again']);
  });

  test('it waits for a search that is unavailable, and reports it', async () => {
    let refusals = 2;
    const searchIndex = searchWith(async (...args) => {
      if (refusals-- > 0) throw new Fault('unavailable', 'search.index-building', 'The search index is being built.');
      return opened.searchIndex.matching(...args);
    });
    const it = await startWorker({ search: { title: 'wanted' } }, { searchIndex });
    await create('wanted');
    while (it.progress.lastError === '') await new Promise(setImmediate);
    expect(it.progress).toMatchObject({ lastError: 'The search index is being built.', sequence: 0 });
    await target.waitFor(1);
    expect(target.titles).toEqual(['wanted']);
    expect(logged.messages()).toEqual(['subscriber paused: internal error; will retry']);
  });

  test('each attempt has one signal, for its search and for its request; stop aborts it, and the delivery stays pending', async () => {
    const searched: AbortSignal[] = [];
    const sent: AbortSignal[] = [];
    const searchIndex = searchWith((query, entryIds, options) => {
      if (options?.signal) searched.push(options.signal);
      return opened.searchIndex.matching(query, entryIds, options);
    });
    target.answer = (_, index) => (index === 0 ? 500 : 'hang');
    const it = await startWorker({}, { searchIndex, onSend: (signal) => sent.push(signal) });
    await create('first');
    await target.waitFor(2);
    // The first search composes the delivery.
    expect(searched).toHaveLength(3);
    expect(searched.slice(1).every((signal, at) => signal === sent[at])).toBe(true);
    expect(sent[0]).not.toBe(sent[1]);
    expect(sent.map(({ aborted }) => aborted)).toEqual([false, false]);
    await it.stop();
    expect(sent.map(({ aborted }) => aborted)).toEqual([false, true]);
    expect(await opened.storage.committed.subscribers.find('hook')).toMatchObject({
      sequence: 0,
      pending: { attempts: 1, id: target.received[0]?.json.deliveryId },
    });
  });

  test('an edit between the search and the reading of an entry does not deliver what the search excludes', async () => {
    let searches = 0;
    const searchIndex = searchWith(async (...args) => {
      const found = await opened.searchIndex.matching(...args);
      searches += 1;
      // The first search composes the delivery, the second is that of the attempt.
      if (searches === 2) {
        await opened.storage.write(async (tx) => {
          const stored = await tx.entries.find(1);
          if (stored) await tx.entries.edit({ ...stored.entry, title: 'secret' });
        });
      }
      return found;
    });
    const it = await startWorker({ search: { title: 'wanted' } }, { searchIndex });
    await create('wanted');
    await create('wanted later');
    await whenHandled(it, 2);
    expect(target.titles).not.toContain('secret');
    expect(target.titles).toContain('wanted later');
  });

  test('a batch that reaches its maximum is sent immediately, also while its window is open', async () => {
    await startWorker({ batchWindowMs: 3_600_000, maxChanges: 3 });
    for (const title of ['a', 'b', 'c', 'd']) await create(title);
    await target.until(() => target.received.length === 1);
    expect(target.titles).toEqual(['a', 'b', 'c']);
  });

  test('changes that do not match do not fill a batch', async () => {
    await startWorker({ batchWindowMs: 3_600_000, maxChanges: 3, search: { title: 'wanted' } });
    for (const title of ['wanted a', 'x', 'y', 'z', 'wanted b', 'x', 'wanted c']) await create(title);
    await target.until(() => target.received.length === 1);
    expect(target.titles).toEqual(['wanted a', 'wanted b', 'wanted c']);
  });

  test('a new subscriber on a full disk is stored with the first write that succeeds, and misses nothing after a restart', async () => {
    let isFull = true;
    const storage: Storage = {
      ...opened.storage,
      write: (work) =>
        isFull ? Promise.reject(new Fault('full', 'storage.full', 'Full.')) : opened.storage.write(work),
    };
    await create('before');
    const it = await startWorker({ batchWindowMs: 60_000 }, { storage });
    while (it.progress.lastError === '') await new Promise(setImmediate);
    isFull = false;
    await create('first');
    // The batch window is still open.
    while (!(await opened.storage.committed.subscribers.find('hook'))) await new Promise(setImmediate);
    isFull = true;
    await it.stop();
    opened = await opened.reopen();
    await create('second');
    await whenHandled(await startWorker(), 3);
    expect(target.titles).toEqual(['first', 'second']);
  });

  test('a clock that jumps ahead gives up no delivery', async () => {
    let aheadMs = 0;
    const clock = { nowMs: () => Date.now() + aheadMs };
    const { log } = logged;
    const clockWatch = await ClockWatch.start(
      { clock, monotonic: monotonicClock, storage: opened.storage, log, jobs: silentJobs() },
      { newestRecordMs: undefined, isAlwaysTrusted: false },
    );
    target.answer = (_, index) => {
      if (index === 1) aheadMs = 400 * 86_400_000;
      return index < 4 ? 500 : 200;
    };
    const it = await startWorker({}, { clock, clockWatch });
    await create('first');
    await whenHandled(it, 1);
    await clockWatch.close();
    expect(await opened.storage.committed.subscribers.countDeadLetters('hook')).toBe(0);
    expect(target.titles).toEqual(Array.from({ length: 5 }, () => 'first'));
  });

  test('after a clock that was ahead, deliveries wait no longer than usual and are given up at the usual age', async () => {
    const aheadMs = Date.now() + 1_000 * 86_400_000;
    await startWorker().then((it) => it.stop());
    for (const title of ['deferred long ago', 'deferred', 'pending']) await create(title);
    const changesOf = (entryId: number) => [{ sequence: entryId, kind: 'created', entryId } as const];
    const times = { attempts: 1, failingSinceMs: aheadMs };
    await opened.storage.write(async ({ subscribers }) => {
      const state = await subscribers.find('hook');
      const pending = { ...times, id: 'p', changes: changesOf(3), upTo: 3, nextAttemptMs: aheadMs };
      await subscribers.put({ ...(state ?? expect.fail()), sequence: 2, pending });
      const deferred = { ...times, recipient: 'a', reason: 'busy' };
      const dueMs = { d1: aheadMs, d2: Date.now() + 3_000_000 };
      for (const [at, [deliveryId, nextAttemptMs]] of Object.entries(dueMs).entries())
        await subscribers.addDeferred('hook', { ...deferred, deliveryId, changes: changesOf(at + 1), nextAttemptMs });
    });
    target.answer = () => 500;
    // The retries last longer than the test unless the age ends them.
    await startWorker({ maxRetryDelayMs: 3_600_000, maxDeliveryAgeMs: 50 });
    const { subscribers } = opened.storage.committed;
    await expect.poll(() => subscribers.countDeadLetters('hook')).toBe(2);
    expect(new Set(target.titles)).toEqual(new Set(['deferred long ago', 'pending']));
  });

  test('a delivery that arrived is not sent again when its outcome cannot be stored at first', async () => {
    let writes = 0;
    const storage: Storage = {
      ...opened.storage,
      write: (work) =>
        // The first write stores the subscriber, the second its delivery.
        ++writes === 3 ? Promise.reject(new Fault('full', 'storage.full', 'Full.')) : opened.storage.write(work),
    };
    const it = await startWorker({}, { storage });
    await create('first');
    await whenHandled(it, 1);
    await create('second');
    await whenHandled(it, 2);
    expect(target.titles).toEqual(['first', 'second']);
  });
});

test('a delivery id depends on the store, the subscriber and the changes', () => {
  const change = (sequence: number, atMs = 5) =>
    ({ sequence, atMs, kind: 'created', entryId: 1, revision: 1, notify: true }) as const;
  const id = computeDeliveryId('store', 'hook', [change(1), change(2)]);
  expect(computeDeliveryId('store', 'hook', [change(1), change(2)])).toBe(id);
  const others = [
    computeDeliveryId('other', 'hook', [change(1), change(2)]),
    computeDeliveryId('store', 'other', [change(1), change(2)]),
    computeDeliveryId('store', 'hook', [change(1)]),
    computeDeliveryId('store', 'hook', [change(12)]),
    computeDeliveryId('store', 'hook', [change(1), change(2, 6)]),
  ];
  expect(new Set([id, ...others]).size).toBe(6);
});
