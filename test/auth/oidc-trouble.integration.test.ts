import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ConfigError } from '../../src/config/config-error.js';
import { loadConfig } from '../../src/config/load-config.js';
import { OidcSignIn } from '../../src/integrations/oidc/oidc-sign-in.js';
import { Browser } from '../fixtures/browser.js';
import { clientSecret, IdentityProvider } from '../fixtures/identity-provider.js';
import { silentLog } from '../fixtures/log.js';
import { OidcLogbook } from '../fixtures/oidc-logbook.js';

const unavailable = (message: RegExp) => ({
  status: 503,
  body: { code: 'auth.oidc-unavailable', message: expect.stringMatching(message) },
});

describe('when the identity provider', () => {
  let deployment: OidcLogbook | undefined;
  afterEach(async () => {
    await deployment?.stop();
    deployment = undefined;
  });

  test('is down at the start, the service runs; once the provider is up, the next sign-in works', async () => {
    deployment = await OidcLogbook.start();
    await deployment.provider.stop();
    const browser = new Browser();
    const answer = await browser.open(`${deployment.logbook.base}/login/oidc`);
    expect(answer).toMatchObject(unavailable(/^The identity provider at http:\/\/127\S+ does not answer\. Try again/));
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect((await deployment.logbook.get('/user')).body).toMatchObject({ userName: 'user' });
    expect((await deployment.logbook.put('/logs', { title: 'x', logbooks: [{ name: 'operations' }] })).status).toBe(
      200,
    );
    await deployment.startProvider();
    expect((await deployment.signIn(browser)).status).toBe(303);
  });

  test('goes down during a sign-in: 503 auth.oidc-unavailable, no session, and the next sign-in works', async () => {
    deployment = await OidcLogbook.start();
    const browser = new Browser();
    const address = await deployment.comeBack(browser, await deployment.begin(browser));
    await deployment.provider.stop();
    expect(await browser.open(address)).toMatchObject(unavailable(/does not answer/));
    expect((await deployment.user(browser)).status).toBe(404);
    expect(await browser.open(`${deployment.logbook.base}/login/oidc`)).toMatchObject(unavailable(/does not answer/));
    await deployment.startProvider();
    expect((await deployment.signIn(browser)).status).toBe(303);
  });

  test('rejects the client secret: 503 auth.oidc-unavailable names the settings', async () => {
    deployment = await OidcLogbook.start({ oidcClientSecret: 'another-secret' });
    expect(await deployment.signIn()).toMatchObject(
      unavailable(/does not accept the logbook as its client.*oidcClientSecret/),
    );
  });

  test('has another issuer name: 503 auth.oidc-unavailable names the value for oidcIssuer', async () => {
    deployment = await OidcLogbook.start({}, { issuer: 'https://login.example.org' });
    expect(await new Browser().open(`${deployment.logbook.base}/login/oidc`)).toMatchObject(
      unavailable(/calls itself “https:\/\/login\.example\.org”.*oidcIssuer/),
    );
  });

  test('is queried once for concurrent sign-ins', async () => {
    deployment = await OidcLogbook.start();
    const running = deployment;
    await Promise.all(Array.from({ length: 10 }, () => running.begin(new Browser())));
    expect(deployment.provider.requests).toEqual(['GET /.well-known/openid-configuration']);
  });
});

describe('a provider that accepts a request and never responds', () => {
  const callbackUrl = 'http://127.0.0.1:1/callback';
  const signInWith = (provider: IdentityProvider, timeoutMs: number) =>
    new OidcSignIn(
      {
        issuer: provider.issuer,
        clientId: 'logbook',
        clientSecret,
        scope: 'openid profile',
        userClaim: 'preferred_username',
        groupsClaim: 'groups',
        groupsSeparator: ',',
        signOut: true,
        timeoutMs,
      },
      silentLog,
    );

  test.each(['/.well-known', '/token', '/jwks', '/me'])('at %s is abandoned after the time-out', async (silentAt) => {
    const provider = await IdentityProvider.reserve();
    await provider.start(callbackUrl, { claimsInIdToken: false });
    const signIn = signInWith(provider, 60_000);
    const timeOut = new AbortController();
    const timeouts = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(timeOut.signal);
    try {
      provider.behaviour.silentAt = silentAt;
      const attempt = async () => {
        const { address, pending } = await signIn.begin(callbackUrl);
        const back = new URL(await new Browser().follow(address, callbackUrl));
        return signIn.finish(back.searchParams, pending);
      };
      const abandoned = expect(attempt()).rejects.toMatchObject({
        ...{ kind: 'unavailable', code: 'auth.oidc-unavailable' },
      });
      await expect.poll(() => provider.requests.some((request) => request.includes(` ${silentAt}`))).toBe(true);
      expect(timeouts).toHaveBeenCalledWith(60_000);
      timeOut.abort(new DOMException('The time is over.', 'TimeoutError'));
      await abandoned;
      timeouts.mockRestore();
      provider.behaviour.silentAt = undefined;
      expect(await attempt()).toMatchObject({ identity: { userName: 'ada' } });
    } finally {
      timeouts.mockRestore();
      await signIn.close();
      await provider.stop();
    }
  });

  test('does not delay the stop of the service', async () => {
    const provider = await IdentityProvider.reserve();
    await provider.start(callbackUrl);
    const signIn = signInWith(provider, 60_000);
    try {
      provider.behaviour.silentAt = '/.well-known';
      const begun = expect(signIn.begin(callbackUrl)).rejects.toMatchObject({ code: 'auth.oidc-unavailable' });
      await expect.poll(() => provider.requests).toHaveLength(1);
      await signIn.close();
      await begun;
    } finally {
      await provider.stop();
    }
  });
});

