import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';
import { watchSession } from './session-watch.js';

const jane: Principal = { userName: 'jane', roles: [], groups: [] };
const session = { authorization: undefined, sessionSecret: 'secret', from: '' };
const token = { authorization: 'Bearer x', sessionSecret: undefined, from: '' };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const says = (answer: Principal | undefined) => async () => answer;
const fails = (kind: 'unauthenticated' | 'unavailable') => async (): Promise<undefined> => {
  throw new Fault(kind, 'a.code', 'A reason.');
};

test.each([
  ['a session that ended', session, says(undefined), 1],
  ['a token that was deleted', token, fails('unauthenticated'), 1],
  ['a session that lives', session, says({ ...jane, groups: [] }), 0],
  ['a session of somebody who is in another group now', session, says({ ...jane, groups: ['other'] }), 1],
  ['a token of somebody who lost a role', token, says({ ...jane, roles: ['USER'] }), 1],
  ['a storage that does not answer', session, fails('unavailable'), 0],
  ['a password', { ...token, authorization: 'Basic x' }, says(undefined), 0],
  ['nobody', { ...session, sessionSecret: undefined }, says(undefined), 0],
] as const)('after a minute, of %s', async (_, evidence, identify, times) => {
  const onEnd = vi.fn();
  const stop = watchSession(identify, evidence, jane, onEnd);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(onEnd).toHaveBeenCalledTimes(times);
  stop();
  await vi.advanceTimersByTimeAsync(600_000);
  expect(onEnd).toHaveBeenCalledTimes(times);
});
