import { beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../kernel/fault.js';
import { localSignInState } from './local-sign-in-state.js';
import { SignInThrottle } from './sign-in-throttle.js';

const local = { name: 'inMemory', isRemote: false };
const directory = { name: 'ldap', isRemote: true };
const newAddressLimit = { failures: 2, windowMs: 600_000 };

let elapsedMs: number;
let throttle: SignInThrottle;
beforeEach(() => {
  elapsedMs = 1_000_000;
  throttle = new SignInThrottle(localSignInState({ elapsedMs: () => elapsedMs }).failures, newAddressLimit);
});

const wait = (seconds: number) => {
  elapsedMs += seconds * 1_000;
};
/** Sends a wrong password; returns the seconds to wait, 0 when the attempt was allowed. */
const attempt = async (userName: string, from: string, provider = local): Promise<number> => {
  try {
    const begun = await throttle.tryBegin(provider, userName, from);
    await begun?.end('failed');
    return 0;
  } catch (error) {
    const fault = error as Fault;
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: 'busy', code: 'auth.throttled' });
    return fault.retryAfterSeconds ?? Number.NaN;
  }
};
/** Makes attempts one after the other. */
const inTurn = async <T>(times: number, make: (at: number) => Promise<T>): Promise<T[]> => {
  const results: T[] = [];
  for (let at = 0; at < times; at++) results.push(await make(at));
  return results;
};
const fail = (userName: string, from: string, times: number, provider = local) =>
  inTurn(times, () => attempt(userName, from, provider));
const succeed = async (userName: string, from: string, provider = local) =>
  (await throttle.tryBegin(provider, userName, from))?.end('succeeded');
const isAllowed = (seconds: number) => seconds === 0;

