import { expect, test } from 'vitest';
import { tag } from '../fixtures/entries.js';
import { openForEachTest } from './open-for-each-test.js';
import type { StorageEngine } from './storage.suite.js';

/** Requirements of every storage for leases. A lease of no duration has expired when it is granted. */
export function leaseStoreSuite({ open }: StorageEngine): void {
  const { opened } = openForEachTest(open);
  const leases = () => opened().storage.leases;
  const longMs = 3_600_000;
  /** Writes under a lease. */
  const write = (name: string, token: number) =>
    opened().storage.write(async (tx) => {
      await tx.leases.require(name, token);
      await tx.catalog.put('tags', tag('written'));
    });
  const isWritten = async () => (await opened().storage.committed.catalog.find('tags', 'written')) !== undefined;

  test('one of many holders gets a lease; its own request renews it under the same token', async () => {
    const holders = Array.from({ length: 20 }, (_, n) => `node ${n}`);
    const tokens = await Promise.all(holders.map((holder) => leases().acquire('job', holder, longMs)));
    const winner = tokens.findIndex((token) => token !== undefined);
    expect(tokens.filter((token) => token !== undefined)).toHaveLength(1);
    expect(await leases().acquire('job', `node ${winner}`, longMs)).toBe(tokens[winner]);
    expect(await leases().acquire('job', 'another', longMs)).toBeUndefined();
    expect(await leases().acquire('another job', 'another', longMs)).toBeDefined();
  });

  test('an expired lease passes on under a higher token; the earlier one renews and releases nothing', async () => {
    const first = (await leases().acquire('job', 'a', 0)) ?? expect.fail();
    const second = (await leases().acquire('job', 'b', longMs)) ?? expect.fail();
    expect(second).toBeGreaterThan(first);
    expect(await leases().renew('job', first, longMs)).toBe(false);
    expect(await leases().release('job', first)).toBe(false);
    expect(await leases().acquire('job', 'a', longMs)).toBeUndefined();
    expect(await leases().renew('job', second, longMs)).toBe(true);
    expect(await leases().renew('no such job', second, longMs)).toBe(false);
  });

  test('a lease that has expired for its own holder is acquired under a higher token', async () => {
    const first = (await leases().acquire('job', 'a', 0)) ?? expect.fail();
    expect(await leases().acquire('job', 'a', longMs)).toBeGreaterThan(first);
  });

  test('a lease that no other holder has acquired since is renewed, however late', async () => {
    const token = (await leases().acquire('job', 'a', 0)) ?? expect.fail();
    expect(await leases().renew('job', token, longMs)).toBe(true);
    expect(await leases().acquire('job', 'b', longMs)).toBeUndefined();
  });

  test('a released lease is free immediately, and its token never comes back', async () => {
    const first = (await leases().acquire('job', 'a', longMs)) ?? expect.fail();
    expect(await leases().release('job', first)).toBe(true);
    expect(await leases().release('job', first)).toBe(false);
    expect(await leases().renew('job', first, longMs)).toBe(false);
    expect(await leases().acquire('job', 'b', longMs)).toBeGreaterThan(first);
  });

  test('409 lease.lost: under an earlier token, nothing is stored', async () => {
    const first = (await leases().acquire('job', 'a', 0)) ?? expect.fail();
    const second = (await leases().acquire('job', 'b', longMs)) ?? expect.fail();
    await expect(write('job', first)).rejects.toMatchObject({ kind: 'conflict', code: 'lease.lost' });
    expect(await isWritten()).toBe(false);
    await write('job', second);
    expect(await isWritten()).toBe(true);
    await leases().release('job', second);
    await expect(write('job', second)).rejects.toMatchObject({ code: 'lease.lost' });
  });
}
