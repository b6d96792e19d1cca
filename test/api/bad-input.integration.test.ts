import { readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { withMultipartForm } from '../../src/api/entries/multipart-form.js';
import { openFileBlobStore } from '../../src/engines/files/file-blob-store.js';
import { describeError } from '../../src/http/reply/error-body.js';
import { basicAuth, openSocket, rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { storedFiles } from '../fixtures/stored-files.js';

const json = { 'content-type': 'application/json' };
const entry = JSON.stringify({ title: 'x', logbooks: [{ name: 'operations' }] });

describe('bad input', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  /** Refused in contract form; nothing stored, nothing left, and the next request works. */
  async function expectRefusal(chunks: readonly (string | Uint8Array)[], status: number, code: string, end = false) {
    const before = {
      count: (await logbook.search('size=0')).hitCount,
      files: await storedFiles(logbook.attachmentsDir),
    };
    const answer = await sendRaw(logbook.origin, chunks, { end });
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toMatchObject({ status, body: { status, code } });
    expect(answer.head).toMatch(/content-type: application\/json/i);
    expect(answer.text).not.toMatch(/node_modules|at .*\.js|SELECT|\/tmp\//);
    expect({
      count: (await logbook.search('size=0')).hitCount,
      files: await storedFiles(logbook.attachmentsDir),
    }).toEqual(before);
    await logbook.create();
  }
  const put = (body: string | Uint8Array, headers: Record<string, string> = json) =>
    rawRequest('PUT', '/logbook/logs', { ...headers, 'content-length': String(Buffer.byteLength(body)) }, body);

  test.each<[string, string | Uint8Array, string]>([
    ['half an object', '{"title":', 'request.malformed-json'],
    ['something behind it', `${entry}x`, 'request.malformed-json'],
    ['no JSON', 'title=x', 'request.malformed-json'],
    ['a byte order mark and nothing', '\ufeff', 'request.malformed-json'],
    ['Latin-1', Buffer.from('{"title":"\xe4","logbooks":[{"name":"operations"}]}', 'latin1'), 'request.malformed-json'],
    ['an escaped NUL', '{"title":"a\\u0000b","logbooks":[{"name":"operations"}]}', 'request.bad-text'],
    ['a lone surrogate', '{"title":"a\\ud83d","logbooks":[{"name":"operations"}]}', 'request.bad-text'],
    ['a lone surrogate as key', '{"\\udc00":1,"title":"a","logbooks":[{"name":"operations"}]}', 'request.bad-text'],
    ['100,000 lists in each other', `{"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'request.too-deep'],
    ['100,000 objects in each other', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'request.too-deep'],
    ['a prototype', '{"__proto__":{"title":"x"},"logbooks":[{"name":"operations"}]}', 'request.invalid'],
    ['nothing', '', 'request.invalid'],
  ])('400: a body of %s', async (_case, body, code) => {
    await expectRefusal([put(body)], 400, code);
  });

  test('413: 100 MB of JSON, announced', async () => {
    await expectRefusal(
      [rawRequest('PUT', '/logbook/logs', { ...json, 'content-length': String(100_000_000) })],
      413,
      'request.too-large',
    );
  });

  test('413: 100 MB of JSON, sent to the end: the client still receives the response', async () => {
    const part = Buffer.alloc(1_000_000, 'x');
    const chunks = [
      rawRequest('PUT', '/logbook/logs', { ...json, 'content-length': String(100_000_000) }),
      ...Array(100).fill(part),
    ];
    await expectRefusal(chunks, 413, 'request.too-large');
  });

  test.each<[string, string, Record<string, string>]>([
    ['401', '/logbook/logs', { ...json, authorization: 'Basic x' }],
    ['413', '/logbook/logs', json],
    ['404', '/logbook/nothing', json],
    ['415', '/logbook/logs', { 'content-type': 'text/plain' }],
    ['400', '/logbook/logs/multipart', { 'content-type': 'multipart/form-data; boundary=b' }],
  ])(
    '%s to a client that sends all of 20 MB in chunks before it reads: the connection stays usable',
    async (status, path, headers) => {
      const socket = openSocket(logbook.origin);
      socket.write(rawRequest('PUT', path, { ...headers, 'transfer-encoding': 'chunked' }));
      const chunk = `100000\r\n${'x'.repeat(0x10_0000)}\r\n`;
      for (let sent = 0; sent < 20; sent++) {
        await new Promise<void>((resolve, reject) => {
          socket.write(chunk, (error) => (error ? reject(error) : resolve()));
        });
      }
      socket.write('0\r\n\r\n');
      socket.write(rawRequest('GET', '/logbook/tags/alarm', { connection: 'close' }));
      let received = '';
      for await (const part of socket) received += String(part);
      expect(received).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
      expect(received).toMatch(/\{"name":"alarm","state":"Active"\}$/);
    },
  );

  test('413: JSON over the limit in chunks, its size not announced', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    await expectRefusal(
      [rawRequest('PUT', '/logbook/logs', { ...json, 'transfer-encoding': 'chunked' }), ...Array(40).fill(chunk)],
      413,
      'request.too-large',
    );
  });

  test.each([
    ['text/plain', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['multipart', { 'content-type': 'multipart/form-data; boundary=b' }],
    ['XML', { 'content-type': 'application/xml' }],
    ['nonsense', { 'content-type': 'nonsense' }],
    ['nothing', {}],
  ])('415: the content type %s', async (_case, headers) => {
    await expectRefusal([put(entry, headers)], 415, 'request.content-type');
  });

  test('415: a compressed body', async () => {
    await expectRefusal([put(entry, { ...json, 'content-encoding': 'gzip' })], 415, 'request.content-encoding');
  });

  test.each([
    ['no HTTP', ['NONSENSE\r\n\r\n'], 400, 'request.malformed'],
    ['an invalid header', ['GET / HTTP/1.1\r\nhost: x\r\nno colon\r\n\r\n'], 400, 'request.malformed'],
    [
      'two lengths',
      ['PUT /logbook/logs HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'],
      400,
      'request.malformed',
    ],
    [
      'length and chunks at the same time',
      ['PUT /logbook/logs HTTP/1.1\r\nhost: x\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n'],
      400,
      'request.malformed',
    ],
    [
      '20 kB of headers',
      [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
      431,
      'request.headers-too-large',
    ],
  ] as const)('%s', async (_case, chunks, status, code) => {
    await expectRefusal(chunks, status, code);
  });

  test.each([
    ['/logbook/tags/%zz', 400, 'request.bad-url'],
    ['/logbook/tags/%ff', 400, 'request.bad-url'],
    ['/logbook/tags/a%00b', 400, 'request.bad-text'],
    ['/logbook/logs?text=a%00b', 400, 'request.bad-text'],
    [`/logbook/tags/${'x'.repeat(5_000)}`, 414, 'request.url-too-long'],
    ['/logbook/logs?text=%22open', 400, 'search.unbalanced-quotes'],
    ['/logbook/logs?tz=Mars', 400, 'search.bad-zone'],
    ['/logbook/logs?start=2024-01-02&end=2024-01-01', 400, 'search.start-after-end'],
    ['/logbook/logs?size=-1', 400, 'search.bad-page'],
    ['/logbook/logs?from=x', 400, 'search.bad-page'],
    ['/logbook/logs?page=0', 400, 'search.bad-page'],
    ['/logbook/logs?start=5%20constructor', 400, 'search.bad-time'],
    [`/logbook/logs?fuzzy=true&text=${'word%20'.repeat(11)}`, 400, 'search.too-many-words'],
    [`/logbook/logs?text=${'a%20'.repeat(2_000)}`, 400, 'search.too-many-words'],
    [`/logbook/logs?text=${'x'.repeat(9_000)}`, 400, 'search.too-long'],
  ])('GET %s', async (path, status, code) => {
    await expectRefusal([rawRequest('GET', path, {})], status, code);
  });

  test.each([
    'a" OR 1=1',
    "'; DROP TABLE entry; --",
    '{title}: x',
    'NEAR(a b)',
    'a AND NOT b',
    '^a',
    '-a',
    'a:b',
    '(',
    '\\',
    '%',
    '_',
    '[a-z]',
    '\u202e',
  ])('the search for %j is an ordinary one', async (text) => {
    const quoted = text.includes('"') ? text.replaceAll('"', '') : text;
    for (const key of ['text', 'title', 'query', 'phrase', 'owner', 'tags', 'properties', 'attachments']) {
      expect((await logbook.get(`/logs/search?${key}=${encodeURIComponent(quoted)}`)).status).toBe(200);
    }
  });

  test('a repeated key is a list', async () => {
    const answer = await logbook.get(
      `/logs/search?${Array.from({ length: 1_000 }, (_, index) => `tags=t${index}`).join('&')}`,
    );
    expect(answer.status).toBe(200);
  });

  test('a client that never finishes its headers does not keep others from being served', async () => {
    const slow = Array.from({ length: 50 }, () => openSocket(logbook.origin));
    for (const socket of slow) socket.write('PUT /logbook/logs HTTP/1.1\r\nhost: x\r\n');
    expect((await logbook.get('/logs')).status).toBe(200);
    for (const socket of slow) socket.destroy();
  });

  test('a client that disconnects in the middle of its body leaves nothing', async () => {
    const before = (await logbook.search('size=0')).hitCount;
    const socket = openSocket(logbook.origin);
    const head = rawRequest('PUT', '/logbook/logs', { ...json, 'content-length': '1000' }, entry.slice(0, 20));
    await new Promise<void>((resolve) => {
      socket.write(head, () => resolve());
    });
    socket.resetAndDestroy();
    expect((await logbook.search('size=0')).hitCount).toBe(before);
    await logbook.create();
  });
});

describe('what existing clients send', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });
  const upgrade = {
    connection: 'Upgrade, HTTP2-Settings',
    upgrade: 'h2c',
    'http2-settings': 'AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA',
  };

  test('a request to upgrade to h2c is served as HTTP/1.1, with and without a body', async () => {
    const get = await sendRaw(logbook.origin, [rawRequest('GET', '/logbook/tags', upgrade)]);
    expect(get.head).toMatch(/^HTTP\/1\.1 200/);
    const body = JSON.stringify({ title: 'von Java', logbooks: [{ name: 'operations' }], source: 'ü'.repeat(10_000) });
    const put = rawRequest(
      'PUT',
      '/logbook/logs',
      { ...json, ...upgrade, 'content-length': String(Buffer.byteLength(body)) },
      body,
    );
    const answer = await sendRaw(logbook.origin, [put.subarray(0, 300), put.subarray(300)]);
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ title: 'von Java', source: 'ü'.repeat(10_000) });
  });

  test('Expect: 100-continue gets 100 Continue', async () => {
    const socket = openSocket(logbook.origin);
    socket.write(
      rawRequest('PUT', '/logbook/logs', {
        ...json,
        expect: '100-continue',
        'content-length': String(Buffer.byteLength(entry)),
      }),
    );
    const first = await new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(String(chunk)));
    });
    expect(first).toMatch(/^HTTP\/1\.1 100 Continue/);
    socket.write(entry);
    const second = await new Promise<string>((resolve) => {
      socket.once('data', (chunk) => resolve(String(chunk)));
    });
    expect(second).toMatch(/^HTTP\/1\.1 200/);
    socket.destroy();
  });

  test('DELETE with a JSON content type and no body', async () => {
    await logbook.put('/tags/t', {});
    const answer = await sendRaw(logbook.origin, [
      rawRequest('DELETE', '/logbook/tags/t', { ...json, 'content-length': '0' }),
    ]);
    expect(answer.status).toBe(200);
  });

  test('a charset behind the content type, and the client’s name in either header', async () => {
    for (const header of ['X-Logbook-Client-Info', 'X-Olog-Client-Info']) {
      const answer = await logbook.put('/logs', JSON.parse(entry), {
        headers: { 'content-type': 'application/json;charset=UTF-8', [header]: 'Desktop 5.0 on Linux' },
      });
      expect(answer.status).toBe(200);
    }
  });

  test('pages whose size the client chooses, up to the number of matches', async () => {
    for (let index = 0; index < 25; index++) await logbook.create({ title: `page ${index}` });
    const seen: number[] = [];
    let hitCount = Number.POSITIVE_INFINITY;
    for (let from = 0; from <= hitCount; from += 10) {
      const page = await logbook.search(`from=${from}&size=10&title=page`);
      hitCount = page.hitCount;
      seen.push(...page.ids);
    }
    expect(hitCount).toBe(25);
    expect(new Set(seen).size).toBe(25);
    expect((await logbook.search(`from=${hitCount}&title=page`)).ids).toEqual([]);
  });
});

test('408 request.timeout: an upload that is idle is given up, and nothing of it is left', async () => {
  const dir = await makeTempDir();
  const blobs = await openFileBlobStore({ dir: dir });
  const multipart = { maxFileBytes: 1e6, maxRequestBytes: 1e6, maxFieldBytes: 1e4, idleMs: 50 };
  const server = createServer((request, response) => {
    withMultipartForm(request, { blobs, multipart }, { files: 'files', fields: [] }, async () => undefined).catch(
      (error: unknown) => {
        const { status, code } = describeError(error);
        response.writeHead(status, { 'content-length': Buffer.byteLength(code) }).end(code);
      },
    );
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  const head = rawRequest('PUT', '/', {
    'content-type': 'multipart/form-data; boundary=b',
    'content-length': '9999',
    authorization: basicAuth(),
  });
  const answer = await sendRaw(`http://127.0.0.1:${port}`, [
    head,
    '--b\r\ncontent-disposition: form-data; name="files"; filename="x"\r\n\r\nabc',
  ]);
  expect([answer.status, answer.text]).toEqual([408, 'request.timeout']);
  await expect.poll(() => readdir(`${dir}/incoming`)).toEqual([]);
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true });
});
