import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';
import { watchSession } from './session-watch.js';

const jane: Principal = { scheme: 'ldap', userName: 'jane', roles: [], groups: [] };
const session = { authorization: undefined, sessionSecret: 'secret', from: '' };
const token = { authorization: 'Bearer x', sessionSecret: undefined, from: '' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const finds = (principal: Principal | undefined) => async () => principal;
const fails = (kind: 'unauthenticated' | 'unavailable') => async (): Promise<undefined> => {
  throw new Fault(kind, 'a.code', 'A reason.');
};

test.each([
  ['an expired session', session, finds(undefined), 1],
  ['a deleted token', token, fails('unauthenticated'), 1],
  ['a valid session', session, finds({ ...jane, groups: [] }), 0],
  ['a session whose user has another group', session, finds({ ...jane, groups: ['other'] }), 1],
  ['a token whose user lost a role', token, finds({ ...jane, roles: ['USER'] }), 1],
  ['an unavailable storage', session, fails('unavailable'), 0],
] as const)('onExpired after one minute: %s', async (_, credentials, identifyWithoutRenewal, times) => {
  const users = { identifyWithoutRenewal, recheck: finds(jane) };
  await expectExpired(users, credentials, times);
});

test.each([
  ['a closed account', finds(undefined), 1],
  ['a user who has left a group', finds({ ...jane, groups: ['other'] }), 1],
  ['an account as before', finds(jane), 0],
  ['an unavailable storage', fails('unavailable'), 0],
] as const)('onExpired after one minute for a user who signed in with a password: %s', async (_, recheck, times) => {
  // The password itself is not checked again.
  const users = { identifyWithoutRenewal: fails('unauthenticated'), recheck };
  await expectExpired(users, { ...token, authorization: 'Basic x' }, times);
  await expectExpired(users, undefined, times);
});

async function expectExpired(
  users: Parameters<typeof watchSession>[0],
  credentials: Parameters<typeof watchSession>[1],
  times: number,
): Promise<void> {
  const onExpired = vi.fn();
  const stop = watchSession(users, credentials, jane, onExpired);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onExpired).toHaveBeenCalledTimes(times);
  stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(onExpired).toHaveBeenCalledTimes(times);
}
