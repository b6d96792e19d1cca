import { describe, expect, test } from 'vitest';
import { authenticationEngines } from './engines.js';

describe.each(authenticationEngines)('the authentication scheme $provider.scheme', ({ provider, user }) => {
  test('the right password tells who it is', async () => {
    expect(await provider.authenticate(user)).toMatchObject({
      kind: 'accepted',
      identity: { userName: user.userName },
    });
  });

  test.each([
    ['a wrong password', { ...user, password: 'wrong' }],
    ['an empty password', { ...user, password: '' }],
    ['a password with something behind it', { ...user, password: `${user.password} ` }],
    ['an unknown user', { ...user, userName: 'nobody' }],
    ['a wildcard', { userName: '*', password: user.password }],
  ])('%s is nobody', async (_case, credentials) => {
    expect(await provider.authenticate(credentials)).toEqual({ kind: 'unknown' });
  });
});
