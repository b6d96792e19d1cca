import { describe, expect, test } from 'vitest';
import type { Account } from '../../src/auth/accounts.js';
import {
  type DeliveryChoice,
  maxInboxItems,
  type NewInboxItem,
  type Watch,
} from '../../src/notifications/inbox/inbox-store.port.js';
import { collect } from '../fixtures/collect.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

/** Requirements of every storage for watches and inboxes. */
export function inboxStoreSuite({ open }: StorageEngine): void {
  const { opened, reopen } = openForEachTest(open);
  const inbox = () => opened().storage.committed.inbox;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);
  const jane: Account = { scheme: 'ldap', userName: 'jane', groups: ['ops'], roles: [] };
  const otherJane: Account = { ...jane, scheme: 'oidc' };
  const watch: Watch = { id: 'w', name: 'trips', subject: { kind: 'search', query: 'text=x' }, edits: false, after: 3 };
  const item = (sequence: number, more: Partial<NewInboxItem> = {}): NewInboxItem => ({
    ...{ sequence, entryId: sequence, change: 'created', atMs: 5, reasons: [{ watchId: 'w', kind: 'search' }] },
    ...more,
  });
  const add = (owner: Account, ...items: NewInboxItem[]) => write((tx) => tx.inbox.addItems(owner, items));
  const sequencesOf = async (owner: Account, limit = 10, before?: number) =>
    (await inbox().listItems(owner, limit, before)).map(({ sequence }) => sequence);

  test('the position advances from the one that was read, and from no other', async () => {
    expect(await inbox().findPosition()).toBeUndefined();
    expect(await write((tx) => tx.inbox.advance(undefined, 7))).toBe(true);
    expect(await write((tx) => tx.inbox.advance(undefined, 8))).toBe(false);
    expect(await write((tx) => tx.inbox.advance(6, 8))).toBe(false);
    expect(await inbox().findPosition()).toBe(7);
    expect(await write((tx) => tx.inbox.advance(7, 9))).toBe(true);
    await reopen();
    expect(await inbox().findPosition()).toBe(9);
  });

  test('a write that fails stores neither the position nor items', async () => {
    const failing = write(async (tx) => {
      await tx.inbox.advance(undefined, 7);
      await tx.inbox.addItems(jane, [item(1)]);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await inbox().findPosition()).toBeUndefined();
    expect(await sequencesOf(jane)).toEqual([]);
  });

  test('watches are those of the account, replaced together', async () => {
    expect(await inbox().findWatcher(jane)).toBeUndefined();
    await write((tx) => tx.inbox.putWatcher({ account: jane, watches: [watch] }));
    await write((tx) => tx.inbox.putWatcher({ account: otherJane, watches: [] }));
    const closed = { ...jane, groups: [] };
    await write(async (tx) => {
      expect(await tx.inbox.findWatcher(jane)).toEqual({ account: jane, watches: [watch] });
      await tx.inbox.putWatcher({ account: closed, watches: [{ ...watch, edits: true }] });
    });
    await reopen();
    expect(await inbox().findWatcher(jane)).toEqual({ account: closed, watches: [{ ...watch, edits: true }] });
    expect((await collect(inbox().listWatchers())).map(({ account }) => account.scheme)).toEqual(['ldap', 'oidc']);
  });

  test('the choice of deliveries is stored with the watches, and switched off again', async () => {
    const delivery: DeliveryChoice = {
      ...{ mail: true, after: 3, chatAfter: 4, quiet: { from: '22:00', to: '06:00', zone: 'UTC' } },
      browsers: [{ id: 'b', name: 'A', endpoint: 'https://push.example.org/b', publicKey: 'k', secret: 's', after: 5 }],
    };
    await write((tx) => tx.inbox.putWatcher({ account: jane, watches: [watch], delivery }));
    await write((tx) => tx.inbox.putWatcher({ account: otherJane, watches: [] }));
    await reopen();
    expect(await inbox().findWatcher(jane)).toEqual({ account: jane, watches: [watch], delivery });
    const { chatAfter: _, ...off } = delivery;
    await write((tx) =>
      tx.inbox.putWatcher({ account: jane, watches: [watch], delivery: { ...off, chatAfter: undefined } }),
    );
    expect(await inbox().findWatcher(jane)).toStrictEqual({ account: jane, watches: [watch], delivery: off });
  });

  test('two changes of a watcher at the same time: neither is lost', async () => {
    const addWatch = (id: string) =>
      write(async (tx) => {
        const watches = (await tx.inbox.findWatcher(jane))?.watches ?? [];
        await tx.inbox.putWatcher({ account: jane, watches: [...watches, { ...watch, id }] });
      });
    await Promise.all(['a', 'b', 'c'].map(addWatch));
    const ids = (await inbox().findWatcher(jane))?.watches.map(({ id }) => id);
    expect(ids?.toSorted()).toEqual(['a', 'b', 'c']);
  });

  describe('items', () => {
    test('are listed newest first, those of the account alone', async () => {
      await add(jane, item(2), item(5, { change: 'edited', entryId: 0 }));
      await add(otherJane, item(3));
      const [newest, oldest] = await inbox().listItems(jane, 10);
      expect(newest).toEqual({ ...item(5, { change: 'edited', entryId: 0 }), id: newest?.id, isRead: false });
      expect(oldest?.id).toBeLessThan(newest?.id ?? 0);
      expect(await sequencesOf(jane, 1)).toEqual([5]);
      expect(await sequencesOf(jane, 10, newest?.id)).toEqual([2]);
    });

    test('are listed oldest first after a position in the feed', async () => {
      await add(jane, item(2), item(5), item(9));
      await add(otherJane, item(6));
      const listAfter = async (sequence: number, limit = 10) =>
        (await inbox().listItemsAfter(jane, sequence, limit)).map((one) => one.sequence);
      expect([await listAfter(0), await listAfter(2), await listAfter(0, 2), await listAfter(9)]).toEqual([
        [2, 5, 9],
        [5, 9],
        [2, 5],
        [],
      ]);
    });

    test('one for each change of an account, however often it is added', async () => {
      await add(jane, item(2), item(3));
      await add(jane, item(3), item(4));
      await add(otherJane, item(3));
      expect(await sequencesOf(jane)).toEqual([4, 3, 2]);
      expect(await sequencesOf(otherJane)).toEqual([3]);
    });

    test('are marked as read by their ids, or up to an id, for the account alone', async () => {
      for (const owner of [jane, otherJane]) await add(owner, item(1), item(2), item(3));
      const ids = (await inbox().listItems(jane, 10)).map(({ id }) => id);
      const unread = async (owner: Account) => (await inbox().listUnread(owner)).map(({ sequence }) => sequence);
      await write((tx) => tx.inbox.markRead(jane, [ids[0] ?? 0, 1e9]));
      expect(await unread(jane)).toEqual([2, 1]);
      await write((tx) => tx.inbox.markRead(otherJane, ids));
      expect(await unread(otherJane)).toEqual([3, 2, 1]);
      await write((tx) => tx.inbox.markReadUpTo(jane, ids[1] ?? 0));
      expect(await unread(jane)).toEqual([]);
      expect((await inbox().listItems(jane, 10)).map(({ isRead }) => isRead)).toEqual([true, true, true]);
    });

    test('only the newest are kept', async () => {
      const all = Array.from({ length: maxInboxItems + 2 }, (_, at) => item(at + 1));
      await add(otherJane, item(1));
      await add(jane, ...all);
      expect(await inbox().listUnread(jane)).toHaveLength(maxInboxItems);
      const [oldest] = await inbox().listItems(jane, 10, (await inbox().listUnread(jane)).at(-2)?.id);
      expect(oldest?.sequence).toBe(3);
      expect(await sequencesOf(otherJane)).toEqual([1]);
    });
  });
}
