import { once } from 'node:events';
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

const entry = { title: 'x', logbooks: [{ name: 'operations' }] };
const asAdmin: CallOptions = { as: 'admin:adminPass' };
const bearer = (token: string): CallOptions => ({ as: null, headers: { authorization: `Bearer ${token}` } });

async function signIn(logbook: TestService, who: string): Promise<CallOptions> {
  const [username, password] = who.split(':');
  const answer = await logbook.post('/login', { username, password }, { as: null });
  return { as: null, headers: { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' } };
}

describe('sessions and tokens', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  test('everybody sees and ends their own sessions; an administrator all', async () => {
    const [mine, other, admins] = [
      await signIn(logbook, 'user:userPass'),
      await signIn(logbook, 'user:userPass'),
      await signIn(logbook, 'admin:adminPass'),
    ];
    const own = await logbook.get('/sessions', mine);
    expect(own.body).toHaveLength(2);
    expect(own.body[0]).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      userName: 'user',
      from: '127.0.0.1',
      createdDate: expect.any(Number),
      expiresDate: expect.any(Number),
    });
    expect((await logbook.get('/sessions?all=true', mine)).status).toBe(403);
    const all = await logbook.get('/sessions?all=true', admins);
    expect(all.body.map(({ userName }: { userName: string }) => userName).toSorted()).toEqual([
      'admin',
      'user',
      'user',
    ]);
    const ofAdmin = all.body.find(({ userName }: { userName: string }) => userName === 'admin').id;
    expect((await logbook.call(`/sessions/${ofAdmin}`, { method: 'DELETE', ...mine })).body.code).toBe(
      'session.not-found',
    );
    for (const { id, userName } of all.body) {
      if (userName === 'user') {
        expect((await logbook.call(`/sessions/${id}`, { method: 'DELETE', ...admins })).status).toBe(200);
      }
    }
    for (const ended of [mine, other]) expect((await logbook.put('/logs', entry, ended)).status).toBe(401);
    expect((await logbook.get('/user', admins)).status).toBe(200);
  });

  test('a user of the same name from another provider cannot see or end them', async () => {
    const other = { ...principal('user', ['USER']), scheme: 'ldap' };
    const theirs: CallOptions = { as: null, headers: { cookie: await sessionOf(logbook, other) } };
    const made = (await logbook.post('/tokens', { name: 'theirs', rights: [] }, theirs)).body;
    const mine = await signIn(logbook, 'user:userPass');
    const named = ({ name }: { name: string }) => name;
    expect((await logbook.get('/tokens', mine)).body.map(named)).not.toContain('theirs');
    expect((await logbook.call(`/tokens/${made.id}`, { method: 'DELETE', ...mine })).body.code).toBe('token.not-found');
    const all = (await logbook.get('/sessions?all=true', asAdmin)).body.filter(
      ({ userName }: { userName: string }) => userName === 'user',
    );
    const own = (await logbook.get('/sessions', mine)).body;
    expect(all).toHaveLength(own.length + 1);
    for (const { id } of all) {
      const status = own.some((one: { id: string }) => one.id === id) ? 200 : 404;
      expect((await logbook.call(`/sessions/${id}`, { method: 'DELETE' })).status).toBe(status);
    }
  });

  test('a token is shown once, permits what it was made for, and works until it is deleted', async () => {
    const made = await logbook.post('/tokens', { name: 'a script', rights: ['entries'], days: 3 });
    expect(made.headers.get('cache-control')).toBe('no-store');
    const { token, id, expiresDate } = made.body;
    expect(token).toMatch(/^logbook_[\w-]{43}$/);
    expect(expiresDate - Date.now()).toBeLessThanOrEqual(3 * 86_400_000);
    expect(await logbook.put('/logs', entry, bearer(token))).toMatchObject({ status: 200, body: { owner: 'user' } });
    expect((await logbook.put('/tags/t', { name: 't' }, bearer(token))).body.code).toBe('auth.right-missing');
    const listed = await logbook.get('/tokens');
    expect(listed.text).not.toContain(token);
    expect(listed.body).toMatchObject([{ id, name: 'a script', rights: ['entries'], userName: 'user' }]);
    expect((await logbook.get('/user', bearer(token))).body.userName).toBe('user');
    expect((await logbook.call(`/tokens/${id}`, { method: 'DELETE', ...bearer(token) })).body.code).toBe(
      'auth.password-required',
    );
    expect((await logbook.call(`/tokens/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await logbook.put('/logs', entry, bearer(token))).body.code).toBe('auth.bad-token');
    expect((await logbook.call(`/tokens/${id}`, { method: 'DELETE' })).status).toBe(404);
  });

  test.each([
    ['an unknown right', { name: 'x', rights: ['everything'] }],
    ['no name', { name: '', rights: [] }],
    ['too many days', { name: 'x', rights: [], days: 10_000 }],
    ['a list of names', { name: ['x'], rights: [] }],
  ])('400 for a token with %s', async (_case, wish) => {
    expect((await logbook.post('/tokens', wish)).status).toBe(400);
  });

  test('a right gives no more than its owner may', async () => {
    const { body } = await logbook.post('/tokens', { name: 'x', rights: ['admin'] });
    expect((await logbook.get('/audit', bearer(body.token))).body.code).toBe('auth.role-missing');
    expect((await logbook.get('/tokens?all=true', bearer(body.token))).status).toBe(403);
  });

  test('400 token.too-many: a hundred are enough', async () => {
    const answers = [];
    for (let at = 0; at < 101; at++)
      answers.push(await logbook.post('/tokens', { name: `${at}`, rights: [] }, asAdmin));
    expect(answers.at(-1)?.body.code).toBe('token.too-many');
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(100);
  });
});

describe('wrong passwords', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  test('429 auth.throttled after ten, with a Retry-After of at most a minute; others of the same address are served', async () => {
    const statuses = [];
    for (let at = 0; at < 11; at++)
      statuses.push((await logbook.put('/logs', entry, { as: `user:wrong${at}` })).status);
    expect(statuses).toEqual([...Array(10).fill(401), 429]);
    const refused = await logbook.post('/login', { username: 'user', password: 'userPass' }, { as: null });
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: 'auth.throttled',
        message: expect.stringMatching(/limit is 10 wrong passwords in 5 minutes .* 127\.0\.0\.1, and is fixed/),
      },
    });
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect((await logbook.put('/logs', entry, asAdmin)).status).toBe(200);
    expect((await logbook.post('/login', { username: 'admin', password: 'adminPass' }, { as: null })).status).toBe(200);
    expect((await logbook.get('/logs', { as: 'user:wrong' })).status).toBe(200);
  });

  test('sent at the same time gain nothing: ten get 401, whatever the order', async () => {
    const sent = Array.from({ length: 30 }, (_, at) => logbook.put('/logs', entry, { as: `somebody:wrong${at}` }));
    const statuses = (await Promise.all(sent)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(20).fill(429)]);
  });
});

describe('the audit', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });
  const audit = async (query = '') => (await logbook.get(`/audit?${query}`, asAdmin)).body;

  test('tells who did what, when, from where, and how it ended; never a password', async () => {
    await signIn(logbook, 'user:userPass');
    await logbook.put('/logs', entry, { as: 'user:veryWrongPassword' });
    await logbook.put('/logs?markup=none', entry);
    await logbook.put('/logs', { ...entry, title: '' });
    await logbook.call('/tags/none', { method: 'DELETE', ...asAdmin });
    await logbook.get('/logs');
    await logbook.put('/logs', entry, { as: null });
    const records = await audit();
    const common = { id: expect.any(Number), date: expect.any(Number), from: '127.0.0.1' };
    expect(records).toEqual([
      {
        ...common,
        userName: 'admin',
        action: 'DELETE /tags/:tagName',
        target: '/logbook/tags/none',
        outcome: 'refused',
        detail: 'catalog.unknown-tag',
      },
      {
        ...common,
        userName: 'user',
        action: 'PUT /logs',
        target: '/logbook/logs',
        outcome: 'refused',
        detail: 'entry.missing-title',
      },
      { ...common, userName: 'user', action: 'PUT /logs', target: 'entry 1', outcome: 'done', detail: '' },
      {
        ...common,
        userName: 'user',
        action: 'sign-in',
        target: '',
        outcome: 'refused',
        detail: 'auth.bad-credentials',
      },
      { ...common, userName: 'user', action: 'sign-in', target: 'password', outcome: 'done', detail: '' },
    ]);
    expect(JSON.stringify(records)).not.toMatch(/userPass|veryWrong/);
  });

  test('has who signed out, and with which token something was done', async () => {
    const session = await signIn(logbook, 'user:userPass');
    await logbook.call('/logout', { method: 'POST', ...session });
    const { id, token } = (await logbook.post('/tokens', { name: 'a “script”', rights: ['entries'] })).body;
    await logbook.put('/logs', entry, bearer(token));
    const records = await audit('size=4');
    expect(records.map(({ action }: { action: string }) => action)).toEqual([
      'PUT /logs',
      'POST /tokens',
      'sign-out',
      'sign-in',
    ]);
    expect(records[0]).toMatchObject({ userName: 'user', detail: expect.stringContaining(`token ${id}`) });
    expect(JSON.stringify(records)).not.toContain(token);
  });

  test('can be filtered by user, action and outcome, and read page by page', async () => {
    expect(await audit('user=admin')).toHaveLength(1);
    expect(await audit('action=sign-in&outcome=refused')).toHaveLength(1);
    const [first, ...rest] = await audit();
    expect(await audit(`before=${first.id}`)).toEqual(rest);
    expect(await audit('size=2')).toEqual([first, rest[0]]);
    expect(await audit(`start=${first.date + 1}`)).toEqual([]);
    expect((await logbook.get('/audit?size=0', asAdmin)).status).toBe(400);
    expect((await logbook.get('/audit?outcome=maybe', asAdmin)).status).toBe(400);
  });
});

test('the audit survives a restart', async () => {
  const first = await TestService.start();
  await first.create();
  await first.stop({ keepData: true });
  const second = await TestService.start({}, first.dataDir);
  try {
    expect((await second.get('/audit', asAdmin)).body).toMatchObject([{ action: 'PUT /logs', userName: 'user' }]);
  } finally {
    await second.stop();
  }
});

test('a session ends after sessionMaxAge, however much it is used', async () => {
  const hourMs = 3_600_000;
  const logbook = await TestService.start({ sessionMaxAge: '2h', sessionIdleTimeout: '90m' });
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const session = await signIn(logbook, 'user:userPass');
    const statusAfter = async (ms: number) => {
      vi.setSystemTime(Date.now() + ms);
      return (await logbook.get('/user', session)).status;
    };
    expect(await statusAfter(hourMs)).toBe(200);
    expect(await statusAfter(hourMs - 1)).toBe(200);
    const [{ expiresDate, createdDate }] = (await logbook.get('/sessions', session)).body;
    expect(expiresDate - createdDate).toBe(2 * hourMs);
    expect(await statusAfter(1)).toBe(404);
  } finally {
    vi.useRealTimers();
    await logbook.stop();
  }
});

describe('behind a proxy', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({ trustedProxies: '127.0.0.0/8', requireTlsForWrites: 'true' });
  });
  afterAll(async () => {
    await logbook.stop();
  });
  const via = (from: string, proto: string): CallOptions => ({
    headers: { 'x-forwarded-for': from, 'x-forwarded-proto': proto },
  });

  test('403 request.tls-required: from another host, writes and sign-ins need TLS', async () => {
    expect(await logbook.put('/logs', entry, via('192.0.2.7', 'http'))).toMatchObject({
      status: 403,
      body: { code: 'request.tls-required' },
    });
    const login = { username: 'user', password: 'userPass' };
    expect((await logbook.post('/login', login, { as: null, ...via('192.0.2.7', 'http') })).status).toBe(403);
    expect((await logbook.put('/logs', entry, via('192.0.2.7', 'https'))).status).toBe(200);
    expect((await logbook.put('/logs', entry)).status).toBe(200);
    expect((await logbook.get('/logs', { as: null, ...via('192.0.2.7', 'http') })).status).toBe(200);
    // A password must not be readable on its way, whatever it is sent for.
    expect((await logbook.get('/user', via('192.0.2.7', 'http'))).status).toBe(403);
  });

  test('the audit records the address of the client of the proxy', async () => {
    const addresses = async () =>
      (await logbook.get('/audit?outcome=done', asAdmin)).body.map(({ from }: { from: string }) => from);
    await expect.poll(addresses).toContain('192.0.2.7');
  });
});

test('an address that a stranger claims to come from is not believed', async () => {
  const logbook = await TestService.start();
  try {
    await logbook.put('/logs', entry, { headers: { 'x-forwarded-for': '192.0.2.7' } });
    await expect.poll(async () => (await logbook.get('/audit', asAdmin)).body[0]?.from).toBe('127.0.0.1');
  } finally {
    await logbook.stop();
  }
});

test('403 auth.origin-not-allowed also when a browser hides the origin but says that it is another site', async () => {
  const logbook = await TestService.start();
  try {
    const session = await signIn(logbook, 'user:userPass');
    const send = (site: string) =>
      logbook.put('/logs', entry, { as: null, headers: { ...session.headers, 'sec-fetch-site': site } });
    expect(await send('cross-site')).toMatchObject({ status: 403, body: { code: 'auth.origin-not-allowed' } });
    expect((await send('same-origin')).status).toBe(200);
  } finally {
    await logbook.stop();
  }
});

describe('a new certificate', () => {
  let dir: string;
  let logbook: TestService;
  const file = (name: string) => join(dir, name);
  beforeAll(async () => {
    dir = await makeTempDir();
    for (const name of ['one', 'two']) {
      const pair = await generate([{ name: 'commonName', value: `${name}.example` }], { keySize: 2048 });
      await writeFile(file(`${name}.cert`), pair.cert);
      await writeFile(file(`${name}.key`), pair.private);
    }
    await use('one');
    logbook = await TestService.start({ tlsCertificateFile: file('cert.pem'), tlsKeyFile: file('key.pem') });
  });
  afterAll(async () => {
    await logbook.stop();
    await rm(dir, { recursive: true });
  });

  async function use(name: string) {
    await copyFile(file(`${name}.cert`), file('cert.pem'));
    await copyFile(file(`${name}.key`), file('key.pem'));
  }
  const open = async (options = {}) => {
    const socket = connect({
      host: '127.0.0.1',
      port: Number(new URL(String(logbook.service.addresses.https)).port),
      rejectUnauthorized: false,
      ...options,
    });
    await once(socket, 'secureConnect');
    return socket;
  };
  const served = async () => {
    const socket = await open();
    const name = socket.getPeerCertificate().subject.CN;
    socket.destroy();
    return name;
  };

  test('is served without a restart, and an unusable one leaves the previous one', async () => {
    const before = await open();
    expect(await served()).toBe('one.example');
    await use('two');
    await logbook.service.renewCertificate();
    expect(await served()).toBe('two.example');
    expect(before.destroyed).toBe(false);
    before.destroy();
    await writeFile(file('cert.pem'), 'no certificate');
    await logbook.service.renewCertificate();
    expect(await served()).toBe('two.example');
    await use('one');
    await logbook.service.renewCertificate();
    expect(await served()).toBe('one.example');
  });

  test('TLS below 1.2 is refused', async () => {
    await expect(open({ maxVersion: 'TLSv1.1', minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' })).rejects.toThrow();
    const socket = await open({ maxVersion: 'TLSv1.2' });
    expect(socket.getProtocol()).toBe('TLSv1.2');
    socket.destroy();
  });
});

test('a certificate that becomes readable later is loaded then', async () => {
  const dir = await makeTempDir();
  const logbook = await TestService.start({}, dir);
  try {
    const key = join(dir, 'tls', 'key.pem');
    const own = await readFile(key, 'utf8');
    await writeFile(key, 'not yet');
    await logbook.service.renewCertificate();
    await writeFile(key, own);
    await logbook.service.renewCertificate();
    expect((await logbook.get('/logs')).status).toBe(200);
  } finally {
    await logbook.stop();
  }
});

test('a user has at most a hundred sessions: one more ends the oldest', async () => {
  const logbook = await TestService.start();
  try {
    const first = await signIn(logbook, 'user:userPass');
    for (let at = 0; at < 99; at++) await signIn(logbook, 'user:userPass');
    expect((await logbook.get('/user', first)).status).toBe(200);
    const last = await signIn(logbook, 'user:userPass');
    expect((await logbook.get('/user', first)).status).toBe(404);
    expect((await logbook.get('/sessions', last)).body).toHaveLength(100);
  } finally {
    await logbook.stop();
  }
});
