import { createHash } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Browser } from '../fixtures/browser.js';
import { signAgain } from '../fixtures/identity-provider.js';
import { OidcLogbook } from '../fixtures/oidc-logbook.js';
import { TestService } from '../fixtures/service.js';

const refused = (message: RegExp | string) => ({
  status: 401,
  body: { code: 'auth.oidc-refused', message: expect.stringMatching(message) },
});

describe('sign-in with OpenID Connect', () => {
  let deployment: OidcLogbook;
  beforeAll(async () => {
    deployment = await OidcLogbook.start();
  });
  afterAll(async () => {
    await deployment.stop();
  });

  /** Returns the stored session of the cookie in the response. */
  const storedSession = async (answer: { headers: Headers }) => {
    const token = /^SESSION=([\w-]{43})/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';
    return deployment.logbook.service.storage.committed.sessions.find(createHash('sha256').update(token).digest('hex'));
  };

  const expectSignedOut = async (browser: Browser) => expect((await deployment.user(browser)).status).toBe(404);

  test('opens the same kind of session as POST /login and returns to the path where it began', async () => {
    const browser = new Browser();
    const answer = await deployment.signIn(browser, '?returnTo=/entries/7%3Fx=1');
    expect(answer.status).toBe(303);
    expect(answer.headers.get('location')).toBe('/entries/7?x=1');
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^SESSION=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    expect(await deployment.user(browser)).toMatchObject({ status: 200, body: { userName: 'ada' } });
    expect(await storedSession(answer)).toMatchObject({
      account: { scheme: 'oidc', userName: 'ada', roles: [], groups: ['operators', 'shift-leaders'] },
    });
    await browser.open(`${deployment.logbook.base}/logout`);
    await expectSignedOut(browser);
  });

  test('returns to / by default, and ends the previous session of the browser', async () => {
    const browser = new Browser();
    const first = await deployment.signIn(browser);
    expect(first.headers.get('location')).toBe('/');
    expect(await storedSession(first)).toBeDefined();
    await deployment.signIn(browser);
    expect(await storedSession(first)).toBeUndefined();
  });

  test('uses PKCE, state and nonce; the browser receives only an opaque key', async () => {
    const answer = await new Browser().open(`${deployment.logbook.base}/login/oidc`);
    const address = new URL(answer.headers.get('location') ?? '');
    expect(address.origin).toBe(deployment.provider.issuer);
    expect(Object.fromEntries(address.searchParams)).toEqual({
      client_id: 'logbook',
      response_type: 'code',
      redirect_uri: deployment.callback,
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

  test('two windows of one browser can sign in concurrently', async () => {
    const browser = new Browser();
    const [one, two] = [
      await deployment.begin(browser, '?returnTo=/one'),
      await deployment.begin(browser, '?returnTo=/two'),
    ];
    const [first, second] = [await deployment.comeBack(browser, one), await deployment.comeBack(browser, two)];
    expect((await browser.open(first)).headers.get('location')).toBe('/one');
    expect((await browser.open(second)).headers.get('location')).toBe('/two');
  });

  test('401 auth.oidc-refused: the provider refused; the browser shows no password dialog', async () => {
    deployment.provider.behaviour.admits = false;
    try {
      const browser = new Browser();
      const answer = await deployment.signIn(browser);
      expect(answer).toMatchObject(
        refused(/^The identity provider refused the sign-in: “access_denied”, “not on this list”\. Sign in again\.$/),
      );
      expect(answer.headers.get('www-authenticate')).not.toMatch(/basic/i);
      await expectSignedOut(browser);
    } finally {
      deployment.provider.behaviour.admits = true;
    }
  });

  test('401 auth.oidc-refused: the response is for another sign-in, which can still be finished', async () => {
    const browser = new Browser();
    const answer = await deployment.comeBack(browser, await deployment.begin(browser));
    const bent = new URL(answer);
    bent.searchParams.set('state', 'a'.repeat(43));
    expect(await browser.open(bent.href)).toMatchObject(refused(/Sign in again\.$/));
    bent.searchParams.delete('state');
    expect(await browser.open(bent.href)).toMatchObject(refused(/Sign in again\.$/));
    await expectSignedOut(browser);
    expect((await browser.open(answer)).status).toBe(303);
  });

  test('401 auth.oidc-refused: a response can be used once, in any browser', async () => {
    const browser = new Browser();
    const answer = await deployment.comeBack(browser, await deployment.begin(browser));
    expect((await browser.open(answer)).status).toBe(303);
    expect(await browser.open(answer)).toMatchObject(refused(/is already finished/));
    expect(await new Browser().open(answer)).toMatchObject(refused(/was not started in this browser/));
  });

  test('401 auth.oidc-refused: another browser, with or without its own sign-in', async () => {
    const victim = new Browser();
    const attacker = new Browser();
    const answer = await deployment.comeBack(attacker, await deployment.begin(attacker));
    expect(await victim.open(answer)).toMatchObject(refused(/was not started in this browser/));
    await deployment.begin(victim);
    expect(await victim.open(answer)).toMatchObject(refused(/was not started in this browser/));
    await expectSignedOut(victim);
  });

  test('401 auth.oidc-refused: the code is invented, or of another sign-in, which fails PKCE', async () => {
    const browser = new Browser();
    const another = new URL(await deployment.comeBack(browser, await deployment.begin(browser)));
    for (const code of [another.searchParams.get('code') ?? '', 'made-up']) {
      const own = new URL(await deployment.comeBack(browser, await deployment.begin(browser)));
      own.searchParams.set('code', code);
      expect(await browser.open(own.href)).toMatchObject(refused(/refused the sign-in: “invalid_grant”/));
    }
    await expectSignedOut(browser);
  });

  test('401 auth.oidc-refused: the sign-in began more than 10 minutes ago', async () => {
    const browser = new Browser();
    const answer = await deployment.comeBack(browser, await deployment.begin(browser));
    const nowMs = performance.now();
    vi.useFakeTimers({ toFake: ['performance'] });
    vi.advanceTimersByTime(nowMs + 600_001);
    try {
      expect(await browser.open(answer)).toMatchObject(refused(/more than 10 minutes ago/));
    } finally {
      vi.useRealTimers();
    }
    await expectSignedOut(browser);
  });

  test('401 auth.oidc-refused: the signed nonce is not that of the sign-in', async () => {
    const browser = new Browser();
    const address = await deployment.begin(browser);
    address.searchParams.set('nonce', 'another');
    expect(await browser.open(await deployment.comeBack(browser, address))).toMatchObject(
      refused(/for another sign-in/),
    );
    await expectSignedOut(browser);
  });

  describe('401 auth.oidc-refused: the id token', () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    const bend = (token: string, change: { header?: object; claims?: object }) => {
      const [header = {}, claims = {}] = token
        .split('.', 2)
        .map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()) as object);
      const signature = token.split('.')[2];
      return `${encode({ ...header, ...change.header })}.${encode({ ...claims, ...change.claims })}.${signature}`;
    };

    test.each([
      ['names another user', (token: string) => bend(token, { claims: { preferred_username: 'admin' } })],
      [
        'is not signed',
        (token: string) =>
          `${bend(token, { header: { alg: 'none' } })
            .split('.', 2)
            .join('.')}.`,
      ],
      ['is signed with the client secret', (token: string) => bend(token, { header: { alg: 'HS256' } })],
      ['is for another client', (token: string) => bend(token, { claims: { aud: 'another' } })],
      ['is from another provider', (token: string) => bend(token, { claims: { iss: 'https://evil.example' } })],
      ['has expired', (token: string) => bend(token, { claims: { exp: 1_000 } })],
      ['is not a token', () => 'no token'],
    ])('%s', async (_case, tamper) => {
      deployment.provider.behaviour.tamper = ({ id_token = '', ...tokens }) => ({
        ...tokens,
        id_token: tamper(id_token),
      });
      try {
        const browser = new Browser();
        expect(await deployment.signIn(browser)).toMatchObject(refused(/is not accepted/));
        await expectSignedOut(browser);
      } finally {
        deployment.provider.behaviour.tamper = (tokens) => tokens;
      }
    });

    const nowSeconds = () => Math.floor(Date.now() / 1_000);
    test.each([
      ['was issued to another service', () => ({ azp: 'another' }), /claim azp/],
      ['was issued long before the sign-in', () => ({ iat: nowSeconds() - 3_600 }), /claim iat/],
      ['will be issued in an hour', () => ({ iat: nowSeconds() + 3_600 }), /claim iat/],
      ['does not say when it was issued', () => ({ iat: undefined }), /is not accepted/],
    ])('%s, although the provider has signed it', async (_case, change, reason) => {
      deployment.provider.behaviour.tamper = ({ id_token = '', ...tokens }) => ({
        ...tokens,
        id_token: signAgain(id_token, change()),
      });
      try {
        const browser = new Browser();
        expect(await deployment.signIn(browser)).toMatchObject(refused(reason));
        await expectSignedOut(browser);
        deployment.provider.behaviour.tamper = ({ id_token = '', ...tokens }) => ({
          ...tokens,
          id_token: signAgain(id_token, { azp: 'logbook' }),
        });
        expect((await deployment.signIn(browser)).status).toBe(303);
      } finally {
        deployment.provider.behaviour.tamper = (tokens) => tokens;
      }
    });

    test('is missing', async () => {
      deployment.provider.behaviour.tamper = ({ id_token: _, ...tokens }) => tokens;
      try {
        expect(await deployment.signIn()).toMatchObject(refused(/is not accepted/));
      } finally {
        deployment.provider.behaviour.tamper = (tokens) => tokens;
      }
    });
  });

  describe('signing out', () => {
    const logout = (browser: Browser, headers: Record<string, string>) =>
      browser.open(`${deployment.logbook.base}/logout`, headers);

    test('a page that the browser opens continues to the provider, which knows the address to return to', async () => {
      const browser = new Browser();
      await deployment.signIn(browser);
      const answer = await logout(browser, { accept: 'text/html,*/*', 'user-agent': 'Mozilla' });
      expect(answer.status).toBe(303);
      const address = new URL(answer.headers.get('location') ?? '');
      expect(address.href.startsWith(`${deployment.provider.issuer}/session/end?`)).toBe(true);
      expect(Object.fromEntries(address.searchParams)).toEqual({
        client_id: 'logbook',
        post_logout_redirect_uri: `${deployment.logbook.origin}/`,
        id_token_hint: expect.any(String),
      });
      const [, payload = ''] = address.searchParams.get('id_token_hint')?.split('.') ?? [];
      expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toMatchObject({
        iss: deployment.provider.issuer,
        aud: 'logbook',
      });
      const atProvider = await browser.open(address.href);
      expect([atProvider.status, atProvider.text]).toEqual([200, expect.stringContaining('Do you want to sign-out')]);
      await expectSignedOut(browser);
    });

    test('the id token is kept with the session, unreadable without the cookie', async () => {
      const session = await storedSession(await deployment.signIn());
      expect(session?.sealedIdToken).toEqual(expect.any(String));
      const stored = Buffer.from(session?.sealedIdToken ?? '', 'base64').toString('latin1');
      // Every JWT begins with these letters.
      expect(stored).not.toContain('eyJ');
    });

    test('a script gets the address; a browser that signed in with a password gets an empty body', async () => {
      const browser = new Browser();
      await deployment.signIn(browser);
      const answer = await logout(browser, { accept: 'application/json' });
      expect(answer).toMatchObject({
        status: 200,
        body: { signOutUrl: expect.stringContaining(`${deployment.provider.issuer}/session/end?`) },
      });
      const login = await deployment.logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null });
      const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      const plain = await deployment.logbook.get('/logout', { as: null, headers: { cookie, accept: 'text/html' } });
      expect([plain.status, plain.text]).toEqual([200, '']);
    });

    test('the next sign-in in the same browser asks for the password again, and only that one', async () => {
      const browser = new Browser();
      const promptOf = async () => (await deployment.begin(browser)).searchParams.get('prompt');
      await deployment.signIn(browser);
      expect(await promptOf()).toBeNull();
      await logout(browser, {});
      expect(await promptOf()).toBe('login');
      expect(await promptOf()).toBe('login');
      expect((await deployment.signIn(browser)).status).toBe(303);
      expect(await promptOf()).toBeNull();
      expect((await deployment.begin(new Browser())).searchParams.get('prompt')).toBeNull();
    });

    test('does not fail while the provider is down', async () => {
      const browser = new Browser();
      await deployment.signIn(browser);
      await deployment.provider.stop();
      try {
        expect((await logout(browser, { accept: 'text/html' })).status).toBeOneOf([200, 303]);
        await expectSignedOut(browser);
      } finally {
        await deployment.startProvider();
      }
    });
  });

  test('401 auth.oidc-refused: an account without a user name; the message names the settings', async () => {
    const { claims } = deployment.provider.behaviour;
    deployment.provider.behaviour.claims = { groups: [] };
    try {
      expect(await deployment.signIn()).toMatchObject(
        refused(/does not send the claim “preferred_username”.*oidcUserClaim/),
      );
    } finally {
      deployment.provider.behaviour.claims = claims;
    }
  });

  test.each(['//evil.example', '/\\evil.example', 'https://evil.example/', '/%09/evil.example', 'logs', ''])(
    '400 auth.bad-return-path: %s; no sign-in begins',
    async (returnTo) => {
      const answer = await new Browser().open(`${deployment.logbook.base}/login/oidc?returnTo=${returnTo}`);
      expect(answer).toMatchObject({ status: 400, body: { code: 'auth.bad-return-path' } });
      expect(answer.headers.getSetCookie()).toEqual([]);
    },
  );

  test('405: HEAD neither begins nor finishes a sign-in', async () => {
    for (const path of ['/login/oidc', '/login/oidc/callback']) {
      expect((await deployment.logbook.call(path, { method: 'HEAD' })).status).toBe(405);
    }
  });

  test('the other authentication providers can still be used', async () => {
    expect((await deployment.logbook.get('/user')).body).toEqual({ userName: 'user', roles: ['USER'] });
    const login = await deployment.logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null });
    expect(login.status).toBe(200);
  });
});

