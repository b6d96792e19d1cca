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

test('a sign-in can be taken once, by the browser that began it', () => {
  const { pending } = pendingSignIns();
  pending.add('browser', begun('one'));
  pending.add('browser', begun('two'));
  expect(pending.take('another', 'one')).toBeUndefined();
  expect(pending.take('browser', 'three')).toBeUndefined();
  expect(pending.take('browser', 'one')).toMatchObject({ returnPath: '/one' });
  expect(pending.take('browser', 'one')).toBeUndefined();
  expect(pending.take('browser', 'two')).toMatchObject({ returnPath: '/two' });
});

test('a sign-in expires after its lifetime', () => {
  const { pending, time } = pendingSignIns();
  pending.add('browser', begun('one'));
  pending.add('browser', begun('two'));
  time.nowMs += 599;
  expect(pending.take('browser', 'one')).toBeDefined();
  time.nowMs += 1;
  expect(pending.take('browser', 'two')).toBeUndefined();
});

test('the oldest is dropped when the limit is reached', () => {
  const { pending } = pendingSignIns();
  for (const state of ['one', 'two', 'three', 'four']) pending.add('browser', begun(state));
  expect(pending.take('browser', 'one')).toBeUndefined();
  for (const state of ['two', 'three', 'four']) expect(pending.take('browser', state)).toBeDefined();
});
