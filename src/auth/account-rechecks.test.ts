import { beforeEach, describe, expect, test } from 'vitest';
import { AccountRechecks } from './account-rechecks.js';
import type { Account } from './accounts.js';
import type { AccountState, AuthenticationProvider } from './authentication-provider.port.js';
import { openSignInQueues } from './sign-in-queue.js';

const minuteMs = 60_000;
const jane: Account = { scheme: 'ldap', userName: 'jane', groups: ['operators'], roles: ['USER'] };

let elapsedMs: number;
let state: AccountState;
let asked: number;
let applied: unknown[];
let rechecks: AccountRechecks;
beforeEach(() => {
  elapsedMs = 0;
  asked = 0;
  applied = [];
  state = { kind: 'open', groups: ['operators'] };
  rechecks = create(15 * minuteMs);
});

/** Wires a provider whose answer is `state`. */
function create(intervalMs: number): AccountRechecks {
  const provider: AuthenticationProvider = {
    name: 'ldap',
    isRemote: true,
    authenticate: async () => ({ kind: 'unknown' }),
    recheck: async () => {
      asked++;
      return state;
    },
    close: async () => undefined,
  };
  return new AccountRechecks(
    {
      providers: [provider],
      queueOf: openSignInQueues(),
      clock: { elapsedMs: () => elapsedMs },
      onOpen: async (account) => void applied.push(account.groups),
      onClosed: async () => void applied.push('closed'),
    },
    intervalMs,
  );
}

describe('an account with a session', () => {
  test('is looked up when nothing is known, as after a restart, and then once in the interval', async () => {
    for (let request = 0; request < 10; request++) await rechecks.findCurrent(jane);
    expect(asked).toBe(1);
    elapsedMs = 15 * minuteMs;
    await rechecks.findCurrent(jane);
    expect(asked).toBe(2);
  });

  test('is not looked up right after its password was accepted', async () => {
    rechecks.noteAccepted(jane);
    elapsedMs = 11 * minuteMs;
    expect(await rechecks.findCurrent(jane)).toBe(jane);
    expect(asked).toBe(0);
  });

  test('in steady use is looked up before the interval ends, and no request waits for it', async () => {
    rechecks.noteAccepted(jane);
    elapsedMs = 13 * minuteMs;
    state = { kind: 'open', groups: [] };
    expect(await rechecks.findCurrent(jane)).toBe(jane);
    await expect.poll(() => applied).toEqual([[]]);
  });

  test('that has left a group has lost it at the first request after the interval', async () => {
    rechecks.noteAccepted(jane);
    state = { kind: 'open', groups: [] };
    elapsedMs = 15 * minuteMs;
    expect(await rechecks.findCurrent(jane)).toEqual({ ...jane, groups: [] });
    expect(applied).toEqual([[]]);
  });

  test('that was closed is refused, until it is open again', async () => {
    state = { kind: 'closed' };
    expect(await rechecks.findCurrent(jane)).toBeUndefined();
    expect(await rechecks.findCurrent(jane)).toBeUndefined();
    expect([asked, applied]).toEqual([1, ['closed']]);
    state = { kind: 'open', groups: [] };
    elapsedMs = 15 * minuteMs;
    expect(await rechecks.findCurrent(jane)).toMatchObject({ userName: 'jane', groups: [] });
    state = { kind: 'closed' };
    elapsedMs = 30 * minuteMs;
    expect(await rechecks.findCurrent(jane)).toBeUndefined();
    rechecks.noteAccepted(jane);
    expect(await rechecks.findCurrent(jane)).toBe(jane);
  });

  test('keeps its groups while the directory cannot decide, which is asked again within a minute', async () => {
    state = { kind: 'unknown' };
    expect(await rechecks.findCurrent(jane)).toBe(jane);
    state = { kind: 'closed' };
    elapsedMs = minuteMs;
    expect(await rechecks.findCurrent(jane)).toBeUndefined();
  });

  test('that was closed stays closed while the directory cannot decide', async () => {
    state = { kind: 'closed' };
    await rechecks.findCurrent(jane);
    state = { kind: 'unknown' };
    elapsedMs = 15 * minuteMs;
    expect(await rechecks.findCurrent(jane)).toBeUndefined();
  });

  test('is not looked up if it belongs to another provider, or if the interval is 0', async () => {
    const oidc = { ...jane, scheme: 'oidc' };
    expect(await rechecks.findCurrent(oidc)).toBe(oidc);
    rechecks = create(0);
    expect(await rechecks.findCurrent(jane)).toBe(jane);
    expect(asked).toBe(0);
  });
});
