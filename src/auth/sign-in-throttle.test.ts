import { beforeEach, describe, expect, test } from 'vitest';
import { Fault } from '../kernel/fault.js';
import { SignInThrottle } from './sign-in-throttle.js';

let nowMs: number;
let throttle: SignInThrottle;
beforeEach(() => {
  nowMs = 1_000_000;
  throttle = new SignInThrottle({ nowMs: () => nowMs });
});

const wait = (seconds: number) => {
  nowMs += seconds * 1_000;
};
/** Sends a wrong password; returns the seconds to wait, 0 when the attempt was allowed. */
const attempt = (userName: string, from: string): number => {
  try {
    throttle.begin(userName, from).failed();
    return 0;
  } catch (error) {
    const fault = error as Fault;
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: 'busy', code: 'auth.throttled' });
    return fault.retryAfterSeconds ?? Number.NaN;
  }
};
const fail = (userName: string, from: string, times: number) =>
  Array.from({ length: times }, () => attempt(userName, from));

describe('wrong passwords', () => {
  test('five in a row are allowed, then one every thirty seconds; Retry-After says when the next is allowed', () => {
    expect(fail('jane', '10.0.0.1', 6)).toEqual([0, 0, 0, 0, 0, 30]);
    wait(29);
    expect(attempt('jane', '10.0.0.1')).toBe(1);
    wait(1);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
    expect(attempt('jane', '10.0.0.1')).toBeGreaterThan(0);
  });

  test('concurrent attempts gain nothing: each counts before its result is known', () => {
    for (let at = 0; at < 5; at++) throttle.begin('jane', '10.0.0.1');
    expect(attempt('jane', '10.0.0.1')).toBeGreaterThan(0);
    expect(() => throttle.check('jane', '10.0.0.1')).toThrow();
  });

  test('a success clears the earlier failures from the same address', () => {
    fail('jane', '10.0.0.1', 4);
    throttle.begin('jane', '10.0.0.1').succeeded();
    expect(fail('jane', '10.0.0.1', 5)).toEqual([0, 0, 0, 0, 0]);
  });

  test('one address may have sixteen attempts in flight, whatever the accounts', () => {
    const begun = Array.from({ length: 16 }, (_, at) => throttle.begin(`user${at}`, '10.0.0.1'));
    expect(attempt('one more', '10.0.0.1')).toBe(1);
    expect(attempt('one more', '10.0.0.2')).toBe(0);
    begun[0]?.failed();
    expect(attempt('one more', '10.0.0.1')).toBe(0);
  });

  test('attempts that could not be decided do not count', () => {
    for (let at = 0; at < 50; at++) throttle.begin('jane', '10.0.0.1').undecided();
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('another spelling of the name gains nothing', () => {
    fail('jane', '10.0.0.1', 5);
    for (const name of ['Jane', 'JANE', 'ｊane', '  jane ']) expect(attempt(name, '10.0.0.1')).toBeGreaterThan(0);
  });

  test('one address that tries many accounts is slowed down; other addresses are not', () => {
    const allowed = Array.from({ length: 100 }, (_, at) => attempt(`user${at}`, '10.0.0.1')).filter((s) => s === 0);
    expect(allowed).toHaveLength(60);
    expect(attempt('user99', '10.0.0.2')).toBe(0);
  });

  test('all addresses of one IPv6 subscriber count as one', () => {
    fail('jane', '2001:db8:1:2::1', 5);
    expect(attempt('jane', '2001:db8:1:2:ffff::7')).toBeGreaterThan(0);
    expect(attempt('jane', '2001:DB8:1:2:0:0:0:9')).toBeGreaterThan(0);
    expect(attempt('jane', '2001:db8:1:3::1')).toBe(0);
    fail('joe', '10.0.0.9', 5);
    expect(attempt('joe', '::ffff:10.0.0.9')).toBeGreaterThan(0);
  });
});

describe('a client that fails in the name of another user', () => {
  test('does not lock the owner out from one address', () => {
    fail('jane', '10.0.0.66', 1_000);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('is slowed down across many addresses, and the owner can still sign in from a known one', () => {
    throttle.begin('jane', '10.0.0.1').succeeded();
    const attacks = Array.from({ length: 300 }, (_, at) => attempt('jane', `10.1.${at >> 8}.${at & 255}`));
    expect(attacks.filter((seconds) => seconds === 0)).toHaveLength(100);
    expect(attempt('jane', '10.9.9.9')).toBeGreaterThan(0);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('at the address of the owner: only failures for the account itself count', () => {
    throttle.begin('jane', '10.0.0.1').succeeded();
    for (let at = 0; at < 100; at++) attempt(`user${at}`, '10.0.0.1');
    expect(attempt('user101', '10.0.0.1')).toBeGreaterThan(0);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('cannot make the throttle forget an account by using very many addresses', () => {
    for (let at = 0; at < 120; at++) attempt('victim', `2001:db8:0:${at.toString(16)}::1`);
    expect(attempt('victim', '192.0.2.1')).toBeGreaterThan(0);
    for (let at = 0; at < 60_000; at++) attempt(`u${at % 1_000}`, `2001:db8:${at.toString(16)}::1`);
    expect(attempt('victim', '192.0.2.1')).toBeGreaterThan(0);
  });
});
