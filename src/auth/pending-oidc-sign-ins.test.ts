import { expect, test } from 'vitest';
import { PendingOidcSignIns } from './pending-oidc-sign-ins.js';

const begun = (state: string, from = '192.0.2.1') => ({
  signIn: { callbackUrl: 'http://log.example/callback', state, nonce: 'n', begunMs: 0, codeVerifier: 'v' },
  returnPath: `/${state}`,
  from,
});

function pendingSignIns(maxPending = 3) {
  const time = { nowMs: 1_000 };
  return { time, pending: new PendingOidcSignIns({ elapsedMs: () => time.nowMs }, 600, maxPending) };
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

test('a client that begins very many drops its own, whichever of its IPv6 addresses it uses, and nobody else’s', () => {
  const { pending } = pendingSignIns(1_000);
  pending.add('browser', begun('victim', '192.0.2.1'));
  for (let at = 0; at < 300; at++) pending.add('attacker', begun(`a${at}`, `2001:db8:1:2::${at.toString(16)}`));
  expect(pending.take('attacker', 'a99')).toBeUndefined();
  expect(pending.take('attacker', 'a100')).toBeDefined();
  for (let at = 0; at < 5_000; at++) pending.add('attacker', begun(`b${at}`, `198.51.${at % 7}.1`));
  expect(pending.take('browser', 'victim')).toBeDefined();
});
