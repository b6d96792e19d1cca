import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Browser } from '../fixtures/browser.js';
import { OidcLogbook } from '../fixtures/oidc-logbook.js';
import { TestService } from '../fixtures/service.js';

const refused = (message: RegExp | string) => ({
  status: 401,
  body: { code: 'auth.oidc-refused', message: expect.stringMatching(message) },
});

describe('sign-in at an identity provider', () => {
  let both: OidcLogbook;
  beforeAll(async () => {
    both = await OidcLogbook.start();
  });
  afterAll(async () => {
    await both.stop();
  });

  /** The session as it is stored. */
  const sessionOf = async (answer: { headers: Headers }) => {
    const token = /^SESSION=([\w-]{43})/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
    return both.logbook.service.storage.committed.sessions.find(createHash('sha256').update(token).digest('hex'));
  };

  const expectNobody = async (browser: Browser) => expect((await both.user(browser)).status).toBe(404);

  test('opens the same session as POST /login does, and leads back to where it began', async () => {
    const browser = new Browser();
    const answer = await both.signIn(browser, '?returnTo=/entries/7%3Fx=1');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/entries/7?x=1');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^SESSION=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(await both.user(browser)).toMatchObject({ status: 200, body: { userName: 'ada' } });
    expect(await sessionOf(answer)).toMatchObject({
      account: { scheme: 'oidc', userName: 'ada', roles: [], groups: ['operators', 'shift-leaders'] },
    });
    await browser.open(`${both.logbook.base}/logout`);
    await expectNobody(browser);
  });

  test('leads to / when it began nowhere, and ends the session that the browser was in', async () => {
    const browser = new Browser();
    const first = await both.signIn(browser);
    expect(first.headers.get('location')).toBe('/');
    expect(await sessionOf(first)).toBeDefined();
    await both.signIn(browser);
    expect(await sessionOf(first)).toBeUndefined();
  });

  test('asks the provider with PKCE, state and nonce; the browser gets a key that says nothing', async () => {
    const answer = await new Browser().open(`${both.logbook.base}/login/oidc`);
    const address = new URL(answer.headers.get('location') ?? '');
    expect(address.origin).toBe(both.provider.issuer);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: 'logbook',
      response_type: 'code',
      redirect_uri: both.callback,
      scope: 'openid profile',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^SIGN-IN=[\w-]{43}; Max-Age=600; Path=\/logbook\/login\/oidc; HttpOnly; SameSite=Lax$/),
    ]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  });

  test('two windows of one browser sign in side by side', async () => {
    const browser = new Browser();
    const [one, two] = [await both.begin(browser, '?returnTo=/one'), await both.begin(browser, '?returnTo=/two')];
    const [first, second] = [await both.comeBack(browser, one), await both.comeBack(browser, two)];
    expect((await browser.open(first)).headers.get('location')).toBe('/one');
    expect((await browser.open(second)).headers.get('location')).toBe('/two');
  });

  test('401 with a sentence, and without a dialog of the browser, when the provider says no', async () => {
    both.provider.behaviour.admits = false;
    try {
      const browser = new Browser();
      const answer = await both.signIn(browser);
      expect(answer).toMatchObject(
        refused(/^The identity provider refused the sign-in: “access_denied”, “not on this list”\. Sign in again\.$/),
      );
      expect(answer.headers.get('www-authenticate')).not.toMatch(/basic/i);
      await expectNobody(browser);
    } finally {
      both.provider.behaviour.admits = true;
    }
  });

  test('401 for an answer to another sign-in, which then still works', async () => {
    const browser = new Browser();
    const answer = await both.comeBack(browser, await both.begin(browser));
    const bent = new URL(answer);
    bent.searchParams.set('state', 'a'.repeat(43));
    expect(await browser.open(bent.href)).toMatchObject(refused(/Sign in again\.$/));
    bent.searchParams.delete('state');
    expect(await browser.open(bent.href)).toMatchObject(refused(/Sign in again\.$/));
    await expectNobody(browser);
    expect((await browser.open(answer)).status).toBe(303);
  });

  test('401 for an answer that was used, whoever comes with it', async () => {
    const browser = new Browser();
    const answer = await both.comeBack(browser, await both.begin(browser));
    expect((await browser.open(answer)).status).toBe(303);
    expect(await browser.open(answer)).toMatchObject(refused(/is already finished/));
    expect(await new Browser().open(answer)).toMatchObject(refused(/was not started in this browser/));
  });

  test('401 in another browser, with a sign-in of its own or without', async () => {
    const victim = new Browser();
    const attacker = new Browser();
    const answer = await both.comeBack(attacker, await both.begin(attacker));
    expect(await victim.open(answer)).toMatchObject(refused(/was not started in this browser/));
    await both.begin(victim);
    expect(await victim.open(answer)).toMatchObject(refused(/was not started in this browser/));
    await expectNobody(victim);
  });

  test('401 for a code of another sign-in, which the proof of PKCE does not fit, and for none', async () => {
    const browser = new Browser();
    const another = new URL(await both.comeBack(browser, await both.begin(browser)));
    for (const code of [another.searchParams.get('code') ?? '', 'made-up']) {
      const own = new URL(await both.comeBack(browser, await both.begin(browser)));
      own.searchParams.set('code', code);
      expect(await browser.open(own.href)).toMatchObject(refused(/refused the sign-in: “invalid_grant”/));
    }
    await expectNobody(browser);
  });

  test('401 after 10 minutes', async () => {
    const browser = new Browser();
    const answer = await both.comeBack(browser, await both.begin(browser));
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 600_001 });
    try {
      expect(await browser.open(answer)).toMatchObject(refused(/more than 10 minutes ago/));
    } finally {
      vi.useRealTimers();
    }
    await expectNobody(browser);
  });

  test('401 when the nonce that the provider signed is not ours', async () => {
    const browser = new Browser();
    const address = await both.begin(browser);
    address.searchParams.set('nonce', 'another');
    expect(await browser.open(await both.comeBack(browser, address))).toMatchObject(refused(/for another sign-in/));
    await expectNobody(browser);
  });

  describe('401 when the id token', () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const bend = (token: string, change: { header?: object; claims?: object }) => {
      const [header = {}, claims = {}] = token
        .split('.', 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
      const signature = token.split('.')[2];
      return `${encode({ ...header, ...change.header })}.${encode({ ...claims, ...change.claims })}.${signature}`;
    };

    test.each([
      ['names somebody else', (token: string) => bend(token, { claims: { preferred_username: 'admin' } })],
      [
        'is not signed',
        (token: string) =>
          `${bend(token, { header: { alg: 'none' } })
            .split('.', 2)
            .join('.')}.`,
      ],
      ['is signed with the secret', (token: string) => bend(token, { header: { alg: 'HS256' } })],
      ['is for another client', (token: string) => bend(token, { claims: { aud: 'another' } })],
      ['is of another provider', (token: string) => bend(token, { claims: { iss: 'https://evil.example' } })],
      ['has expired', (token: string) => bend(token, { claims: { exp: 1_000 } })],
      ['is no token', () => 'no token'],
    ])('%s', async (_case, tamper) => {
      both.provider.behaviour.tamper = ({ id_token = '', ...tokens }) => ({ ...tokens, id_token: tamper(id_token) });
      try {
        const browser = new Browser();
        expect(await both.signIn(browser)).toMatchObject(refused(/is not accepted/));
        await expectNobody(browser);
      } finally {
        both.provider.behaviour.tamper = (tokens) => tokens;
      }
    });

    test('is missing', async () => {
      both.provider.behaviour.tamper = ({ id_token: _, ...tokens }) => tokens;
      try {
        expect(await both.signIn()).toMatchObject(refused(/is not accepted/));
      } finally {
        both.provider.behaviour.tamper = (tokens) => tokens;
      }
    });
  });

  test('401 for an account without a user name: the settings to look at are named', async () => {
    const { claims } = both.provider.behaviour;
    both.provider.behaviour.claims = { groups: [] };
    try {
      expect(await both.signIn()).toMatchObject(refused(/does not say the “preferred_username”.*oidcUserClaim/));
    } finally {
      both.provider.behaviour.claims = claims;
    }
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example/', '/%09/evil.example', 'logs', ''])(
    '400 auth.bad-return-path for %s; nothing begins',
    async (returnTo) => {
      const answer = await new Browser().open(`${both.logbook.base}/login/oidc?returnTo=${returnTo}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'auth.bad-return-path' } });
      expect(answer.headers.getSetCookie()).toEqual([]);
    },
  );

  test('HEAD begins nothing and ends nothing', async () => {
    for (const path of ['/login/oidc', '/login/oidc/callback']) {
      expect((await both.logbook.call(path, { method: 'HEAD' })).status).toBe(404);
    }
  });

  test('the other schemes work beside it', async () => {
    expect((await both.logbook.get('/user')).body).toEqual({ userName: 'user', roles: ['USER'] });
    const login = await both.logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null });
    expect(login.status).toBe(200);
  });
});

describe('with other settings', () => {
  test('a public client, claims of other names, and what only the user info tells', async () => {
    const both = await OidcLogbook.start(
      { oidcClientSecret: '', oidcUserClaim: 'email', oidcGroupsClaim: '', requireSignInForReads: 'true' },
      { isPublic: true, claimsInIdToken: false },
    );
    try {
      both.provider.behaviour.claims = { email: 'ada@example.org', email_verified: true };
      const browser = new Browser();
      expect((await both.signIn(browser)).status).toBe(303);
      expect((await both.user(browser)).body).toMatchObject({ userName: 'ada@example.org' });
      expect(both.provider.requests).toContain('GET /me');
      expect((await browser.open(`${both.logbook.base}/logs`)).status).toBe(200);
    } finally {
      await both.stop();
    }
  });

  test('publicUrl is where the provider sends the browser back to', async () => {
    const both = await OidcLogbook.start({ publicUrl: 'https://log.example.org', rootPath: '/log' });
    try {
      const answer = await new Browser().open(`${both.logbook.origin}/log/login/oidc`);
      const { searchParams } = new URL(answer.headers.get('location') ?? '');
      expect(searchParams.get('redirect_uri')).toBe('https://log.example.org/log/login/oidc/callback');
    } finally {
      await both.stop();
    }
  });

  test('without a provider there is no such address', async () => {
    const logbook = await TestService.start();
    try {
      expect((await logbook.get('/login/oidc')).status).toBe(404);
    } finally {
      await logbook.stop();
    }
  });
});
