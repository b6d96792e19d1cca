import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

const rounds = 25;

/** Sends a request and resets the connection: when the response has begun, or after a part of the body. */
function abort(origin: string, path: string, { method = 'GET', headers = {}, part = '' } = {}): Promise<void> {
  return new Promise((resolve) => {
    const client = request(`${origin}${path}`, { method, headers, agent: false });
    client.once('error', () => undefined);
    client.once('close', () => resolve());
    const reset = () => client.socket?.resetAndDestroy();
    client.once('response', (response) => {
      response.once('error', () => undefined);
      response.once('data', reset);
      response.once('end', reset);
    });
    if (part === '') client.end();
    else client.write(part, () => setTimeout(reset, 2));
  });
}

/** Returns the number of bytes that this process has read from files so far. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);

test.skipIf(process.platform !== 'linux')(
  'a file is not read to its end for HEAD, nor verified to its end for clients that have left',
  async () => {
    const logbook = await TestService.start({ maxFileSize: '100MB', maxRequestSize: '100MB' });
    const size = 48 * 1_048_576;
    const entry = { title: 'x', logbooks: [{ name: 'operations' }], attachments: [{ id: 'large', filename: 'a.bin' }] };
    // The file is no text, whose encoding would be looked for in its first 16 MB, once.
    const content = Buffer.alloc(size, 7);
    expect((await logbook.sendForm('PUT', entry, [{ name: 'a.bin', content }])).status).toBe(200);
    const path = '/attachment/large';
    const before = { files: openFiles(), bytes: bytesRead() };
    for (let at = 0; at < 20; at++) {
      const { status, headers } = await logbook.get(path, { method: 'HEAD' });
      expect([status, headers.get('content-length')]).toEqual([200, String(size)]);
    }
    await Promise.all(Array.from({ length: 20 }, () => leaveAtOnce(logbook.base, path, { range: 'bytes=10-20' })));
    while (openFiles() > before.files + 20) await nextTurn();
    // Clients that leave are served until that is noticed. Verified to its end, the file would be read 20 times.
    expect(bytesRead() - before.bytes).toBeLessThan(10 * size);
    expect((await logbook.get(path, { headers: { range: 'bytes=10-20' } })).text).toBe('\u0007'.repeat(11));
    await logbook.stop();
  },
);

/** Sends a request and resets the connection soon after it was sent. */
function leaveAtOnce(origin: string, path: string, headers: Record<string, string>): Promise<void> {
  return new Promise((resolve) => {
    const client = request(`${origin}${path}`, { headers, agent: false });
    client.once('error', () => undefined);
    client.once('close', () => resolve());
    client.once('finish', () => setTimeout(() => client.socket?.resetAndDestroy(), 5));
    client.end();
  });
}

const openFiles = () => readdirSync('/proc/self/fd').length;

test.skipIf(process.platform !== 'linux')(
  'clients that leave in the middle leave no file and no handle open, and no error in the log',
  async () => {
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) });
    const logbook = await TestService.start({}, undefined, log);
    const text = 'x'.repeat(2_000_000);
    const entry = { title: 'x', logbooks: [{ name: 'operations' }], attachments: [{ id: 'large', filename: 'a.txt' }] };
    expect((await logbook.sendForm('PUT', entry, [{ name: 'a.txt', content: text }])).status).toBe(200);
    for (let at = 0; at < 8; at++) {
      const template = {
        name: `${at}`,
        title: 'x',
        source: text.slice(0, 500_000),
        logbooks: [{ name: 'operations' }],
      };
      expect((await logbook.put('/templates?markup=none', template)).status).toBe(200);
    }
    const authorization = `Basic ${Buffer.from('user:userPass').toString('base64')}`;
    const form = { authorization, 'content-type': 'multipart/form-data; boundary=b', 'content-length': '2000000' };
    const json = { authorization, 'content-type': 'application/json', 'content-length': '900000' };
    const round = () =>
      Promise.all([
        abort(logbook.base, '/attachment/large'),
        abort(logbook.base, '/templates'),
        abort(logbook.base, '/configuration'),
        abort(logbook.base, '/logs?text=x*'),
        abort(logbook.base, '/changes?lastEventId=0'),
        abort(logbook.base, '/logs', { method: 'PUT', headers: json, part: '{"title":' }),
        abort(logbook.base, '/logs/multipart', {
          method: 'PUT',
          headers: form,
          part: `--b\r\ncontent-disposition: form-data; name="files"; filename="a"\r\n\r\n${text.slice(0, 100_000)}`,
        }),
      ]);
    const handles = () => process.getActiveResourcesInfo().filter((name) => /TCP|Pipe|FS|File/.test(name)).length;
    // Resources that are opened on first use, such as the connections of the search, stay open. They are far fewer than
    // the requests.
    const most = { files: openFiles() + 20, handles: handles() + 10 };
    for (let at = 0; at < rounds; at++) await round();
    while (openFiles() > most.files || handles() > most.handles) await nextTurn();
    expect(lines.filter(({ level }) => level >= 50)).toEqual([]);
    await logbook.stop();
  },
);