describe('with other settings', () => {
  test('a public client, other claim names, and claims that only the user info contains', async () => {
    const deployment = await OidcLogbook.start(
      { oidcClientSecret: '', oidcUserClaim: 'email', oidcGroupsClaim: '', requireSignInForReads: 'true' },
      { isPublic: true, claimsInIdToken: false },
    );
    try {
      deployment.provider.behaviour.claims = { email: 'ada@example.org', email_verified: true };
      const browser = new Browser();
      expect((await deployment.signIn(browser)).status).toBe(303);
      expect((await deployment.user(browser)).body).toMatchObject({ userName: 'ada@example.org' });
      expect(deployment.provider.requests).toContain('GET /me');
      expect((await browser.open(`${deployment.logbook.base}/logs`)).status).toBe(200);
    } finally {
      await deployment.stop();
    }
  });

  test('oidcSignOut=false: the browser stays signed in at the provider; oidcGroupsSeparator splits a text', async () => {
    const deployment = await OidcLogbook.start({
      oidcSignOut: 'false',
      oidcGroupsSeparator: ';',
      adminGroups: 'Domain Admins',
    });
    try {
      deployment.provider.behaviour.claims = { preferred_username: 'ada', groups: 'experts; Domain Admins' };
      const browser = new Browser();
      await deployment.signIn(browser);
      expect((await deployment.user(browser)).body.roles).toContain('ADMIN');
      const answer = await browser.open(`${deployment.logbook.base}/logout`, { accept: 'text/html' });
      expect([answer.status, answer.text]).toEqual([200, '']);
    } finally {
      await deployment.stop();
    }
  });

  test('a nested claim gives roles, wherever the provider sends it', async () => {
    for (const claimsInIdToken of [true, false]) {
      const deployment = await OidcLogbook.start(
        { oidcGroupsClaim: 'resource_access.log.example.org.roles', adminGroups: 'chiefs' },
        { claimsInIdToken },
      );
      try {
        const access = { other: { roles: ['a'] }, 'log.example.org': { roles: ['chiefs'] } };
        deployment.provider.behaviour.claims = { preferred_username: 'ada', resource_access: access };
        const browser = new Browser();
        expect((await deployment.signIn(browser)).status).toBe(303);
        expect((await deployment.user(browser)).body.roles).toContain('ADMIN');
      } finally {
        await deployment.stop();
      }
    }
  });

  test('groups that the provider has left out give no rights, and the log says what to do', async () => {
    const lines: string[] = [];
    const logger = pino({ level: 'warn' }, { write: (line: string) => lines.push(line) });
    const deployment = await OidcLogbook.start({ adminGroups: 'chiefs' }, { logger });
    try {
      const { behaviour } = deployment.provider;
      behaviour.claims = { preferred_username: 'ada' };
      const overage = {
        _claim_names: { groups: 'src1' },
        _claim_sources: { src1: { endpoint: 'https://graph.example/' } },
      };
      behaviour.tamper = ({ id_token = '', ...tokens }) => ({ ...tokens, id_token: signAgain(id_token, overage) });
      const browser = new Browser();
      expect((await deployment.signIn(browser)).status).toBe(303);
      expect((await deployment.user(browser)).body.roles).toEqual(['USER']);
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({
          userName: 'ada',
          msg: 'identity provider left the groups out because the user is in too many: no rights of groups apply',
          advice: expect.stringContaining('oidcGroupsClaim=roles'),
        }),
      );
    } finally {
      await deployment.stop();
    }
  });

  test('publicUrl is the base of the callback address', async () => {
    const deployment = await OidcLogbook.start({ publicUrl: 'https://log.example.org', rootPath: '/log' });
    try {
      const answer = await new Browser().open(`${deployment.logbook.origin}/log/login/oidc`);
      const { searchParams } = new URL(answer.headers.get('location') ?? '');
      expect(searchParams.get('redirect_uri')).toBe('https://log.example.org/log/login/oidc/callback');
    } finally {
      await deployment.stop();
    }
  });

  test('404: without a provider the address does not exist', async () => {
    const logbook = await TestService.start();
    try {
      expect((await logbook.get('/login/oidc')).status).toBe(404);
    } finally {
      await logbook.stop();
    }
  });
});
