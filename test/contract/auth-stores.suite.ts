import { describe, expect, test } from 'vitest';
import type { AccountKey } from '../../src/auth/accounts.js';
import type { AuditFilter, AuditRecord } from '../../src/auth/audit-store.port.js';
import type { Session } from '../../src/auth/session-store.port.js';
import type { ApiToken } from '../../src/auth/token-store.port.js';
import { hashAuditRow } from '../../src/ledger/audit-chain.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

/** Requirements of every storage for sessions, API tokens and audit records. */
export function authStoresSuite({ open }: StorageEngine): void {
  const { opened } = openForEachTest(open);
  const committed = () => opened().storage.committed;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);

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

    test('a session is found until it is removed or has expired', async () => {
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

    test('the sessions of one account or of all accounts are listed, newest first', async () => {
      const ofJane = { account: { scheme: 'ldap', userName: 'jane', roles: [], groups: [] } };
      await write(async (tx) => {
        await tx.sessions.put(session('c', 50, { createdMs: 2 }));
        await tx.sessions.put(session('d', 50, { createdMs: 3, ...ofJane }));
        await tx.sessions.put(session('e', 50, { createdMs: 1 }));
      });
      const hashes = async (owner: AccountKey | undefined, limit: number) =>
        (await committed().sessions.list(owner, limit)).map(({ tokenHash }) => tokenHash);
      expect(await hashes(undefined, 10)).toEqual(['d', 'c', 'e']);
      expect(await hashes(undefined, 2)).toEqual(['d', 'c']);
      expect(await hashes({ scheme: 'ldap', userName: 'user' }, 10)).toEqual(['c', 'e']);
      expect(await hashes({ scheme: 'ldap', userName: 'nobody' }, 10)).toEqual([]);
      expect(await hashes({ scheme: 'oidc', userName: 'user' }, 10)).toEqual([]);
      expect((await committed().sessions.findById('id of c'))?.tokenHash).toBe('c');
      expect(await committed().sessions.findById('c')).toBeUndefined();
    });

    test('those that have not expired are counted', async () => {
      const before = await committed().sessions.count(19);
      await write(async (tx) => {
        await tx.sessions.put(session('h', 19));
        await tx.sessions.put(session('i', 20));
        await tx.sessions.put(session('j', 500, { endsMs: 19 }));
      });
      expect(await committed().sessions.count(19)).toBe(before + 1);
    });

    test('a removal takes effect when it resolves; a failed one has no effect', async () => {
      await write((tx) => tx.sessions.put(session('g', 50)));
      const { storage } = opened();
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

    test('a session past its end is removed even if it would expire later', async () => {
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

    test('a token is found by its hash until it is removed; the tokens of an account are listed, newest first', async () => {
      const ofJane = { account: { scheme: 'ldap', userName: 'jane', roles: [], groups: [] } };
      await write(async (tx) => {
        await tx.tokens.put(token('a'));
        await tx.tokens.put(token('b', { createdMs: 2 }));
        await tx.tokens.put(token('c', ofJane));
        await tx.tokens.put(token('a', { name: 'another name', isAutomatic: true }));
      });
      expect(await committed().tokens.find('hash of a')).toEqual(
        token('a', { name: 'another name', isAutomatic: true }),
      );
      expect(await committed().tokens.find('a')).toBeUndefined();
      const ids = async (owner: AccountKey | undefined, limit: number) =>
        (await committed().tokens.list(owner, limit)).map(({ id }) => id);
      expect(await ids({ scheme: 'inMemory', userName: 'user' }, 10)).toEqual(['b', 'a']);
      expect(await ids({ scheme: 'ldap', userName: 'user' }, 10)).toEqual([]);
      expect(await ids(undefined, 1)).toEqual(['b']);
      expect((await committed().tokens.findById('b'))?.tokenHash).toBe('hash of b');
      expect(await committed().tokens.findById('z')).toBeUndefined();
      expect(await write((tx) => tx.tokens.remove('a'))).toBe(true);
      expect(await write((tx) => tx.tokens.remove('a'))).toBe(false);
      expect(await committed().tokens.find('hash of a')).toBeUndefined();
    });
  });

  test('the state of the clock is undefined at first, and replaced as a whole', async () => {
    expect(await committed().clock.find()).toBeUndefined();
    await write((tx) => tx.clock.put({ wallMs: 1, suspicion: { expectedMs: 2, observedMs: 3 } }));
    expect(await committed().clock.find()).toEqual({ wallMs: 1, suspicion: { expectedMs: 2, observedMs: 3 } });
    await write((tx) => tx.clock.put({ wallMs: 4 }));
    expect(await committed().clock.find()).toEqual({ wallMs: 4 });
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

    test('are listed by user, action, outcome and time, newest first, and removed oldest first', async () => {
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

    test('are a chain of hashes, which also several writes at the same time continue, and the ledger names its end', async () => {
      expect(await write((tx) => tx.audit.enterNewest())).toBe(false);
      await Promise.all([1, 2, 3].map((atMs) => write((tx) => tx.audit.append([record(atMs), record(atMs)]))));
      expect(await write((tx) => tx.audit.removeBefore(100, 4))).toBe(4);
      await write((tx) => tx.audit.append([record(200)]));
      const entered = async () => {
        expect(await write((tx) => tx.audit.enterNewest())).toBe(true);
        expect(await write((tx) => tx.audit.enterNewest())).toBe(false);
        return (await committed().ledger.listRecordsAfter(0, 10)).at(-1);
      };
      const first = await entered();
      await write((tx) => tx.audit.append([record(201), record(202)]));
      const listed = (await committed().audit.list({}, 2)).reverse();
      let hash = String(first?.digest);
      for (const { id, ...content } of listed) {
        hash = hashAuditRow(hash, { ...content, id, document: JSON.stringify(content) });
      }
      expect(await entered()).toMatchObject({ kind: 'audit', subject: `audit/${listed.at(-1)?.id}`, digest: hash });
    });

    test('are removed up to the first that is too young, so that the chain keeps its end', async () => {
      await write((tx) => tx.audit.append([record(10), record(30), record(20)]));
      expect(await write((tx) => tx.audit.removeBefore(25, 10))).toBe(1);
      expect(await write((tx) => tx.audit.removeBefore(31, 10))).toBe(2);
    });
  });
}
