import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { authenticationEngines, type OpenAuthentication } from './engines.js';

for (const { name, isPossible, open } of authenticationEngines) {
  describe.skipIf(!isPossible)(`the authentication provider ${name}`, () => {
    let opened: OpenAuthentication;

    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened?.close());

    test('has the name that the configuration uses', () => {
      expect(opened.provider.name).toBe(name);
    });

    test('the right password is accepted and identifies the user', async () => {
      const { provider, user } = opened;
      expect(await provider.authenticate(user)).toMatchObject({
        kind: 'accepted',
        identity: { userName: user.userName },
      });
    });

    test.each<[string, (user: OpenAuthentication['user']) => OpenAuthentication['user']]>([
      ['a wrong password', (user) => ({ ...user, password: 'wrong' })],
      ['an empty password', (user) => ({ ...user, password: '' })],
      ['an empty name', (user) => ({ ...user, userName: '' })],
      ['a password with a trailing space', (user) => ({ ...user, password: `${user.password} ` })],
      ['an unknown user', (user) => ({ ...user, userName: 'nobody' })],
      ['a wildcard', (user) => ({ ...user, userName: '*' })],
    ])('%s is unknown', async (_case, mistaken) => {
      expect(await opened.provider.authenticate(mistaken(opened.user))).toEqual({ kind: 'unknown' });
    });
  });
}
