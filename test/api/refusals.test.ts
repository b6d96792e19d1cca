import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sendRaw } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';

const settings = { maxEntrySize: '20kB', maxRequestSize: '60kB', maxFileSize: '30kB', maxEventStreams: '0' } as const;

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start(settings);
});
afterAll(() => logbook.stop());

const raw = async (...chunks: string[]) => {
  const { status, head, text } = await sendRaw(logbook.origin, chunks);
  return { status, head, body: JSON.parse(text) };
};

describe('what is not a request of the interface has the same error body', () => {
  test.each([
    ['no Host', 'GET /logbook/tags HTTP/1.1\r\n\r\n', 400, 'request.malformed', '/logbook/tags'],
    ['no HTTP', 'GARBAGE\r\n\r\n', 400, 'request.malformed', expect.any(String)],
    ['a tunnel', 'CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'request.malformed', 'x:1'],
    ['an expectation', 'GET /logbook HTTP/1.1\r\nhost: x\r\nexpect: x\r\n\r\n', 417, 'request.expectation', '/logbook'],
    [
      'long headers',
      `GET /logbook/tags?x HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
      'request.headers-too-large',
      '/logbook/tags',
    ],
  ])('%s', async (_, request, status, code, path) => {
    expect(await raw(request)).toMatchObject({
      status,
      body: {
        status,
        code,
        path,
        timestamp: expect.any(Number),
        error: expect.any(String),
        message: expect.any(String),
      },
    });
  });

  test('HTTP/1.0 needs no Host', async () => {
    expect((await raw('GET /logbook/tags HTTP/1.0\r\n\r\n')).status).toBe(200);
  });
});

describe('addresses', () => {
  test.each([
    ['DELETE', '/logs', 'GET, HEAD, PUT'],
    ['POST', '/tags/alarm', 'DELETE, GET, HEAD, PUT'],
    ['PUT', '/logs/7', 'GET, HEAD, POST'],
    ['DELETE', '/templates', 'GET, HEAD, PUT'],
  ])('405 request.wrong-method: %s %s, with Allow', async (method, path, allow) => {
    const answer = await logbook.call(path, { method });
    expect(answer).toMatchObject({ status: 405, body: { code: 'request.wrong-method' } });
    expect(answer.headers.get('allow')).toBe(allow);
  });

  test.each(['/nothing', '/logs/7/more/and/more', '/tags/a/b'])('404 without Allow: %s', async (path) => {
    const answer = await logbook.call(path, { method: 'DELETE' });
    expect(answer).toMatchObject({ status: 404, body: { code: 'request.unknown-address' } });
    expect(answer.headers.get('allow')).toBeNull();
  });

  test.each(['/logs?text=%ZZ', '/logs/search?%=1', '/tags?x=%C3', '/logs/%ZZ'])(
    '400 request.bad-url: %s',
    async (path) => {
      expect(await raw(`GET /logbook${path} HTTP/1.1\r\nhost: x\r\n\r\n`)).toMatchObject({
        status: 400,
        body: { code: 'request.bad-url' },
      });
    },
  );

  test.each(['h2c', 'websocket', 'other/1'])(
    'a PUT that asks for an upgrade to %s is served with its body',
    async (to) => {
      const body = JSON.stringify({ title: `by ${to}`, logbooks: [{ name: 'operations' }] });
      const head = [
        'PUT /logbook/logs HTTP/1.1',
        'host: x',
        `authorization: Basic ${Buffer.from('user:userPass').toString('base64')}`,
        'connection: Upgrade, HTTP2-Settings',
        `upgrade: ${to}`,
        'http2-settings: AAMAAABkAAQAAP__',
        'content-type: application/json',
        `content-length: ${body.length}`,
      ].join('\r\n');
      expect(await raw(`${head}\r\n\r\n${body}`)).toMatchObject({ status: 200, body: { title: `by ${to}` } });
    },
  );
});

describe('links', () => {
  const feed = async (host: string) =>
    sendRaw(logbook.origin, [`GET /logbook/logs/rss HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`]);

  test.each(['evil.example.org', 'localhost.evil.org', 'evil@localhost', '192.0.2.7'])(
    '400 request.bad-host: %s',
    async (host) => {
      const { status, text } = await feed(host);
      expect({ status, ...JSON.parse(text) }).toMatchObject({ status: 400, code: 'request.bad-host' });
    },
  );

  test.each(['localhost:8080', '127.0.0.1', hostname()])('names of this machine make links: %s', async (host) => {
    const { status, text } = await feed(host);
    expect(status).toBe(200);
    expect(text).toContain(`http://${host.toLowerCase()}/logbook`);
  });

  test('allowedHosts allows others, whatever the port', async () => {
    const other = await TestService.start({ allowedHosts: 'log.example.org, Log2.example.org' });
    for (const host of ['log.example.org', 'LOG2.example.org:81']) {
      const { status } = await sendRaw(other.origin, [`GET /logbook/logs/rss HTTP/1.1\r\nhost: ${host}\r\n\r\n`]);
      expect(status).toBe(200);
    }
    await other.stop();
  });
});

describe('a refusal for a limit names the limit, its setting, and what it is counted for', () => {
  const entry = { title: 'x', logbooks: [{ name: 'operations' }] };
  const file = (bytes: number) => ({ name: `${bytes}.txt`, content: 'x'.repeat(bytes) });
  test.each([
    [
      'an entry',
      () => logbook.put('/logs', { ...entry, description: 'x'.repeat(30_000) }),
      413,
      '20 kB for each entry without its files, and each JSON body, of any client (setting maxEntrySize)',
    ],
    [
      'a file',
      () => logbook.sendForm('PUT', { ...entry, attachments: [{ filename: '40000.txt' }] }, [file(40_000)]),
      413,
      '30 kB for each file, of any client (setting maxFileSize)',
    ],
    [
      'a request',
      () => logbook.sendForm('PUT', entry, [file(25_000), file(25_001), file(25_002)]),
      413,
      '60 kB for each request with all its files, of any client (setting maxRequestSize)',
    ],
    [
      'a part',
      () => logbook.sendForm('PUT', { ...entry, description: 'x'.repeat(30_000) }, []),
      413,
      '20 kB for each entry without its files, and each JSON body, of any client (setting maxEntrySize)',
    ],
    [
      'a stream',
      () => logbook.get('/changes'),
      503,
      '0 event streams for all clients together (setting maxEventStreams)',
    ],
  ])('%s', async (_, request, status, limit) => {
    const answer = await request();
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.message).toContain(`The limit is ${limit}.`);
  });
});
