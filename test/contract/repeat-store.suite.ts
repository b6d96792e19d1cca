import { expect, test } from 'vitest';
import type { Writer } from '../../src/kernel/repeat-store.port.js';
import { entryDraft } from '../fixtures/entries.js';
import { formerKey } from '../fixtures/former-key.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenAlterable } from './row-verification.suite.js';
import type { StorageEngine } from './storage.suite.js';

/** Requirements of every storage for the results of repeatable writes. */
export function repeatStoreSuite({ open }: StorageEngine<OpenAlterable>): void {
  const { opened, reopen } = openForEachTest(open);
  const jane: Writer = { scheme: 'ldap', userName: 'jane' };
  const find = (key: string, writer = jane) => opened().storage.committed.repeats.find(writer, key);
  const put = (key: string, { writer = jane, result = '1', atMs = 1 } = {}) =>
    opened().storage.write((tx) => tx.repeats.put(writer, key, { fingerprint: `of ${key}`, result }, atMs));

  test('a write is found by its account and key alone, also after a restart', async () => {
    await put('a', { result: '{"ä":[null]}' });
    await reopen();
    expect(await find('a')).toEqual({ fingerprint: 'of a', result: '{"ä":[null]}' });
    expect(await find('b')).toBeUndefined();
    expect(await find('a', { scheme: 'oidc', userName: 'jane' })).toBeUndefined();
    expect(await find('a', { scheme: 'ldap', userName: 'mia' })).toBeUndefined();
    await put('a', { writer: { scheme: 'oidc', userName: 'jane' }, result: '2' });
    expect((await find('a'))?.result).toBe('{"ä":[null]}');
  });

  test('a key is recorded once', async () => {
    await put('a');
    await expect(put('a', { result: '2' })).rejects.toThrow();
    expect((await find('a'))?.result).toBe('1');
  });

  test('a key that an earlier version stored with an entry finds it as its owner created it, before any edit', async () => {
    const { storage } = opened();
    const findCreated = (key: string) => storage.write((tx) => tx.entries.findCreatedUnder('user', key));
    const [first, other] = await storage.write(async (tx) => [
      await tx.entries.insert(entryDraft()),
      await tx.entries.insert(entryDraft({ owner: 'admin' })),
    ]);
    for (const { id } of [first, other]) await opened().runSql(formerKey(id, 'key'));
    expect(await findCreated('key')).toEqual(first);
    // Joining a group before the edit archives nothing, but counts.
    const annotated = await storage.write((tx) => tx.entries.annotate({ ...first.entry, level: 'grouped' }));
    expect(await findCreated('key')).toEqual(annotated);
    await storage.write((tx) => tx.entries.edit({ ...annotated.entry, title: 'edited' }));
    expect(await findCreated('key')).toEqual(annotated);
    expect(await findCreated('other')).toBeUndefined();
  });

  test('results of up to 64 bytes are kept, however many there are', async () => {
    await put('first');
    await opened().storage.write(async (tx) => {
      for (let n = 0; n < 1_100; n += 1) await tx.repeats.put(jane, `${n}`, { fingerprint: '', result: '1' }, 2);
    });
    await put('long', { result: `"${'x'.repeat(8_388_610)}"` });
    expect(await find('first')).toBeDefined();
    expect(await find('0')).toBeDefined();
  });

  test('of longer results of one account, the newest 1,000 are kept, and fewer when they are very long', async () => {
    const result = `"${'x'.repeat(63)}"`;
    const other = { scheme: 'ldap', userName: 'mia' };
    await put('first', { writer: other, result });
    await put('first', { result });
    await opened().storage.write(async (tx) => {
      for (let n = 0; n < 1_000; n += 1) await tx.repeats.put(jane, `${n}`, { fingerprint: '', result }, 2);
    });
    expect(await find('first')).toBeUndefined();
    expect(await find('0')).toBeDefined();
    expect(await find('first', other)).toBeDefined();
    await put('long', { result: `"${'x'.repeat(8_388_500)}"` });
    expect(await find('900')).toBeUndefined();
    expect(await find('long')).toBeDefined();
    await put('longer', { result: `"${'x'.repeat(8_388_610)}"` });
    expect(await find('longer')).toBeDefined();
  });

  test('are removed by their age, the oldest first', async () => {
    for (const [at, key] of ['a', 'b', 'c'].entries()) await put(key, { atMs: at + 1 });
    const remove = (atMs: number, limit: number) =>
      opened().storage.write((tx) => tx.repeats.removeBefore(atMs, limit));
    expect(await remove(3, 1)).toBe(1);
    expect(await find('a')).toBeUndefined();
    expect(await find('b')).toBeDefined();
    expect(await remove(3, 5)).toBe(1);
    expect(await find('c')).toBeDefined();
  });
}
