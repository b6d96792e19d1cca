import { expect, test } from 'vitest';
import { toText } from '../../auth/accounts.js';
import { chatChannelName, mailChannelName, ownerOfChannel, pushChannelName } from './personal-channels.js';

test('the name of each channel contains its user, so that a stored channel without use can be ended', () => {
  const owner = { scheme: 'ldap', userName: 'jane\n] (x)' };
  const names = [mailChannelName(owner), chatChannelName(owner), pushChannelName(owner, { id: '0f'.repeat(16) })];
  expect(names.map(ownerOfChannel)).toEqual(names.map(() => toText(owner)));
  expect(new Set(names).size).toBe(3);
});

test('a configured subscriber is not a user', () => {
  expect(['chat', 'user', 'browser'].map(ownerOfChannel)).toEqual([undefined, undefined, undefined]);
});
