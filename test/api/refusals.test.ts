import { hostname } from 'node:os';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openSocket, rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';

const settings = { maxEntrySize: '20kB', maxRequestSize: '60kB', maxFileSize: '30kB', maxEventStreams: '0' } as const;

const lines: { readonly msg: string; readonly url?: string }[] = [];
const logger = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start(settings, undefined, logger);
});
afterAll(() => logbook.stop());

const raw = async (...chunks: string[]) => {
  const { status, head, text } = await sendRaw(logbook.origin, chunks);
  return { status, head, body: JSON.parse(text) };
};

describe('what is not a request of the interface has the same error body', () => {
  test.each([
    ['no Host', 'GET /logbook/tags HTTP/1.1\r\n\r\n', 400, 'request.malformed', '/logbook/tags'],
    [
      'two Hosts',
      'GET /logbook/tags HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n',
      400,
      'request.malformed',
      '/logbook/tags',
    ],
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

describe('a request that cannot be routed is served like others', () => {
  const long = `/logbook/tags/${'x'.repeat(4_100)}`;
  test.each([
    ['an undecodable path', '/logbook/logs/%ZZ', '', 400, 'request.bad-url'],
    ['a long part of the path', long, '', 414, 'request.url-too-long'],
    ['an expectation', '/logbook/logs/7', 'expect: x\r\n', 417, 'request.expectation'],
  ])('%s: security headers, log line and metric', async (_, path, header, status, code) => {
    const count = async () => {
      const { text } = await sendRaw(logbook.origin, ['GET /metrics HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n']);
      const label = `method="GET",route="unknown",status="${status}"`;
      return Number(new RegExp(`_count\\{${label}\\} (\\d+)`).exec(text)?.[1] ?? 0);
    };
    const before = await count();
    const { head, body, ...answer } = await raw(`GET ${path}?x=1 HTTP/1.1\r\nhost: x\r\n${header}\r\n`);
    expect({ ...answer, ...body }).toMatchObject({ status, code, path: path.slice(0, 2_048) });
    expect(head).toMatch(/^content-security-policy: default-src/im);
    expect(head).toMatch(/^x-content-type-options: nosniff/im);
    // The next bytes could be the body that the client announced, or its next request.
    if (status === 417) expect(head).toMatch(/^connection: close/im);
    await expect.poll(count).toBe(before + 1);
    const loggedUrl = `${path.slice(0, '/logbook/logs'.length)}/…?x=…`;
    const line = lines.findLast(({ msg, url }) => msg === 'request' && url === loggedUrl);
    expect(line).toMatchObject({ method: 'GET', status, remoteAddress: '127.0.0.1' });
  });
});

describe('Expect: 100-continue', () => {
  test.each([
    ['413', 'a JSON body that is too large', { 'content-type': 'application/json' }, 30_000],
    ['413', 'a form that is too large', { 'content-type': 'application/json' }, 70_000],
    ['415', 'a body of another type', { 'content-type': 'text/plain' }, 10],
    ['401', 'nobody', { 'content-type': 'application/json', authorization: 'Basic x' }, 10],
  ])('%s without asking for the body, and the connection is closed: %s', async (status, _, headers, length) => {
    const socket = openSocket(logbook.origin);
    socket.write(
      rawRequest('PUT', '/logbook/logs', { ...headers, expect: '100-continue', 'content-length': String(length) }),
    );
    let received = '';
    for await (const chunk of socket) received += String(chunk);
    expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(received).toMatch(/^connection: close\r$/m);
    expect(received.match(/HTTP\/1\.1/g)).toHaveLength(1);
  });
});

test('400 request.inexact-number: a number that is infinite for the parser, with its place', async () => {
  for (const number of ['1e400', '-1.5E+0999', `1${'0'.repeat(310)}`, `1${'0'.repeat(220)}e90`]) {
    const properties = `[{"name":"p","attributes":[{"name":"a","value":${number}}]}]`;
    const answer = await logbook.call('/logs', {
      method: 'PUT',
      body: `{"title":"x","logbooks":[{"name":"operations"}],"properties":${properties}}`,
      headers: { 'content-type': 'application/json' },
    });
    expect(answer).toMatchObject({ status: 400, body: { code: 'request.inexact-number' } });
    expect(answer.body.message).toContain('“properties.0.attributes.0.value” is a number beyond ±1.8e308.');
  }
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
      '20 kB for each entry without its files, and each JSON body, regardless of the client (setting maxEntrySize)',
    ],
    [
      'a file',
      () => logbook.sendForm('PUT', { ...entry, attachments: [{ filename: '40000.txt' }] }, [file(40_000)]),
      413,
      '30 kB for each file, regardless of the client (setting maxFileSize)',
    ],
    [
      'a request',
      () => logbook.sendForm('PUT', entry, [file(25_000), file(25_001), file(25_002)]),
      413,
      '60 kB for each request with all its files, regardless of the client (setting maxRequestSize)',
    ],
    [
      'a part',
      () => logbook.sendForm('PUT', { ...entry, description: 'x'.repeat(30_000) }, []),
      413,
      '20 kB for each entry without its files, and each JSON body, regardless of the client (setting maxEntrySize)',
    ],
    [
      'a stream',
      () => logbook.get('/changes'),
      503,
      '0 event streams for all clients together (setting maxEventStreams)',
    ],
    [
      'a part of a path',
      () => logbook.get(`/tags/${'x'.repeat(4_100)}`),
      414,
      '4000 characters for each part, regardless of the client, and is fixed',
    ],
    [
      'nested JSON',
      () => logbook.put('/tags', JSON.parse(`${'['.repeat(70)}${']'.repeat(70)}`)),
      400,
      '64 levels for each body, regardless of the client, and is fixed',
    ],
    [
      'a long value of a search',
      () => logbook.get(`/logs?text=${'x'.repeat(8_200)}`),
      400,
      '8192 characters for each value, regardless of the client, and is fixed',
    ],
    [
      'many words of a search',
      () => logbook.get(`/logs?text=${'x '.repeat(300)}`),
      400,
      '100 words for each search, regardless of the client, and is fixed',
    ],
    [
      'many values of a search',
      () => logbook.get(`/logs?owner=${'x,'.repeat(2_000)}`),
      400,
      '1000 values for each list, regardless of the client, and is fixed',
    ],
    [
      'a long name',
      () => logbook.put('/logs', { ...entry, title: 'x'.repeat(10_000) }),
      400,
      '2000 characters for each title, regardless of the client, and is fixed',
    ],
  ])('%s', async (_, request, status, limit) => {
    const answer = await request();
    expect(answer.status, answer.text).toBe(status);
    expect(answer.body.message).toContain(`The limit is ${limit}.`);
  });
});
