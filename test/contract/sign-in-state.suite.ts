import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BegunSignIn, FailureCounter } from '../../src/auth/sign-in-state.port.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

const longMs = 3_600_000;

/** Requirements of every storage for begun sign-ins and failed attempts. */
export function signInStateSuite({ open }: StorageEngine): void {
  let opened: OpenStorage;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(async () => {
    await opened.destroy();
  });

  describe('pending sign-ins', () => {
    const pending = () => opened.storage.signInState.pending;
    const begun = (state: string): BegunSignIn => ({
      signIn: { callbackUrl: 'http://log.example/callback', state, nonce: 'ñ', begunMs: 7, codeVerifier: 'v' },
      returnPath: `/${state}`,
      from: '192.0.2.1',
    });
    const limits = { lifetimeMs: longMs, maxTotal: 6, maxPerNetwork: 3 };
    const add = (key: string, network = 'n', more = {}) =>
      pending().add(key, network, begun(key), { ...limits, ...more });
    const remaining = async (keys: readonly string[]) => {
      const found: string[] = [];
      for (const key of keys) if (await pending().take(key)) found.push(key);
      return found;
    };

    test('a sign-in is taken once, as it was added, also by callers at the same time', async () => {
      await add('one');
      expect(await pending().take('two')).toBeUndefined();
      const taken = await Promise.all(Array.from({ length: 10 }, () => pending().take('one')));
      expect(taken.filter((one) => one !== undefined)).toEqual([begun('one')]);
      expect(await pending().take('one')).toBeUndefined();
    });

    test('a sign-in that has expired is not there', async () => {
      await add('one', 'n', { lifetimeMs: 0 });
      expect(await pending().take('one')).toBeUndefined();
    });

    test('beyond the limit of its network, the oldest of the network is dropped', async () => {
      await add('other', 'm');
      for (const key of ['a', 'b', 'c', 'd']) await add(key);
      expect(await remaining(['other', 'a', 'b', 'c', 'd'])).toEqual(['other', 'b', 'c', 'd']);
    });

    test('beyond the total limit, the oldest of the network that has most is dropped', async () => {
      await add('single', 'm');
      for (const key of ['a', 'b', 'c']) await add(key, 'n');
      for (const key of ['x', 'y']) await add(key, 'o');
      await add('new', 'p');
      expect(await remaining(['single', 'a', 'b', 'c', 'x', 'y', 'new'])).toEqual([
        ...['single', 'b', 'c', 'x', 'y', 'new'],
      ]);
    });
  });

  describe('failed attempts', () => {
    const failures = () => opened.storage.signInState.failures;
    const counter = (key: string, more: Partial<FailureCounter> = {}): FailureCounter => ({
      ...{ key, failures: 3, windowMs: longMs },
      ...more,
    });
    const begin = async (...counters: FailureCounter[]) => {
      const result = await failures().begin(counters);
      return result.kind === 'begun' ? result.attempt : undefined;
    };
    const fail = async (...counters: FailureCounter[]) => {
      const attempt = await begin(...counters);
      if (attempt === undefined) return false;
      await failures().end(attempt, true);
      return true;
    };

    test('attempts at the same time gain nothing: only as many begin as may fail', async () => {
      const attempts = await Promise.all(Array.from({ length: 20 }, () => begin(counter('a'))));
      const inFlight = attempts.filter((attempt) => attempt !== undefined);
      expect(inFlight).toHaveLength(3);
      expect(await failures().begin([counter('a')])).toEqual({ kind: 'waiting' });
      await failures().end(inFlight[0] ?? '', false);
      expect(await begin(counter('a'))).toBeDefined();
      for (const attempt of inFlight.slice(1)) await failures().end(attempt, true);
      expect(await failures().findReached([counter('a')])).toBeUndefined();
    });

    test('at the limit, further attempts are refused, with the limit and the remaining time', async () => {
      for (let n = 0; n < 3; n++) expect(await fail(counter('a'), counter('b', { failures: 9 }))).toBe(true);
      const reached = { key: 'a', waitMs: expect.any(Number) };
      expect(await failures().findReached([counter('b'), counter('a')])).toMatchObject({ key: 'b' });
      const refused = await failures().begin([counter('c'), counter('a')]);
      expect(refused).toEqual({ kind: 'reached', reached });
      const { waitMs } = refused.kind === 'reached' ? refused.reached : expect.fail();
      expect(waitMs).toBeGreaterThan(longMs - 60_000);
      expect(waitMs).toBeLessThanOrEqual(longMs);
      expect(await fail(counter('c'))).toBe(true);
      expect(await fail(counter('b', { failures: 9 }))).toBe(true);
    });

    test('an attempt that is refused for one counter counts for none', async () => {
      for (let n = 0; n < 3; n++) await fail(counter('a'));
      for (let n = 0; n < 5; n++) expect(await begin(counter('b'), counter('a'))).toBeUndefined();
      for (let n = 0; n < 3; n++) expect(await fail(counter('b'))).toBe(true);
    });

    test('failures before the period do not count', async () => {
      const brief = counter('a', { windowMs: 0 });
      for (let n = 0; n < 10; n++) expect(await fail(brief)).toBe(true);
    });

    test('a successful attempt clears only the failures of its own counter', async () => {
      for (let n = 0; n < 2; n++) await fail(counter('own'), counter('address'));
      const attempt = await begin(counter('own'), counter('address'));
      await failures().end(attempt ?? expect.fail(), false, 'own');
      for (let n = 0; n < 3; n++) expect(await fail(counter('own'))).toBe(true);
      expect([await fail(counter('address')), await fail(counter('address'))]).toEqual([true, false]);
    });

    test('an attempt is ended once; an unknown one has no effect', async () => {
      const attempt = (await begin(counter('a'))) ?? expect.fail();
      for (let n = 0; n < 5; n++) await failures().end(attempt, true);
      await failures().end(randomUUID(), true);
      expect([await fail(counter('a')), await fail(counter('a')), await fail(counter('a'))]).toEqual([
        ...[true, true, false],
      ]);
    });

    test('keys are trusted once they were said to be', async () => {
      await failures().trust(['a', 'b', 'a']);
      await failures().trust([]);
      expect(await Promise.all(['a', 'b', 'c'].map((key) => failures().isTrusted(key)))).toEqual([true, true, false]);
    });
  });
}
