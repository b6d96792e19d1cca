import { beforeEach, expect, test } from 'vitest';
import { Fault } from '../kernel/fault.js';
import type { Account } from './accounts.js';
import { CredentialCache } from './credential-cache.js';

const jane: Account = { scheme: 'ldap', userName: 'jane', groups: ['operators'], roles: [] };
const old = { userName: 'jane', password: 'old' };
const changed = { userName: 'jane', password: 'new' };

let cache: CredentialCache;
let asked: string[];
beforeEach(() => {
  cache = new CredentialCache(60_000);
  asked = [];
});

const accepts =
  (name: string, account = jane) =>
  async () => {
    asked.push(name);
    return account;
  };
const fails = (kind: 'unauthenticated' | 'unavailable') => async () => {
  asked.push(kind);
  throw new Fault(kind, 'x', 'x');
};

test('a second request is served from memory in the network where the first one was accepted', async () => {
  await cache.getOrCheck(old, 'a', accepts('first'));
  await cache.getOrCheck(old, 'a', accepts('second'));
  expect(asked).toEqual(['first']);
  await cache.getOrCheck(old, 'b', accepts('other network'));
  expect(asked).toEqual(['first', 'other network']);
});

test('checkAgain always asks, and its result is used from then on', async () => {
  await cache.getOrCheck(old, 'a', accepts('first'));
  const left = { ...jane, groups: [] };
  expect(await cache.checkAgain(old, 'a', accepts('again', left))).toBe(left);
  expect(await cache.getOrCheck(old, 'a', accepts('unused'))).toBe(left);
  expect(asked).toEqual(['first', 'again']);
});

test('a new password that is accepted replaces the old one, in every network and in every spelling', async () => {
  await cache.getOrCheck(old, 'a', accepts('first'));
  await cache.getOrCheck({ ...old, userName: 'JANE' }, 'b', accepts('spelling'));
  await cache.checkAgain(changed, 'c', accepts('again'));
  await expect(cache.getOrCheck(old, 'a', fails('unauthenticated'))).rejects.toThrow();
  await expect(cache.getOrCheck({ ...old, userName: 'JANE' }, 'b', fails('unauthenticated'))).rejects.toThrow();
  expect(await cache.getOrCheck(changed, 'c', accepts('unused'))).toBe(jane);
});

test('credentials that are rejected again are forgotten in every network; a directory that is down is no rejection', async () => {
  await cache.getOrCheck(old, 'a', accepts('first'));
  await expect(cache.checkAgain(old, 'b', fails('unavailable'))).rejects.toThrow();
  expect(await cache.getOrCheck(old, 'a', accepts('unused'))).toBe(jane);
  await expect(cache.checkAgain(old, 'b', fails('unauthenticated'))).rejects.toThrow();
  await expect(cache.getOrCheck(old, 'a', fails('unauthenticated'))).rejects.toThrow();
});

test('the answer of a check that began before a rejection is not cached', async () => {
  let answer: (account: Account) => void = () => undefined;
  const slow = cache.getOrCheck(old, 'a', () => new Promise((resolve) => (answer = resolve)));
  await expect(cache.checkAgain(old, 'a', fails('unauthenticated'))).rejects.toThrow();
  answer(jane);
  await slow;
  await expect(cache.getOrCheck(old, 'a', fails('unauthenticated'))).rejects.toThrow();
});

test('forgetting an account keeps the credentials of the same user name at another provider', async () => {
  const other = { ...jane, scheme: 'active_directory' };
  await cache.getOrCheck(old, 'a', accepts('first'));
  await cache.getOrCheck(changed, 'a', accepts('other', other));
  cache.forget(jane);
  await expect(cache.getOrCheck(old, 'a', fails('unauthenticated'))).rejects.toThrow();
  expect(await cache.getOrCheck(changed, 'a', accepts('unused'))).toBe(other);
});
