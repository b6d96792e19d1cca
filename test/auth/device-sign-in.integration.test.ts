import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { confirmDevice } from '../fixtures/confirm-device.js';
import { clientSecret } from '../fixtures/identity-provider.js';
import { OidcLogbook } from '../fixtures/oidc-logbook.js';
import { type Answer, TestService } from '../fixtures/service.js';

const path = '/login/oidc/device';
const anonymous = { as: null };
const over = { status: 401, body: { code: 'auth.device-sign-in-over' } };
const unavailable = { status: 404, body: { code: 'auth.no-device-sign-in' } };

const begin = (logbook: TestService, input: object = { name: 'console7' }) => logbook.post(path, input, anonymous);
const poll = (logbook: TestService, { body }: Answer) =>
  logbook.post(`${path}/token`, { handle: body.handle }, anonymous);
const bearer = (token: string) => ({ as: null, headers: { authorization: `Bearer ${token}` } });
const admin = { as: 'admin:adminPass' };

class LogText extends Writable {
  text = '';

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.text += String(chunk);
    done();
  }
}

describe('a sign-in that a person confirms in a browser', () => {
  let deployment: OidcLogbook;
  let logbook: TestService;
  beforeAll(async () => {
    deployment = await OidcLogbook.start();
    ({ logbook } = deployment);
  });
  beforeEach(() => {
    const initial = { interval: 1 };
    Object.assign(deployment.provider.behaviour, { device: initial, tokenError: undefined, admits: true });
    deployment.provider.behaviour.claims = { preferred_username: 'ada', groups: ['operators', 'shift-leaders'] };
  });
  afterAll(async () => {
    await deployment.stop();
  });

  /** Begins a sign-in, confirms it and returns the answer to the poll. */
  const signIn = async (input?: object): Promise<Answer> => {
    const begun = await begin(logbook, input);
    await confirmDevice(begun.body.verificationUriComplete, 'confirm');
    return poll(logbook, begun);
  };
  const removeTokens = async () => {
    for (const { id } of (await logbook.get('/tokens?all=true', admin)).body)
      await logbook.call(`/tokens/${id}`, { method: 'DELETE', ...admin });
  };
  afterEach(removeTokens);

  test('202 until it is confirmed, then once a token of this person; the handle is of no further use', async () => {
    const begun = await begin(logbook, { name: 'console7', rights: ['entries', 'tags'], days: 7 });
    expect(begun).toMatchObject({
      status: 200,
      body: {
        handle: expect.any(String),
        userCode: expect.stringMatching(/^\w{4}-\w{4}$/),
        verificationUri: `${deployment.provider.issuer}/device`,
        verificationUriComplete: expect.stringContaining(`${deployment.provider.issuer}/device?user_code=`),
        expiresIn: expect.any(Number),
        interval: 1,
      },
    });
    expect(begun.headers.get('cache-control')).toBe('no-store');
    expect(await poll(logbook, begun)).toMatchObject({ status: 202, body: { interval: 1 } });
    await confirmDevice(begun.body.verificationUriComplete, 'confirm');
    const done = await poll(logbook, begun);
    expect(done).toMatchObject({
      status: 200,
      body: { name: 'console7', userName: 'ada', rights: ['entries', 'tags'], isAutomatic: false },
    });
    expect(done.body.expiresDate - done.body.createdDate).toBe(7 * 86_400_000);
    expect(done.headers.get('cache-control')).toBe('no-store');
    expect((await logbook.get('/user', bearer(done.body.token))).body).toMatchObject({ userName: 'ada' });
    const entry = { title: 'Beam is back', logbooks: [{ name: 'operations' }] };
    expect((await logbook.put('/logs', entry, bearer(done.body.token))).body).toMatchObject({ owner: 'ada' });
    expect(await poll(logbook, begun)).toMatchObject(over);
    expect((await logbook.get('/tokens?all=true', admin)).body).toHaveLength(1);
  });

  test('DELETE /tokens/self ends the token of the request, and no other', async () => {
    const [one, other] = [(await signIn()).body.token, (await signIn()).body.token];
    const end = (token: string) => logbook.call('/tokens/self', { method: 'DELETE', ...bearer(token) });
    expect((await end(one)).status).toBe(200);
    expect(await end(one)).toMatchObject({ status: 401, body: { code: 'auth.bad-token' } });
    expect((await logbook.get('/user', bearer(other))).status).toBe(200);
    expect((await logbook.call('/tokens/self', { method: 'DELETE' })).status).toBe(401);
    expect((await logbook.call('/tokens/self', { method: 'DELETE', as: null })).status).toBe(401);
  });

  test('concurrent polls of a confirmed sign-in get one token', async () => {
    const begun = await begin(logbook);
    await confirmDevice(begun.body.verificationUriComplete, 'confirm');
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => poll(logbook, begun)))).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await logbook.get('/tokens?all=true', admin)).body).toHaveLength(1);
  });

  test('records the sign-in and refusals in the audit log', async () => {
    await signIn();
    deployment.provider.behaviour.claims = { groups: [] };
    expect(await signIn()).toMatchObject({ status: 401, body: { code: 'auth.oidc-refused' } });
    await expect
      .poll(async () => (await logbook.get('/audit?action=sign-in&size=2', admin)).body)
      .toMatchObject([
        { userName: '', target: 'oidc', outcome: 'refused', detail: 'auth.oidc-refused' },
        { userName: 'ada', target: 'oidc', outcome: 'done' },
      ]);
  });

  test('by default, the token may write entries for 30 days', async () => {
    const { body } = await signIn();
    expect(body).toMatchObject({ rights: ['entries'] });
    expect(body.expiresDate - body.createdDate).toBe(30 * 86_400_000);
  });

  test('401 auth.oidc-refused after the person refused; no token', async () => {
    const begun = await begin(logbook);
    await confirmDevice(begun.body.verificationUriComplete, 'abort');
    expect(await poll(logbook, begun)).toMatchObject({ status: 401, body: { code: 'auth.oidc-refused' } });
    expect((await logbook.get('/tokens?all=true', admin)).body).toEqual([]);
  });

  test('401 auth.oidc-refused after a sign-in whose response is signed for another service; no token', async () => {
    const { behaviour } = deployment.provider;
    const { tamper } = behaviour;
    behaviour.tamper = (tokens) => ({ ...tokens, id_token: `${tokens.id_token}x` });
    try {
      expect(await signIn()).toMatchObject({ status: 401, body: { code: 'auth.oidc-refused' } });
    } finally {
      behaviour.tamper = tamper;
    }
    expect((await logbook.get('/tokens?all=true', admin)).body).toEqual([]);
  });

  test('401 auth.device-sign-in-over when it has expired, even if it was confirmed', async () => {
    deployment.provider.behaviour.device = { interval: 1, expires_in: 0.001 };
    const begun = await begin(logbook);
    await confirmDevice(begun.body.verificationUriComplete, 'confirm');
    await expect.poll(() => poll(logbook, begun)).toMatchObject(over);
  });

  test('401 auth.device-sign-in-over when the provider says that it has expired', async () => {
    const begun = await begin(logbook);
    deployment.provider.behaviour.tokenError = 'expired_token';
    expect(await poll(logbook, begun)).toMatchObject(over);
  });

  test('polls that are too fast get a longer interval and do not reach the provider', async () => {
    deployment.provider.behaviour.device = { interval: 60 };
    const begun = await begin(logbook);
    expect(await poll(logbook, begun)).toMatchObject({ status: 202, body: { interval: 60 } });
    const before = deployment.provider.requests.length;
    expect(await poll(logbook, begun)).toMatchObject({ status: 202, body: { interval: 65 } });
    const variant = { ...begun, body: { handle: `${begun.body.handle}!!` } };
    expect((await poll(logbook, variant)).status).not.toBe(200);
    expect(deployment.provider.requests).toHaveLength(before);
  });

  test('a provider that asks to slow down gets a longer interval', async () => {
    const begun = await begin(logbook);
    deployment.provider.behaviour.tokenError = 'slow_down';
    expect(await poll(logbook, begun)).toMatchObject({ status: 202, body: { interval: 6 } });
  });

  test.each([
    ['a guessed handle', { handle: 'A'.repeat(400) }, 401],
    ['no handle', {}, 400],
    ['an empty handle', { handle: '' }, 400],
    ['a handle that is too long', { handle: 'A'.repeat(8_001) }, 400],
  ])('%s does not reach the provider', async (_what, body, status) => {
    const before = deployment.provider.requests.length;
    expect((await logbook.post(`${path}/token`, body, anonymous)).status).toBe(status);
    expect(deployment.provider.requests).toHaveLength(before);
  });

  test('a handle does not contain the code of the provider, and cannot be changed', async () => {
    const { handle } = (await begin(logbook)).body;
    const bytes = Buffer.from(handle, 'base64');
    expect(bytes.toString('latin1')).not.toContain('deviceCode');
    bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
    const changed = { handle: bytes.toString('base64') };
    expect(await logbook.post(`${path}/token`, changed, anonymous)).toMatchObject(over);
  });

  test.each([
    ['the right admin', { name: 'x', rights: ['admin'] }],
    ['an unknown right', { name: 'x', rights: ['everything'] }],
    ['too long a validity', { name: 'x', days: 91 }],
    ['no name', {}],
    ['too long a name', { name: 'x'.repeat(201) }],
  ])('400 for %s; the provider is not asked', async (_what, input) => {
    const before = deployment.provider.requests.length;
    expect((await begin(logbook, input)).status).toBe(400);
    expect(deployment.provider.requests).toHaveLength(before);
  });

  test('the next sign-in of a user who has left a group withdraws its rights from the token', async () => {
    const { token } = (await signIn()).body;
    const groups = async () => {
      const [stored] = await logbook.service.storage.committed.tokens.list({ scheme: 'oidc', userName: 'ada' }, 1);
      return stored?.account.groups;
    };
    expect(await groups()).toEqual(['operators', 'shift-leaders']);
    deployment.provider.behaviour.claims = { preferred_username: 'ada', groups: [] };
    await deployment.signIn();
    expect(await groups()).toEqual([]);
    expect((await logbook.get('/user', bearer(token))).status).toBe(200);
  });
});