describe('wrong passwords', () => {
  test('ten in five minutes are allowed; Retry-After is at most a minute, and the last one is exact', async () => {
    expect(await fail('jane', '10.0.0.1', 12)).toEqual([...Array(10).fill(0), 60, 60]);
    wait(270);
    expect(await attempt('jane', '10.0.0.1')).toBe(30);
    wait(29);
    expect(await attempt('jane', '10.0.0.1')).toBe(1);
    wait(1);
    expect(await attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('a refused attempt does not count: a program with an old password does not prolong the wait', async () => {
    await fail('jane', '10.0.0.1', 10);
    for (let second = 0; second < 299; second++) {
      wait(1);
      expect(await attempt('jane', '10.0.0.1')).toBeGreaterThan(0);
    }
    wait(1);
    expect(await attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('concurrent attempts gain nothing: beyond the limit they wait for the outcome of those in flight', async () => {
    const begun = await inTurn(10, () => throttle.tryBegin(local, 'jane', '10.0.0.1'));
    expect(await throttle.tryBegin(local, 'jane', '10.0.0.1')).toBeUndefined();
    await begun[0]?.end('undecided');
    begun[0] = await throttle.tryBegin(local, 'jane', '10.0.0.1');
    expect(begun[0]).toBeDefined();
    for (const one of begun) await one?.end('failed');
    expect(await attempt('jane', '10.0.0.1')).toBeGreaterThan(0);
    await expect(throttle.check(local, 'jane', '10.0.0.1')).rejects.toThrow(
      'The limit is 10 wrong passwords in 5 minutes for this user name from the address 10.0.0.1, and is fixed.',
    );
  });

  test('any number of right passwords at a time is allowed', async () => {
    const begun = await inTurn(100, (at) => throttle.tryBegin(directory, `user${at}`, '10.0.0.1'));
    for (const one of begun) await one?.end('succeeded');
    expect(await attempt('one more', '10.0.0.1', directory)).toBe(0);
    expect(begun).not.toContain(undefined);
  });

  test('a success clears the earlier failures from the same address', async () => {
    await fail('jane', '10.0.0.1', 9);
    await succeed('jane', '10.0.0.1');
    expect((await fail('jane', '10.0.0.1', 10)).every(isAllowed)).toBe(true);
  });

  test('attempts that could not be decided do not count', async () => {
    for (let at = 0; at < 50; at++) await (await throttle.tryBegin(directory, 'jane', '10.0.0.1'))?.end('undecided');
    expect(await attempt('jane', '10.0.0.1', directory)).toBe(0);
  });

  test('another spelling of the name gains nothing', async () => {
    await fail('jane', '10.0.0.1', 10);
    for (const name of ['Jane', 'JANE', 'ｊane', '  jane ']) expect(await attempt(name, '10.0.0.1')).toBeGreaterThan(0);
  });

  test('one address may fail 200 times with any accounts, far more than a control room does; others are not affected', async () => {
    const attempts = await inTurn(300, (at) => attempt(`user${at}`, '10.0.0.1'));
    expect(attempts.filter(isAllowed)).toHaveLength(200);
    expect(await attempt('user299', '10.0.0.2')).toBe(0);
  });

  test('failures at one provider do not count at another', async () => {
    await succeed('jane', '10.0.0.1', directory);
    await fail('jane', '10.0.0.1', 10, directory);
    expect(await attempt('jane', '10.0.0.1', directory)).toBeGreaterThan(0);
    expect(await attempt('jane', '10.0.0.1', local)).toBe(0);
  });

  test('all addresses of one IPv6 subscriber count as one', async () => {
    await fail('jane', '2001:db8:1:2::1', 10);
    expect(await attempt('jane', '2001:db8:1:2:ffff::7')).toBeGreaterThan(0);
    expect(await attempt('jane', '2001:DB8:1:2:0:0:0:9')).toBeGreaterThan(0);
    expect(await attempt('jane', '2001:db8:1:3::1')).toBe(0);
    await fail('joe', '10.0.0.9', 10);
    expect(await attempt('joe', '::ffff:10.0.0.9')).toBeGreaterThan(0);
  });
});

describe('a client that fails in the name of another user', () => {
  test('does not lock the owner out from one address', async () => {
    await fail('jane', '10.0.0.66', 1_000);
    expect(await attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('is limited across many addresses, and the owner can still sign in from a known one', async () => {
    await succeed('jane', '10.0.0.1');
    const attacks = await inTurn(300, (at) => attempt('jane', `10.1.${at >> 8}.${at & 255}`));
    expect(attacks.filter(isAllowed)).toHaveLength(100);
    expect(await attempt('jane', '10.9.9.9')).toBeGreaterThan(0);
    expect(await attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('at the address of the owner: only failures for the account itself count', async () => {
    await succeed('jane', '10.0.0.1');
    for (let at = 0; at < 300; at++) await attempt(`user${at}`, '10.0.0.1');
    expect(await attempt('user301', '10.0.0.1')).toBeGreaterThan(0);
    expect(await attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('cannot make the throttle forget an account by using very many addresses', async () => {
    for (let at = 0; at < 120; at++) await attempt('victim', `2001:db8:0:${at.toString(16)}::1`);
    expect(await attempt('victim', '192.0.2.1')).toBeGreaterThan(0);
    for (let at = 0; at < 20_000; at++) await attempt(`u${at % 1_000}`, `2001:db8:${at.toString(16)}::1`);
    expect(await attempt('victim', '192.0.2.1')).toBeGreaterThan(0);
  });
});

describe('the lock-out of a directory', () => {
  test('is not reached by strangers: two wrong passwords in ten minutes are passed on, whatever the addresses', async () => {
    let passedOn = 0;
    for (let second = 0; second < 3_600; second++) {
      if ((await attempt('jane', `10.1.${second >> 8}.${second & 255}`, directory)) === 0) passedOn++;
      wait(1);
    }
    expect(passedOn).toBe(12);
  });

  test('is not reached by concurrent attempts either', async () => {
    const begun = await Promise.all(
      ['10.0.0.1', '10.0.0.2', '10.0.0.3'].map((from) => throttle.tryBegin(directory, 'jane', from)),
    );
    expect(begun.map((one) => one !== undefined)).toEqual([true, true, false]);
  });

  test('counts the spellings of one domain account together', async () => {
    expect(await attempt('SITE\\jane', '10.0.0.1', directory)).toBe(0);
    expect(await attempt('jane@site.example', '10.0.0.2', directory)).toBe(0);
    expect(await attempt('Jane', '10.0.0.3', directory)).toBeGreaterThan(0);
  });

  test('does not keep the owner out of an address where they signed in before', async () => {
    await throttle.trust([{ scheme: 'ldap', userName: 'jane', from: '10.0.0.1' }]);
    await fail('jane', '10.0.0.66', 5, directory);
    expect(await attempt('jane', '10.0.0.77', directory)).toBeGreaterThan(0);
    expect((await fail('jane', '10.0.0.1', 10, directory)).every(isAllowed)).toBe(true);
  });

  test('the message names the limit and its setting', async () => {
    await fail('jane', '10.0.0.66', 2, directory);
    await expect(throttle.check(directory, 'jane', '10.0.0.7')).rejects.toThrow(
      /limit is 2 wrong passwords in 10 minutes .* has not signed in before \(setting newAddressFailures\)/,
    );
  });

  test('0 failures: no limit', async () => {
    throttle = new SignInThrottle(localSignInState({ elapsedMs: () => elapsedMs }).failures, {
      failures: 0,
      windowMs: 600_000,
    });
    expect((await fail('jane', '10.0.0.1', 10, directory)).every(isAllowed)).toBe(true);
  });
});
