import { expect, test } from 'vitest';
import { localSignInState } from './local-sign-in-state.js';
import { PendingOidcSignIns } from './pending-oidc-sign-ins.js';

const begun = (state: string, from = '192.0.2.1') => ({
  signIn: { callbackUrl: 'http://log.example/callback', state, nonce: 'n', begunMs: 0, codeVerifier: 'v' },
  returnPath: `/${state}`,
  from,
});

function pendingSignIns(maxPending = 3) {
  const time = { nowMs: 1_000 };
  const { pending } = localSignInState({ elapsedMs: () => time.nowMs });
  const limits = { lifetimeMs: 600, maxTotal: maxPending, maxPerNetwork: 200 };
  return { time, pending: new PendingOidcSignIns(pending, limits) };
}

test('a sign-in can be taken once, by the browser that began it', async () => {
  const { pending } = pendingSignIns();
  await pending.add('browser', begun('one'));
  await pending.add('browser', begun('two'));
  expect(await pending.take('another', 'one')).toBeUndefined();
  expect(await pending.take('browser', 'three')).toBeUndefined();
  expect(await pending.take('browser', 'one')).toMatchObject({ returnPath: '/one' });
  expect(await pending.take('browser', 'one')).toBeUndefined();
  expect(await pending.take('browser', 'two')).toMatchObject({ returnPath: '/two' });
});

test('a sign-in expires after its lifetime', async () => {
  const { pending, time } = pendingSignIns();
  await pending.add('browser', begun('one'));
  await pending.add('browser', begun('two'));
  time.nowMs += 599;
  expect(await pending.take('browser', 'one')).toBeDefined();
  time.nowMs += 1;
  expect(await pending.take('browser', 'two')).toBeUndefined();
});

test('the oldest is dropped when the limit is reached', async () => {
  const { pending } = pendingSignIns();
  for (const state of ['one', 'two', 'three', 'four']) await pending.add('browser', begun(state));
  expect(await pending.take('browser', 'one')).toBeUndefined();
  for (const state of ['two', 'three', 'four']) expect(await pending.take('browser', state)).toBeDefined();
});

test('a client that begins too many sign-ins drops only its own, whichever of its IPv6 addresses it uses', async () => {
  const { pending } = pendingSignIns(1_000);
  await pending.add('browser', begun('victim', '192.0.2.1'));
  for (let at = 0; at < 300; at++) await pending.add('attacker', begun(`a${at}`, `2001:db8:1:2::${at.toString(16)}`));
  expect(await pending.take('attacker', 'a99')).toBeUndefined();
  expect(await pending.take('attacker', 'a100')).toBeDefined();
  for (let at = 0; at < 5_000; at++) await pending.add('attacker', begun(`b${at}`, `198.51.${at % 7}.1`));
  expect(await pending.take('browser', 'victim')).toBeDefined();
});