describe('a sign-in with a code', () => {
  let deployment: OidcLogbook | undefined;
  afterEach(async () => {
    await deployment?.stop();
    deployment = undefined;
  });

  test('continues after a restart of the service', async () => {
    deployment = await OidcLogbook.start();
    const { logbook, provider } = deployment;
    const begun = await begin(logbook);
    await logbook.stop({ keepData: true });
    const restarted = await TestService.start(provider.settings, logbook.dataDir);
    try {
      await confirmDevice(begun.body.verificationUriComplete, 'confirm');
      expect(await poll(restarted, begun)).toMatchObject({ status: 200, body: { userName: 'ada' } });
    } finally {
      await restarted.stop();
      await provider.stop();
      deployment = undefined;
    }
  });

  test('works for a public client', async () => {
    deployment = await OidcLogbook.start({ oidcClientSecret: '' }, { isPublic: true });
    const begun = await begin(deployment.logbook);
    await confirmDevice(begun.body.verificationUriComplete, 'confirm');
    expect(await poll(deployment.logbook, begun)).toMatchObject({ status: 200, body: { userName: 'ada' } });
  });

  test.each(['absent', 'forbidden'] as const)('404 auth.no-device-sign-in where it is %s', async (deviceFlow) => {
    deployment = await OidcLogbook.start({}, { deviceFlow });
    expect(await begin(deployment.logbook)).toMatchObject(unavailable);
  });

  test('404 auth.no-device-sign-in without a provider', async () => {
    const logbook = await TestService.start();
    try {
      expect(await begin(logbook)).toMatchObject(unavailable);
      expect(await logbook.post(`${path}/token`, { handle: 'x' }, anonymous)).toMatchObject(unavailable);
    } finally {
      await logbook.stop();
    }
  });

  test('503 auth.oidc-unavailable while the provider is down; the sign-in can be continued afterwards', async () => {
    deployment = await OidcLogbook.start();
    const begun = await begin(deployment.logbook);
    await deployment.provider.stop();
    const down = { status: 503, body: { code: 'auth.oidc-unavailable' } };
    expect(await poll(deployment.logbook, begun)).toMatchObject(down);
    expect(await begin(deployment.logbook)).toMatchObject(down);
  });

  test('429 auth.throttled for the 101st of one address within 10 minutes', async () => {
    deployment = await OidcLogbook.start();
    const { logbook, provider } = deployment;
    for (let count = 0; count < 100; count += 1) expect((await begin(logbook)).status).toBe(200);
    const before = provider.requests.length;
    const refused = await begin(logbook);
    expect(refused).toMatchObject({ status: 429, body: { code: 'auth.throttled' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(provider.requests).toHaveLength(before);
  });

  test('429 auth.throttled for the 1,001st of all addresses within 10 minutes', async () => {
    deployment = await OidcLogbook.start({ trustedProxies: '127.0.0.1' });
    const { logbook, provider } = deployment;
    const beginFrom = (address: string) =>
      logbook.post(path, { name: 'console7' }, { as: null, headers: { 'x-forwarded-for': address } });
    for (let count = 0; count < 1_000; count += 1) expect((await beginFrom(`10.0.0.${count % 10}`)).status).toBe(200);
    const before = provider.requests.length;
    const refused = await beginFrom('10.0.0.10');
    expect(refused).toMatchObject({ status: 429, body: { code: 'auth.throttled' } });
    expect(refused.body.message).toMatch(/1,?000 sign-ins.*all clients/);
    expect(provider.requests).toHaveLength(before);
  });

  test('a token whose client left before it arrived is removed', async () => {
    const log = new LogText();
    deployment = await OidcLogbook.start({}, { logger: pino({ level: 'info' }, log) });
    const { logbook } = deployment;
    const begun = await begin(logbook);
    await confirmDevice(begun.body.verificationUriComplete, 'confirm');
    const { storage } = logbook.service;
    const events = new EventEmitter();
    const [isCreated, hasLeft] = [once(events, 'created'), once(events, 'left')];
    const write = storage.write.bind(storage);
    // The service also writes on its own, so the writes are held back only once there is a token.
    const held = vi.spyOn(storage, 'write').mockImplementation(async (work) => {
      const result = await write(work);
      const stored = await storage.committed.tokens.list({ scheme: 'oidc', userName: 'ada' }, 1);
      if (stored.length === 0) return result;
      events.emit('created');
      await hasLeft;
      return result;
    });
    try {
      const headers = { 'content-type': 'application/json' };
      const sent = request(`${logbook.base}${path}/token`, { method: 'POST', headers });
      sent.on('error', () => undefined);
      sent.end(JSON.stringify({ handle: begun.body.handle }));
      await isCreated;
      expect((await logbook.get('/tokens?all=true', admin)).body).toHaveLength(1);
      sent.destroy();
      await expect.poll(() => log.text).toContain('request aborted by its client');
      events.emit('left');
      await expect.poll(async () => (await logbook.get('/tokens?all=true', admin)).body).toEqual([]);
    } finally {
      events.emit('left');
      held.mockRestore();
    }
  });

  test('leaves no handle, code or token in the log', async () => {
    const log = new LogText();
    deployment = await OidcLogbook.start({}, { logger: pino({ level: 'trace' }, log) });
    const { logbook, provider } = deployment;
    const secrets = [clientSecret];
    const { behaviour } = provider;
    behaviour.tamper = (tokens) => {
      secrets.push(String(tokens.id_token), String(tokens.access_token));
      return tokens;
    };
    const good = await begin(logbook);
    await confirmDevice(good.body.verificationUriComplete, 'confirm');
    const done = await poll(logbook, good);
    expect(done.status).toBe(200);
    expect((await poll(logbook, good)).status).toBe(401);
    const refused = await begin(logbook);
    behaviour.tokenError = 'server_error';
    expect((await poll(logbook, refused)).status).toBeGreaterThanOrEqual(400);
    for (const { body } of [good, refused]) secrets.push(body.handle, body.userCode);
    secrets.push(done.body.token);
    await logbook.stop({ keepData: true });
    await provider.stop();
    deployment = undefined;
    expect(log.text).toContain(`${path}/token`);
    for (const secret of secrets) expect(log.text.includes(secret), secret).toBe(false);
  });
});
