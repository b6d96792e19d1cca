import { describe, expect, test } from 'vitest';
import type { AccountKey } from '../../src/auth/accounts.js';
import type { SavedSearch } from '../../src/preferences/preference-store.port.js';
import { collect } from '../fixtures/collect.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

/** Requirements of every storage for settings and saved searches. */
export function preferenceStoreSuite({ open }: StorageEngine): void {
  const { opened, reopen } = openForEachTest(open);
  const preferences = () => opened().storage.committed.preferences;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);
  const jane: AccountKey = { scheme: 'ldap', userName: 'jane' };
  const otherJane: AccountKey = { scheme: 'oidc', userName: 'jane' };

  test('settings are those of the account, each as the next version', async () => {
    expect(await preferences().findSettings(jane)).toBeUndefined();
    for (const [at, text] of ['{"a":1}', '{"ä":2}'].entries()) {
      const json = Buffer.from(text);
      expect(await write((tx) => tx.preferences.putSettings(jane, json))).toEqual({ revision: at + 1, json });
    }
    await reopen();
    const stored = await preferences().findSettings(jane);
    expect([stored?.revision, Buffer.from(stored?.json ?? []).toString()]).toEqual([2, '{"ä":2}']);
    expect(await preferences().findSettings(otherJane)).toBeUndefined();
  });

  describe('saved searches', () => {
    const search = (id: string, more: Partial<SavedSearch> = {}): SavedSearch => ({
      id,
      owner: jane,
      name: id,
      query: 'text=x',
      shared: false,
      ...more,
    });
    const put = (...searches: SavedSearch[]) =>
      write(async (tx) => {
        for (const one of searches) await tx.preferences.putSearch(one);
      });
    const idsFor = async (reader: AccountKey) =>
      (await collect(preferences().listSearches(reader))).map(({ id }) => id);

    test('are found by id, replaced and removed', async () => {
      await put(search('a'), search('a', { name: 'new', shared: true }));
      expect(await preferences().findSearch('a')).toEqual(search('a', { name: 'new', shared: true }));
      expect(await write((tx) => tx.preferences.removeSearch('a'))).toBe(true);
      expect(await write((tx) => tx.preferences.removeSearch('a'))).toBe(false);
      expect(await preferences().findSearch('a')).toBeUndefined();
    });

    test('are listed for their account and, when shared, for all, as they were saved; each once', async () => {
      await put(search('z', { shared: true }), search('b', { owner: otherJane }), search('c'));
      await put(search('a', { owner: otherJane, shared: true }));
      expect(await idsFor(jane)).toEqual(['z', 'c', 'a']);
      expect(await idsFor(otherJane)).toEqual(['z', 'b', 'a']);
      expect(await idsFor({ scheme: 'ldap', userName: 'mia' })).toEqual(['z', 'a']);
      await put(search('z'));
      expect(await idsFor(otherJane)).toEqual(['b', 'a']);
      expect(await preferences().countSearches(jane)).toBe(2);
    });

    test('are listed completely, however many', async () => {
      const ids = Array.from({ length: 450 }, (_, n) => `${n}`);
      await put(...ids.map((id) => search(id)));
      expect(await idsFor(jane)).toEqual(ids);
    });
  });
}