test('no log line contains a code, a token, a state or a secret, whatever fails', async () => {
  let log = '';
  const lines = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk);
      done();
    },
  });
  const secrets = new Set([clientSecret]);
  const deployment = await OidcLogbook.start({}, { logger: pino({ level: 'trace' }, lines) });
  const { behaviour } = deployment.provider;
  const signIn = async () => {
    const browser = new Browser();
    const begun = await deployment.begin(browser);
    const back = new URL(await deployment.comeBack(browser, begun));
    for (const { searchParams } of [begun, back]) {
      for (const name of ['code', 'state', 'nonce']) secrets.add(searchParams.get(name) ?? clientSecret);
    }
    return { browser, back: back.href };
  };
  try {
    behaviour.tamper = (tokens) => {
      for (const name of ['id_token', 'access_token']) secrets.add(tokens[name] ?? clientSecret);
      return tokens;
    };
    const good = await signIn();
    expect((await good.browser.open(good.back)).status).toBe(303);
    expect((await good.browser.open(good.back)).status).toBe(401);
    expect((await good.browser.open(`${good.back}&code=again`)).status).toBe(400);

    const { tamper } = behaviour;
    behaviour.tamper = (tokens) => ({ ...tamper(tokens), id_token: `${tokens.id_token}x` });
    const tampered = await signIn();
    expect((await tampered.browser.open(tampered.back)).status).toBe(401);

    const talkative = await signIn();
    const failed = new URL(talkative.back);
    failed.searchParams.set('error', 'server_error');
    failed.searchParams.set('error_description', `no use for ${failed.searchParams.get('code')}`);
    expect((await talkative.browser.open(failed.href)).status).toBe(503);

    const late = await signIn();
    await deployment.provider.stop();
    expect((await late.browser.open(late.back)).status).toBe(503);
  } finally {
    await deployment.stop();
  }
  expect(secrets.size).toBeGreaterThan(10);
  for (const secret of secrets) expect(log.includes(secret), secret).toBe(false);
  expect(log).toContain('"url":"/logbook/login/oidc/callback"');
  expect(log).toContain('ECONNREFUSED');
});

describe('the OpenID Connect settings', () => {
  const problemsOf = (flags: Record<string, string>): readonly string[] => {
    try {
      loadConfig({ flags, properties: {}, configFile: undefined }, {});
      return [];
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };
  const oidcClientId = 'logbook';

  test.each([
    'https://login.example.org',
    'https://login.example.org:8443/realms/site',
    'http://localhost:9000',
    'http://127.0.0.1:9000/x',
    'http://[::1]:9000',
  ])('accept the issuer %s', (oidcIssuer) => {
    expect(problemsOf({ oidcIssuer, oidcClientId })).toEqual([]);
  });

  test.each([
    ['http://login.example.org', /must begin with https/],
    ['http://127.0.0.1.example.org', /must begin with https/],
    ['ftp://login.example.org', /must look like https/],
    ['login.example.org', /must look like https/],
    ['https://a:b@login.example.org', /must look like https/],
    ['https://login.example.org?realm=x', /must look like https/],
    ['https://login.example.org/.well-known/openid-configuration', /must end before/],
  ])('reject the issuer %s', (oidcIssuer, problem) => {
    expect(problemsOf({ oidcIssuer, oidcClientId })).toEqual([expect.stringMatching(problem)]);
  });

  test('reject settings that are incomplete or contradict each other', () => {
    const together = [expect.stringMatching(/oidcIssuer and oidcClientId belong together/)];
    expect(problemsOf({ oidcIssuer: 'https://login.example.org' })).toEqual(together);
    expect(problemsOf({ oidcClientId })).toEqual(together);
    expect(problemsOf({ oidcClientSecret: 'x' })).toEqual([expect.stringMatching(/without oidcIssuer/)]);
    expect(problemsOf({ oidcScope: 'profile' })).toEqual([expect.stringMatching(/openid must be one of them/)]);
  });
});
