import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AuthenticationProvider } from '../../src/auth/authentication-provider.port.js';

export interface AuthenticationEngine {
  /** The name of the provider in the configuration. */
  readonly name: string;
  open(): Promise<OpenAuthentication>;
}

export interface OpenAuthentication {
  readonly provider: AuthenticationProvider;
  /** A user that the provider knows. */
  readonly user: { readonly userName: string; readonly password: string };
  close(): Promise<void>;
}

/** Requirements of every authentication provider. */
export function authenticationSuite({ name, open }: AuthenticationEngine): void {
  let opened: OpenAuthentication;

  beforeAll(async () => {
    opened = await open();
  });
  afterAll(() => opened?.close());

  test('has the name used in the configuration', () => {
    expect(opened.provider.name).toBe(name);
  });

  test('the correct password identifies the user', async () => {
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
  ])('%s identifies no user', async (_case, mistaken) => {
    expect(await opened.provider.authenticate(mistaken(opened.user))).toEqual({ kind: 'unknown' });
  });

  test('an account that can sign in is never reported as closed, and an unknown one never as open', async () => {
    const { provider, user } = opened;
    const kinds = [user.userName, 'nobody'].map(async (name) => (await provider.recheck?.(name))?.kind ?? 'unknown');
    expect(await Promise.all(kinds)).toEqual([
      expect.toBeOneOf(['open', 'unknown']),
      expect.toBeOneOf(['closed', 'unknown']),
    ]);
  });
}
