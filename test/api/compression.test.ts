import { request as httpRequest, type IncomingMessage } from 'node:http';
import { brotliDecompressSync, constants, createBrotliDecompress, createGunzip, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseEncoding } from '../../src/http/reply/compression.js';
import { TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

let logbook: TestService;
let id: number;
beforeAll(async () => {
  logbook = await TestService.start();
  id = (await logbook.create({ title: 'Compressed', source: 'beam dump '.repeat(500) })).id;
});
afterAll(() => logbook?.stop());

interface Raw {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Unlike fetch, it shows the bytes on the wire. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${logbook.base}${path}`, { method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    sent.on('error', reject).end();
  });
}
const decode = { br: brotliDecompressSync, gzip: gunzipSync };
const encodings = ['br', 'gzip'] as const;

test('the response to a write is not compressed: a failing compression must not deny the write', async () => {
  const entry = { title: 'Long', source: 'beam dump '.repeat(500), logbooks: [{ name: 'operations' }] };
  const created = await logbook.put('/logs', entry, { headers: { 'accept-encoding': 'br, gzip' } });
  expect([created.status, created.headers.get('content-encoding')]).toEqual([200, null]);
});

test('a page that is requested repeatedly is the same in each encoding, and current after a write', async () => {
  await logbook.create({ title: 'Repeated', source: 'beam dump '.repeat(500) });
  for (let round = 0; round < 2; round++) {
    for (let again = 0; again < 4; again++) {
      for (const path of [
        '/logs?title=repeated',
        '/logs/search?title=repeated',
        '/logs/search?title=repeated&explain=true',
      ]) {
        const plain = await raw(path);
        for (const encoding of encodings) {
          const answer = await raw(path, { 'accept-encoding': encoding });
          expect(answer.headers['content-encoding']).toBe(encoding);
          expect(decode[encoding](answer.body).equals(plain.body)).toBe(true);
        }
      }
    }
    await logbook.create({ title: 'Repeated once more', source: 'beam dump '.repeat(500) });
  }
});

describe.each(encodings)('JSON for a client that accepts %s', (encoding) => {
  const accept = { 'accept-encoding': encoding };

  test.each(['/logs/search?title=compressed', '/logs?title=compressed'])('%s', async (path) => {
    const plain = await raw(path);
    const answer = await raw(path, accept);
    expect(plain.headers['content-encoding']).toBeUndefined();
    expect(answer.headers).toMatchObject({
      'content-encoding': encoding,
      'content-length': String(answer.body.length),
    });
    for (const { headers } of [plain, answer]) expect(headers.vary).toMatch(/Accept-Encoding/);
    expect(answer.body.length).toBeLessThan(plain.body.length / 2);
    expect(decode[encoding](answer.body).equals(plain.body)).toBe(true);
  });

  test('the tag of an entry is weak, and is accepted for 304 and for an edit', async () => {
    const plain = await raw(`/logs/${id}`);
    const answer = await raw(`/logs/${id}`, accept);
    expect(answer.headers.etag).toBe(`W/${plain.headers.etag}`);
    const etag = answer.headers.etag as string;
    expect((await raw(`/logs/${id}`, { ...accept, 'if-none-match': etag })).status).toBe(304);
    const entry = JSON.parse(decode[encoding](answer.body).toString());
    expect((await logbook.post(`/logs/${id}`, entry, { headers: { 'if-match': etag } })).status).toBe(200);
    expect((await logbook.post(`/logs/${id}`, entry, { headers: { 'if-match': etag } })).status).toBe(412);
  });

  test('a long page is complete, and its beginning can be read before its end is produced', async () => {
    for (let at = 0; at < 4; at++)
      await logbook.create({ title: 'Streamed', source: `${at} ${'long text '.repeat(40_000)}` });
    const path = '/logs/search?title=streamed';
    const plain = await raw(path);
    expect(plain.body.length).toBeGreaterThan(3_000_000);
    const answer = await raw(path, accept);
    expect(answer.headers['content-length']).toBeUndefined();
    expect(decode[encoding](answer.body).equals(plain.body)).toBe(true);
    const [head] = await firstDecoded(path, encoding);
    expect(head?.toString()).toMatch(/^\{"hitCount":\d+,"logs":/);
  });

  test('HEAD has the headers of the uncompressed response, and files are never compressed', async () => {
    const head = await raw(`/logs/${id}`, accept, 'HEAD');
    expect(head.headers['content-encoding']).toBeUndefined();
    const content = JSON.stringify({ a: 'x'.repeat(5_000) });
    const attachments = [{ id: `json-${encoding}`, filename: 'data.json' }];
    const entry = { title: 'x', logbooks: [{ name: 'operations' }], attachments };
    expect((await logbook.sendForm('PUT', entry, [{ name: 'data.json', content }])).status).toBe(200);
    const file = await raw(`/attachment/json-${encoding}`, accept);
    expect(file.headers['content-encoding']).toBeUndefined();
    expect(file.body.toString()).toBe(content);
    const range = await raw(`/attachment/json-${encoding}`, { ...accept, range: 'bytes=0-2999' });
    expect([range.status, range.headers['content-encoding'], range.body.length]).toEqual([206, undefined, 3_000]);
  });
});

/** Reads what a client can show after the first piece of a response. */
function firstDecoded(path: string, encoding: 'br' | 'gzip'): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${logbook.base}${path}`, { headers: { 'accept-encoding': encoding } }, (response) => {
      const decoder =
        encoding === 'br' ? createBrotliDecompress() : createGunzip({ finishFlush: constants.Z_SYNC_FLUSH });
      decoder.once('data', (chunk: Buffer) => {
        resolve([chunk]);
        sent.destroy();
      });
      decoder.on('error', () => undefined);
      response.once('data', (chunk: Buffer) => decoder.write(chunk));
      response.on('error', () => undefined);
    });
    sent.on('error', reject).end();
  });
}

describe('what is not compressed', () => {
  test('lists of tokens and sessions, however long', async () => {
    for (let at = 0; at < 12; at++)
      await logbook.post('/tokens', { name: `token number ${at} ${'x'.repeat(60)}`, rights: [] });
    const authorization = `Basic ${Buffer.from('user:userPass').toString('base64')}`;
    const { body, headers } = await raw('/tokens', { authorization, 'accept-encoding': 'br, gzip' });
    expect(body.length).toBeGreaterThan(1_024);
    expect(headers['content-encoding']).toBeUndefined();
  });

  test('pages that a page of another site asks for with the session of a user', async () => {
    const cookie = await sessionOf(logbook, principal('jane', ['USER']));
    const asked = { cookie, 'accept-encoding': 'br', 'sec-fetch-site': 'cross-site' };
    expect((await raw('/logs?title=compressed', asked)).headers['content-encoding']).toBeUndefined();
    expect(
      (await raw('/logs?title=compressed', { ...asked, 'sec-fetch-site': 'same-origin' })).headers['content-encoding'],
    ).toBe('br');
  });

  test('short responses', async () => {
    const { headers, body } = await raw('/logs?title=nothingatall', { 'accept-encoding': 'br, gzip' });
    expect([headers['content-encoding'], body.toString()]).toEqual([undefined, '[]']);
  });
});

test.each([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate, *', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br', 'br'],
  ['GZIP;q=1.0, br;q=0.5', 'gzip'],
  ['br;q=0, gzip;q=0', undefined],
  ['br;q=0, gzip', 'gzip'],
  ['gzip;q=x', undefined],
])('Accept-Encoding: %s chooses %s', (header, expected) => {
  expect(chooseEncoding(header)).toBe(expected);
});
