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
/** A wrong password: seconds to wait; 0 when the attempt is taken. */
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
  test('five in a row are taken, then one in thirty seconds; Retry-After is when the next is taken', () => {
    expect(fail('jane', '10.0.0.1', 6)).toEqual([0, 0, 0, 0, 0, 30]);
    wait(29);
    expect(attempt('jane', '10.0.0.1')).toBe(1);
    wait(1);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
    expect(attempt('jane', '10.0.0.1')).toBeGreaterThan(0);
  });

  test('many at once gain nothing: each counts before it is decided', () => {
    for (let at = 0; at < 5; at++) throttle.begin('jane', '10.0.0.1');
    expect(attempt('jane', '10.0.0.1')).toBeGreaterThan(0);
    expect(() => throttle.check('jane', '10.0.0.1')).toThrow();
  });

  test('one that succeeds wipes out those before it from there', () => {
    fail('jane', '10.0.0.1', 4);
    throttle.begin('jane', '10.0.0.1').succeeded();
    expect(fail('jane', '10.0.0.1', 5)).toEqual([0, 0, 0, 0, 0]);
  });

  test('of one address, sixteen are under way at a time, whoever they are for', () => {
    const begun = Array.from({ length: 16 }, (_, at) => throttle.begin(`user${at}`, '10.0.0.1'));
    expect(attempt('one more', '10.0.0.1')).toBe(1);
    expect(attempt('one more', '10.0.0.2')).toBe(0);
    begun[0]?.failed();
    expect(attempt('one more', '10.0.0.1')).toBe(0);
  });

  test('those that nobody could decide do not count', () => {
    for (let at = 0; at < 50; at++) throttle.begin('jane', '10.0.0.1').undecided();
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('the spelling of the name gains nothing', () => {
    fail('jane', '10.0.0.1', 5);
    for (const name of ['Jane', 'JANE', 'ｊane', '  jane ']) expect(attempt(name, '10.0.0.1')).toBeGreaterThan(0);
  });

  test('one address that tries many accounts is slowed down, and no other with it', () => {
    const taken = Array.from({ length: 100 }, (_, at) => attempt(`user${at}`, '10.0.0.1')).filter((s) => s === 0);
    expect(taken).toHaveLength(60);
    expect(attempt('user99', '10.0.0.2')).toBe(0);
  });

  test('an IPv6 subscriber is one address, however they change it', () => {
    fail('jane', '2001:db8:1:2::1', 5);
    expect(attempt('jane', '2001:db8:1:2:ffff::7')).toBeGreaterThan(0);
    expect(attempt('jane', '2001:DB8:1:2:0:0:0:9')).toBeGreaterThan(0);
    expect(attempt('jane', '2001:db8:1:3::1')).toBe(0);
    fail('joe', '10.0.0.9', 5);
    expect(attempt('joe', '::ffff:10.0.0.9')).toBeGreaterThan(0);
  });
});

describe('somebody who fails in the name of another', () => {
  test('does not lock the owner out, from one address', () => {
    fail('jane', '10.0.0.66', 1_000);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('from many addresses: slowed down together, and the owner is let in from where they were before', () => {
    throttle.begin('jane', '10.0.0.1').succeeded();
    const attacks = Array.from({ length: 300 }, (_, at) => attempt('jane', `10.1.${at >> 8}.${at & 255}`));
    expect(attacks.filter((seconds) => seconds === 0)).toHaveLength(100);
    expect(attempt('jane', '10.9.9.9')).toBeGreaterThan(0);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('at the address of the owner: their own guesses alone count', () => {
    throttle.begin('jane', '10.0.0.1').succeeded();
    for (let at = 0; at < 100; at++) attempt(`user${at}`, '10.0.0.1');
    expect(attempt('user101', '10.0.0.1')).toBeGreaterThan(0);
    expect(attempt('jane', '10.0.0.1')).toBe(0);
  });

  test('from very many addresses: what is remembered of an account stays', () => {
    for (let at = 0; at < 120; at++) attempt('victim', `2001:db8:0:${at.toString(16)}::1`);
    expect(attempt('victim', '192.0.2.1')).toBeGreaterThan(0);
    for (let at = 0; at < 60_000; at++) attempt(`u${at % 1_000}`, `2001:db8:${at.toString(16)}::1`);
    expect(attempt('victim', '192.0.2.1')).toBeGreaterThan(0);
  });
});
