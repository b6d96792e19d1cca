import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { AuditFilter, AuditRecord } from '../../src/auth/audit-store.port.js';
import type { Session } from '../../src/auth/session-store.port.js';
import type { ApiToken } from '../../src/auth/token-store.port.js';
import type { StoredEntry } from '../../src/entries/entry-json.js';
import { Fault } from '../../src/kernel/fault.js';
import type { Commit } from '../../src/kernel/unit-of-work.js';
import { attachment, entryDraft, logbook, tag } from '../fixtures/entries.js';
import { type OpenStorage, storageEngines } from './engines.js';

describe.each(storageEngines)('the storage $name', ({ open }) => {
  let opened: OpenStorage;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened.destroy();
  });
  const committed = () => opened.storage.committed;
  const archivedOf = async (id: number) => {
    const versions: StoredEntry[] = [];
    for await (const version of committed().entries.listArchived(id)) versions.push(version);
    return versions;
  };
  const write: OpenStorage['storage']['write'] = (work) => opened.storage.write(work);

  describe('transactions', () => {
    test('a write that throws leaves nothing and rejects with what it threw', async () => {
      const refusal = new Fault('invalid', 'some.code', 'no');
      const failing = write(async (tx) => {
        await tx.entries.insert(entryDraft());
        await tx.attachments.insert(attachment());
        await tx.catalog.put('tags', tag('a'));
        await tx.feed.append({ kind: 'created', entryId: 1, version: 1, notify: true, atMs: 0 });
        throw refusal;
      });
      await expect(failing).rejects.toBe(refusal);
      expect(await committed().entries.find(1)).toBeUndefined();
      expect(await committed().attachments.find('file-1')).toBeUndefined();
      expect(await committed().catalog.list('tags')).toEqual([]);
      expect(await committed().feed.newest()).toBe(0);
    });

    test('one bad write among many fails alone', async () => {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 50 }, (_, index) =>
          write(async (tx) => {
            const entry = await tx.entries.insert(entryDraft({ title: `entry ${index}` }));
            if (index % 7 === 3) throw new Error(`refused ${index}`);
            return entry;
          }),
        ),
      );
      const stored = outcomes.filter((outcome) => outcome.status === 'fulfilled');
      expect(stored).toHaveLength(43);
      for (const { value } of stored) expect(await committed().entries.find(value.id)).toEqual(value);
      expect(new Set(stored.map(({ value }) => value.id)).size).toBe(43);
      outcomes.forEach((outcome, index) => {
        if (outcome.status === 'rejected') expect((outcome.reason as Error).message).toBe(`refused ${index}`);
        expect(outcome.status).toBe(index % 7 === 3 ? 'rejected' : 'fulfilled');
      });
    });

    describe('a handle used after its write has settled throws and stores nothing', () => {
      type Tx = Parameters<Parameters<typeof write>[0]>[0];
      const change = { kind: 'created', entryId: 1, version: 1, notify: true, atMs: 0 } as const;
      const uses: readonly [string, (tx: Tx) => () => Promise<unknown>][] = [
        ['the handle itself', (tx) => async () => tx.feed.append(change)],
        [
          'a store taken from it before',
          ({ feed }) =>
            () =>
              feed.append(change),
        ],
        [
          'a store that only reads',
          ({ catalog }) =>
            () =>
              catalog.list('tags'),
        ],
        [
          'another store',
          ({ entries }) =>
            () =>
              entries.insert(entryDraft()),
        ],
      ];

      test.each(uses)('%s, after a commit', async (_use, taken) => {
        const use = await write(async (tx) => ({ later: taken(tx) }));
        await expect(use.later()).rejects.toThrow('this transaction has ended');
        expect(await committed().feed.newest()).toBe(0);
        expect(await committed().entries.find(1)).toBeUndefined();
      });

      test.each(uses)('%s, after a failure', async (_use, taken) => {
        let later: (() => Promise<unknown>) | undefined;
        const failing = write(async (tx) => {
          later = taken(tx);
          throw new Error('refused');
        });
        await expect(failing).rejects.toThrow('refused');
        await expect(later?.()).rejects.toThrow('this transaction has ended');
        expect(await committed().feed.newest()).toBe(0);
      });

      test('one that is not awaited does not run in the write of somebody else', async () => {
        let late: Promise<unknown> = Promise.resolve();
        let release = () => {};
        const gate = new Promise<void>((resolve) => {
          release = resolve;
        });
        await write(async (tx) => {
          late = gate.then(() => tx.feed.append(change));
          late.catch(() => undefined);
        });
        await write(async (tx) => {
          release();
          await Promise.resolve();
          await tx.catalog.put('tags', tag('mine'));
        });
        await expect(late).rejects.toThrow('this transaction has ended');
        expect(await committed().feed.newest()).toBe(0);
        expect(await committed().catalog.list('tags')).toEqual([tag('mine')]);
      });
    });

    test('a commit tells its listeners what it changed, and nobody of what failed', async () => {
      const commits: Commit[] = [];
      const stopListening = opened.storage.onCommit((commit) => commits.push(commit));
      const file = attachment();
      await write((tx) => tx.catalog.put('tags', tag('a')));
      await write(async (tx) => {
        const { id: entryId } = await tx.entries.insert(entryDraft());
        await tx.feed.append({ kind: 'created', entryId, version: 1, notify: true, atMs: 0 });
      });
      await write(async (tx) => {
        await tx.attachments.insert(file);
        await tx.entries.insert(entryDraft({ attachments: [file] }));
      });
      const failing = write(async (tx) => {
        await tx.entries.insert(entryDraft());
        throw new Error('refused');
      });
      await expect(failing).rejects.toThrow('refused');
      stopListening();
      await write((tx) => tx.entries.insert(entryDraft()));
      expect(commits).toEqual([
        { entries: false, feed: false, files: false },
        { entries: true, feed: true, files: false },
        { entries: true, feed: false, files: true },
      ]);
    });

    test('a write sees what those before it stored, and nothing of those that failed', async () => {
      const seen = await Promise.allSettled([
        write((tx) => tx.catalog.put('tags', tag('first'))),
        write(async (tx) => {
          await tx.catalog.put('tags', tag('second'));
          throw new Error('no');
        }),
        write((tx) => tx.catalog.list('tags')),
      ]);
      expect(seen[2]).toMatchObject({ value: [tag('first')] });
    });

    test('readers see nothing before the commit and everything once it is acknowledged', async () => {
      let during: unknown = 'not read';
      const entry = await write(async (tx) => {
        const inserted = await tx.entries.insert(entryDraft());
        during = await committed().entries.find(inserted.id);
        return inserted;
      });
      expect(during).toBeUndefined();
      expect(await committed().entries.find(entry.id)).toEqual(entry);
    });

    test('listeners hear of a commit when it can be read, and not of a failure', async () => {
      const heard: Promise<number>[] = [];
      const stop = opened.storage.onCommit(() => heard.push(committed().feed.newest()));
      await write((tx) => tx.feed.append({ kind: 'created', entryId: 1, version: 1, notify: true, atMs: 5 }));
      await write(() => Promise.reject(new Error('no'))).catch(() => undefined);
      stop();
      await write((tx) => tx.catalog.put('tags', tag('a')));
      expect(await Promise.all(heard)).toEqual([1]);
    });

    test('a write that starts when another is acknowledged is not forgotten', async () => {
      let chain = Promise.resolve();
      for (let index = 0; index < 20; index++) {
        chain = chain.then(() => write((tx) => tx.catalog.put('tags', tag(`tag ${index}`))));
      }
      await chain;
      expect(await committed().catalog.list('tags')).toHaveLength(20);
    });

    test('closing stores what was handed in and refuses what comes after', async () => {
      const last = write((tx) => tx.catalog.put('tags', tag('last')));
      const reopening = opened.reopen();
      await expect(write((tx) => tx.catalog.put('tags', tag('late')))).rejects.toMatchObject({ kind: 'unavailable' });
      await last;
      opened = await reopening;
      expect(await committed().catalog.list('tags')).toEqual([tag('last')]);
    });

    test('everything survives a restart, the identity of the store too', async () => {
      const before = await opened.storage.status();
      const entry = await write((tx) => tx.entries.insert(entryDraft()));
      opened = await opened.reopen();
      expect(await committed().entries.find(entry.id)).toEqual(entry);
      expect(await opened.storage.status()).toEqual(before);
      expect(before).toMatchObject({ state: 'CONNECTED' });
      expect(before.storeId).toMatch(/^[0-9a-f-]{36}$/);
    });
  });

  describe('entries', () => {
    test('ids grow and are not reused, whatever fails and restarts between', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft()));
      await write(async (tx) => {
        await tx.entries.insert(entryDraft());
        throw new Error('no');
      }).catch(() => undefined);
      opened = await opened.reopen();
      const second = await write((tx) => tx.entries.insert(entryDraft()));
      expect(first).toMatchObject({ id: 1, version: 1 });
      expect(second.id).toBeGreaterThan(first.id);
    });

    test('an edit archives the version before it, exactly', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft({ title: 'one' })));
      const second = await write((tx) => tx.entries.edit({ ...first.entry, title: 'two', modifyDate: 2_000 }));
      const third = await write((tx) => tx.entries.edit({ ...second.entry, title: 'three', modifyDate: 3_000 }));
      expect([first.version, second.version, third.version]).toEqual([1, 2, 3]);
      expect(await committed().entries.find(first.id)).toEqual(third);
      expect(await archivedOf(first.id)).toEqual([second, first]);
    });

    test('an annotation archives nothing', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft()));
      const second = await write((tx) => tx.entries.annotate({ ...first.entry, title: 'noted' }));
      expect(second.version).toBe(2);
      expect(await committed().entries.find(first.id)).toEqual(second);
      expect(await archivedOf(first.id)).toEqual([]);
    });

    test('an edit that fails leaves neither the change nor an archived copy', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft()));
      await write(async (tx) => {
        await tx.entries.edit({ ...first.entry, title: 'two' });
        throw new Error('no');
      }).catch(() => undefined);
      expect(await committed().entries.find(first.id)).toEqual(first);
      expect(await archivedOf(first.id)).toEqual([]);
    });

    test('the archive of entry 12 has nothing of entries 1 and 120', async () => {
      for (let id = 1; id <= 120; id++) await write((tx) => tx.entries.insert(entryDraft({ title: `entry ${id}` })));
      for (const id of [1, 12, 120]) {
        const entry = await committed().entries.find(id);
        if (entry) await write((tx) => tx.entries.edit({ ...entry.entry, title: 'edited' }));
      }
      expect((await archivedOf(12)).map(({ entry }) => entry.title)).toEqual(['entry 12']);
      expect(await archivedOf(2)).toEqual([]);
    });

    test('an idempotency key finds what its owner created with it, before any edit', async () => {
      const first = await write((tx) => tx.entries.insert(entryDraft(), { idempotencyKey: 'key' }));
      await write((tx) => tx.entries.insert(entryDraft({ owner: 'admin' }), { idempotencyKey: 'key' }));
      // Joining a group before the edit archives nothing, but counts.
      const annotated = await write((tx) => tx.entries.annotate({ ...first.entry, level: 'grouped' }));
      expect(await write((tx) => tx.entries.findCreatedUnder('user', 'key'))).toEqual(annotated);
      await write((tx) => tx.entries.edit({ ...annotated.entry, title: 'edited' }));
      const found = await write((tx) => tx.entries.findCreatedUnder('user', 'key'));
      expect(found).toEqual(annotated);
      expect(await write((tx) => tx.entries.findCreatedUnder('user', 'other'))).toBeUndefined();
      await expect(write((tx) => tx.entries.insert(entryDraft(), { idempotencyKey: 'key' }))).rejects.toThrow();
    });

    test('text comes back as it went in', async () => {
      const text = 'tab\t, line\r\nend  , “quotes” \\ / 𝒳 😀 \u2028 e\u0301';
      const entry = await write((tx) => tx.entries.insert(entryDraft({ source: text, title: text })));
      expect(await committed().entries.find(entry.id)).toMatchObject({ entry: { source: text, title: text } });
    });
  });

  describe('attachments', () => {
    test('409 attachment.id-taken: an id can be stored once', async () => {
      await write((tx) => tx.attachments.insert(attachment()));
      await expect(write((tx) => tx.attachments.insert(attachment({ filename: 'other.png' })))).rejects.toMatchObject({
        kind: 'conflict',
        code: 'attachment.id-taken',
      });
      expect(await committed().attachments.find('file-1')).toEqual(attachment());
    });

    test('a checksum is referenced as long as any attachment has it', async () => {
      await write((tx) => tx.attachments.insert(attachment()));
      const referenced = await committed().attachments.referenced(['a'.repeat(64), 'b'.repeat(64)]);
      expect([...referenced]).toEqual(['a'.repeat(64)]);
    });
  });

  describe('catalogue', () => {
    test('items are found by exact name, listed in order, replaced, removed', async () => {
      await write(async (tx) => {
        for (const name of ['b', 'a', 'B']) await tx.catalog.put('logbooks', logbook(name));
        await tx.catalog.put('logbooks', { ...logbook('a'), state: 'Inactive' });
        await tx.catalog.put('tags', tag('a'));
      });
      expect((await committed().catalog.list('logbooks')).map((item) => item.name)).toEqual(['B', 'a', 'b']);
      expect(await committed().catalog.find('logbooks', 'a')).toMatchObject({ state: 'Inactive' });
      expect(await committed().catalog.find('logbooks', 'A')).toBeUndefined();
      expect(await write((tx) => tx.catalog.remove('logbooks', 'b'))).toBe(true);
      expect(await write((tx) => tx.catalog.remove('logbooks', 'b'))).toBe(false);
      expect(await committed().catalog.find('tags', 'a')).toEqual(tag('a'));
    });

    test('a list is as long as it is', async () => {
      await write(async (tx) => {
        for (let index = 0; index < 1_500; index++) await tx.catalog.put('tags', tag(`tag ${index}`));
      });
      expect(await committed().catalog.list('tags')).toHaveLength(1_500);
    });
  });

  describe('templates', () => {
    const template = (id: string, name: string) => {
      const { attachments: _, events: __, state: ___, ...fields } = entryDraft();
      return { ...fields, id, name };
    };

    test('a name is unique, ignoring case; replacing by id keeps it', async () => {
      await write((tx) => tx.templates.put(template('1', 'Shift')));
      await expect(write((tx) => tx.templates.put(template('2', 'SHIFT')))).rejects.toMatchObject({
        kind: 'invalid',
        code: 'template.name-taken',
      });
      await write((tx) => tx.templates.put({ ...template('1', 'shift'), title: 'new' }));
      expect(await committed().templates.list()).toEqual([{ ...template('1', 'shift'), title: 'new' }]);
      expect(await committed().templates.find('2')).toBeUndefined();
      expect(await write((tx) => tx.templates.remove('1'))).toBe(true);
      expect(await write((tx) => tx.templates.remove('1'))).toBe(false);
    });
  });

  describe('sessions', () => {
    const session = (tokenHash: string, expiresMs: number, more: Partial<Session> = {}): Session => ({
      id: `id of ${tokenHash}`,
      tokenHash,
      account: { scheme: 'ldap', userName: 'user', roles: [], groups: ['operators'] },
      from: '127.0.0.1',
      createdMs: 1,
      expiresMs,
      endsMs: 100,
      ...more,
    });

    test('a session is found until it is removed or its time is over', async () => {
      await write(async (tx) => {
        await tx.sessions.put(session('a', 10));
        await tx.sessions.put(session('b', 20));
      });
      await write((tx) => tx.sessions.put(session('a', 30)));
      expect(await committed().sessions.find('a')).toEqual(session('a', 30));
      expect(await write((tx) => tx.sessions.removeExpired(20))).toBe(1);
      expect(await committed().sessions.find('b')).toBeUndefined();
      expect(await write((tx) => tx.sessions.remove('a'))).toBe(true);
      expect(await write((tx) => tx.sessions.remove('a'))).toBe(false);
    });

    test('those of a user or of all are listed, the newest first', async () => {
      const ofJane = { account: { scheme: 'ldap', userName: 'jane', roles: [], groups: [] } };
      await write(async (tx) => {
        await tx.sessions.put(session('c', 50, { createdMs: 2 }));
        await tx.sessions.put(session('d', 50, { createdMs: 3, ...ofJane }));
        await tx.sessions.put(session('e', 50, { createdMs: 1 }));
      });
      const hashes = async (userName: string | undefined, limit: number) =>
        (await committed().sessions.list(userName, limit)).map(({ tokenHash }) => tokenHash);
      expect(await hashes(undefined, 10)).toEqual(['d', 'c', 'e']);
      expect(await hashes(undefined, 2)).toEqual(['d', 'c']);
      expect(await hashes('user', 10)).toEqual(['c', 'e']);
      expect(await hashes('nobody', 10)).toEqual([]);
      expect((await committed().sessions.findById('id of c'))?.tokenHash).toBe('c');
      expect(await committed().sessions.findById('c')).toBeUndefined();
    });

    test('one is taken away by itself: gone for whoever reads then; what throws leaves it', async () => {
      await write((tx) => tx.sessions.put(session('g', 50)));
      const { storage } = opened;
      const failing = storage.remove(async (tx) => {
        await tx.sessions.remove('g');
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(await committed().sessions.find('g')).toBeDefined();
      expect(await storage.remove((tx) => tx.sessions.remove('g'))).toBe(true);
      expect(await committed().sessions.find('g')).toBeUndefined();
      expect(await storage.remove((tx) => tx.sessions.remove('g'))).toBe(false);
    });

    test('one that has ended for good is removed however late it would have expired', async () => {
      await write((tx) => tx.sessions.put(session('f', 500, { endsMs: 10 })));
      expect(await write((tx) => tx.sessions.removeExpired(10))).toBe(1);
    });
  });

  describe('tokens', () => {
    const token = (id: string, more: Partial<ApiToken> = {}): ApiToken => ({
      id,
      tokenHash: `hash of ${id}`,
      name: 'a script',
      account: { scheme: 'inMemory', userName: 'user', roles: ['USER'], groups: [] },
      rights: ['entries'],
      createdMs: 1,
      expiresMs: 10,
      ...more,
    });

    test('a token is found by its hash until it is removed; its users have theirs, the newest first', async () => {
      const ofJane = { account: { scheme: 'ldap', userName: 'jane', roles: [], groups: [] } };
      await write(async (tx) => {
        await tx.tokens.put(token('a'));
        await tx.tokens.put(token('b', { createdMs: 2 }));
        await tx.tokens.put(token('c', ofJane));
        await tx.tokens.put(token('a', { name: 'another name' }));
      });
      expect(await committed().tokens.find('hash of a')).toEqual(token('a', { name: 'another name' }));
      expect(await committed().tokens.find('a')).toBeUndefined();
      const ids = async (userName: string | undefined, limit: number) =>
        (await committed().tokens.list(userName, limit)).map(({ id }) => id);
      expect(await ids('user', 10)).toEqual(['b', 'a']);
      expect(await ids(undefined, 1)).toEqual(['b']);
      expect((await committed().tokens.findById('b'))?.tokenHash).toBe('hash of b');
      expect(await committed().tokens.findById('z')).toBeUndefined();
      expect(await write((tx) => tx.tokens.remove('a'))).toBe(true);
      expect(await write((tx) => tx.tokens.remove('a'))).toBe(false);
      expect(await committed().tokens.find('hash of a')).toBeUndefined();
    });
  });

  describe('audit records', () => {
    const record = (atMs: number, more: Partial<AuditRecord> = {}): AuditRecord => ({
      atMs,
      userName: 'user',
      action: 'sign-in',
      target: '',
      from: '127.0.0.1',
      outcome: 'done',
      detail: '',
      ...more,
    });

    test('are listed by who, what, how and when, the newest first, and removed from the oldest on', async () => {
      await write((tx) =>
        tx.audit.append([
          record(10),
          record(20, { userName: 'jane', outcome: 'refused', detail: 'auth.bad-credentials' }),
          record(30, { action: 'PUT /logs' }),
        ]),
      );
      const times = async (filter: AuditFilter, limit = 10) =>
        (await committed().audit.list(filter, limit)).map(({ atMs }) => atMs);
      expect(await times({})).toEqual([30, 20, 10]);
      expect(await times({}, 2)).toEqual([30, 20]);
      expect(await times({ userName: 'user' })).toEqual([30, 10]);
      expect(await times({ action: 'sign-in' })).toEqual([20, 10]);
      expect(await times({ outcome: 'refused' })).toEqual([20]);
      expect(await times({ startMs: 20, endMs: 29 })).toEqual([20]);
      const [newest] = await committed().audit.list({}, 1);
      expect(newest).toEqual({ ...record(30, { action: 'PUT /logs' }), id: expect.any(Number) });
      expect(await times({ beforeId: newest?.id })).toEqual([20, 10]);
      expect(await write((tx) => tx.audit.removeBefore(30, 1))).toBe(1);
      expect(await times({})).toEqual([30, 20]);
      expect(await write((tx) => tx.audit.removeBefore(30, 10))).toBe(1);
    });
  });

  describe('change feed', () => {
    const change = (entryId: number) =>
      ({ kind: 'created', entryId, version: 1, notify: entryId % 2 === 0, atMs: entryId }) as const;

    test('changes come back in order, from any position', async () => {
      for (let id = 1; id <= 5; id++) await write((tx) => tx.feed.append(change(id)));
      const all = await committed().feed.listAfter(0, 100);
      expect(all.map(({ sequence: _, ...rest }) => rest)).toEqual([1, 2, 3, 4, 5].map(change));
      const third = all[2]?.sequence ?? 0;
      expect((await committed().feed.listAfter(third, 1)).map(({ entryId }) => entryId)).toEqual([4]);
      expect(await committed().feed.newest()).toBe(all.at(-1)?.sequence);
    });
  });
});
