import { expect, onTestFinished, test } from 'vitest';
import type { AccountKey } from '../../src/auth/accounts.js';
import { LogbookAccess } from '../../src/auth/logbook-access.js';
import { Permissions } from '../../src/auth/permissions.js';
import { systemClock } from '../../src/kernel/clock.js';
import { inboxJob } from '../../src/notifications/inbox/inbox-job.js';
import type { InboxStore } from '../../src/notifications/inbox/inbox-store.port.js';
import type { NotificationStorage } from '../../src/notifications/notification-storage.js';
import { entryDraft } from '../fixtures/entries.js';
import { silentLog } from '../fixtures/log.js';
import { principal } from '../fixtures/sessions.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const people = Array.from({ length: 60 }, (_, at) => principal(`Reader.${at}`, ['USER']));
const changes = 50;

test('items of many users are stored in several short commits; after a failure between them, each is there once', async () => {
  const { storage, searchIndex, destroy } = await sqliteEngine.open();
  onTestFinished(() => destroy());
  /** Number of items in each transaction. */
  const stored: number[] = [];
  let failingWrite = Number.POSITIVE_INFINITY;
  const job = inboxJob({
    storage: {
      committed: storage.committed,
      onCommit: (listener) => storage.onCommit(listener),
      status: () => storage.status(),
      write: (work) =>
        storage.write((tx) => {
          if (stored.push(0) > failingWrite) throw new Error('the disk is missing');
          const addItems: InboxStore['addItems'] = (owner, items) => {
            stored[stored.length - 1] = (stored.at(-1) ?? 0) + items.length;
            return tx.inbox.addItems(owner, items);
          };
          return work({ leases: tx.leases, subscribers: tx.subscribers, inbox: { ...tx.inbox, addItems } });
        }),
    } satisfies NotificationStorage,
    permissions: new Permissions('signed-in', new LogbookAccess([])),
    ...{ searchIndex, clock: systemClock, zone: 'UTC', log: silentLog, deliveries: undefined },
    recheck: async (account) => account,
  });
  const { signal } = new AbortController();
  await job.run(signal);
  await storage.write(async ({ inbox, entries, feed }) => {
    const watches = [{ id: 'w', name: '', subject: { kind: 'search', query: '' } as const, edits: false, after: 0 }];
    for (const account of people) await inbox.putWatcher({ account, watches });
    for (let number = 0; number < changes; number++) {
      const { id: entryId } = await entries.insert(entryDraft({ title: String(number) }));
      await feed.append({ kind: 'created', entryId, revision: 1, notify: true, atMs: 0 });
    }
  });
  stored.length = 0;
  failingWrite = 2;
  await expect(job.run(signal)).rejects.toThrow('the disk is missing');
  failingWrite = Number.POSITIVE_INFINITY;
  while ((await job.run(signal)) === 'more');
  expect(Math.max(...stored)).toBe(1_000);
  for (const account of people) {
    const items = await storage.committed.inbox.listItems(account, 2 * changes);
    const sequences = items.map(({ sequence }) => sequence);
    expect(sequences).toEqual([...new Set(sequences)].sort((one, other) => other - one));
    expect(sequences).toHaveLength(changes);
  }
});

test.each([
  [{ mail: true, after: 0 }],
  [{ mail: false, after: 0, chatAfter: 0 }],
  [{ mail: false, after: 0, browsers: [{ id: 'b', name: '', after: 0, endpoint: 'https://push.test', keys: {} }] }],
])('whatever a user has chosen through another node, deliveries begin: %j', async (delivery) => {
  const { storage, searchIndex, destroy } = await sqliteEngine.open();
  onTestFinished(() => destroy());
  const woken: string[] = [];
  const deliveries = { begin() {}, leave() {}, isKnown: () => false };
  const wake = async ({ userName }: AccountKey) => void woken.push(userName);
  const job = inboxJob({
    ...{ storage, searchIndex, clock: systemClock, zone: 'UTC', log: silentLog },
    permissions: new Permissions('signed-in', new LogbookAccess([])),
    deliveries: { ...deliveries, wake } as never,
    recheck: async (account) => account,
  });
  const { signal } = new AbortController();
  await job.run(signal);
  await storage.write(async ({ inbox, entries, feed }) => {
    const watches = [{ id: 'w', name: '', subject: { kind: 'search', query: '' } as const, edits: false, after: 0 }];
    await inbox.putWatcher({ account: principal('jane', ['USER']), watches, delivery: delivery as never });
    const { id: entryId } = await entries.insert(entryDraft({ title: 'Beam lost' }));
    await feed.append({ kind: 'created', entryId, revision: 1, notify: true, atMs: 0 });
  });
  while ((await job.run(signal)) === 'more');
  expect(woken).toEqual(['jane']);
});
