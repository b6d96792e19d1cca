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
  ['a password', { ...token, authorization: 'Basic x' }, finds(undefined), 0],
  ['no credentials', { ...session, sessionSecret: undefined }, finds(undefined), 0],
] as const)('onExpired after one minute: %s', async (_, credentials, identify, times) => {
  const onExpired = vi.fn();
  const stop = watchSession(identify, credentials, jane, onExpired);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onExpired).toHaveBeenCalledTimes(times);
  stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(onExpired).toHaveBeenCalledTimes(times);
});
