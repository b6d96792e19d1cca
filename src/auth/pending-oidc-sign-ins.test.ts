import { expect, test } from 'vitest';
import { PendingOidcSignIns } from './pending-oidc-sign-ins.js';

const begun = (state: string) => ({
  signIn: { callbackUrl: 'http://log.example/callback', state, nonce: 'n', codeVerifier: 'v' },
  returnPath: `/${state}`,
  from: '192.0.2.1',
});

function pendingSignIns() {
  const time = { nowMs: 1_000 };
  return { time, pending: new PendingOidcSignIns({ nowMs: () => time.nowMs }, 600, 3) };
}

test('each is given once, to the browser that began it', () => {
  const { pending } = pendingSignIns();
  pending.add('browser', begun('one'));
  pending.add('browser', begun('two'));
  expect(pending.take('another', 'one')).toBeUndefined();
  expect(pending.take('browser', 'three')).toBeUndefined();
  expect(pending.take('browser', 'one')).toMatchObject({ returnPath: '/one' });
  expect(pending.take('browser', 'one')).toBeUndefined();
  expect(pending.take('browser', 'two')).toMatchObject({ returnPath: '/two' });
});

test('ends when its time is over', () => {
  const { pending, time } = pendingSignIns();
  pending.add('browser', begun('one'));
  pending.add('browser', begun('two'));
  time.nowMs += 599;
  expect(pending.take('browser', 'one')).toBeDefined();
  time.nowMs += 1;
  expect(pending.take('browser', 'two')).toBeUndefined();
});

test('the oldest makes room', () => {
  const { pending } = pendingSignIns();
  for (const state of ['one', 'two', 'three', 'four']) pending.add('browser', begun(state));
  expect(pending.take('browser', 'one')).toBeUndefined();
  for (const state of ['two', 'three', 'four']) expect(pending.take('browser', state)).toBeDefined();
});
