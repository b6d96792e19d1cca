import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { portOf } from '../fixtures/local-server.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

let dir: string;
let server: Server;
let seen: IncomingMessage[];
beforeEach(async () => {
  dir = await makeTempDir();
  seen = [];
});
afterEach(async () => {
  server.closeAllConnections();
  server.close();
  await rm(dir, { recursive: true, force: true });
});

/** Imports from a server that answers like this. */
async function importFrom(answer: RequestListener, ...more: string[]) {
  await listen(answer);
  return importAgain(...more);
}

async function listen(answer: RequestListener): Promise<void> {
  server = createServer((request, response) => {
    seen.push(request);
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
}

async function importAgain(...more: string[]) {
  const url = `http://127.0.0.1:${portOf(server)}/old`;
  return runCommand(['import', url, '--data-dir', join(dir, 'data'), '--requests-per-second', '10000', ...more]);
}

const json =
  (body: unknown): RequestListener =>
  (_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  };

/** A service with these entries and nothing else. */
const serviceWith =
  (entries: readonly object[]): RequestListener =>
  (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://old.example');
    if (pathname !== '/old/logs/search') return json(/logs\/\d/.test(pathname) ? null : [])(request, response);
    const isFirst = (searchParams.get('page') ?? '1') === '1';
    json({ hitCount: entries.length, logs: isFirst ? entries : [] })(request, response);
  };

describe('a source that is not what it should be', () => {
  test.each<[string, RequestListener, RegExp]>([
    ['a web page', (_request, response) => response.end('<html>'), /did not respond with JSON .* Check the address/],
    ['another API', json({ hello: 'world' }), /something other than (a list|entries)/],
    [
      'a redirect',
      (_request, response) => response.writeHead(302, { location: 'https://new.example/' }).end(),
      /redirects “.*” to “https:\/\/new.example\/”/,
    ],
    [
      'a refusal',
      (_request, response) => response.writeHead(401).end(),
      /status 401 .* Check the user and the password/,
    ],
  ])('%s: the import says so', async (_name, answer, message) => {
    const { code, errors } = await importFrom(answer);
    expect({ code, errors }).toEqual({ code: 1, errors: expect.stringMatching(message) });
  });

  test('a refused sign-in leaves no data directory behind, and shows no secret', async () => {
    const password = join(dir, 'password');
    await writeFile(password, 'very secret\n');
    const { errors, output } = await importFrom(
      (_request, response) => response.writeHead(403).end(),
      ...['--source-user', 'reader', '--source-password-file', password, '--client-info-header', 'X-Olog-Client-Info'],
    );
    const [{ headers }] = seen as [IncomingMessage];
    expect(headers.authorization).toBe(`Basic ${Buffer.from('reader:very secret').toString('base64')}`);
    expect(headers['x-olog-client-info']).toBe('logbook import');
    expect(`${errors}${output}`).not.toContain('very secret');
    expect(existsSync(join(dir, 'data'))).toBe(false);
  });

  test('values of any type, invalid ids and names with paths do no harm', async () => {
    const odd = {
      title: 7,
      source: null,
      owner: { a: 1 },
      logbooks: 'x',
      tags: [null, { name: '' }, 'plain'],
      createdDate: 1e300,
      properties: { scan: { attributes: null } },
      events: [{ instant: 'never' }],
      attachments: [{ id: '../../x', filename: '../../etc/passwd' }],
    };
    const entries = [
      { ...odd, id: 5 },
      { ...odd, id: 'five' },
      { ...odd, id: 999_999_999_999, createdDate: 5 },
    ];
    const { code, output } = await importFrom(serviceWith(entries), '--no-reconcile');
    expect(code).toBe(2);
    expect(output).toMatch(/1 new, .*1 refused/);
    expect(output).toMatch(/The id 999999999999 cannot be kept/);
    expect(output).toMatch(/An entry has no number as its id, but “five”/);
  });

  const signIn = '<!DOCTYPE html>\n<html><title>Sign in</title></html>';
  const withFiles = {
    ...{ id: 1, title: 'files', createdDate: 5 },
    attachments: [
      { id: 'a', filename: 'scan.png', fileMetadataDescription: 'image/png' },
      { id: 'b', filename: 'notes.txt' },
      { id: 'c', filename: 'page.html' },
      { id: 'd', filename: 'page', fileMetadataDescription: 'text/html' },
      { id: 'e', filename: 'source.txt' },
    ],
  };
  /** Sends this content for each file, and only for the last one the type of plain text. */
  const withPages =
    (content: () => string): RequestListener =>
    (request, response) => {
      const [, id] = /\/attachment\/(\w)$/.exec(request.url ?? '') ?? [];
      if (id === undefined) return serviceWith([withFiles])(request, response);
      const type = id === 'e' ? 'text/plain' : content() === signIn ? 'text/html;charset=utf-8' : 'image/png';
      response.writeHead(200, { 'content-type': type }).end(content());
    };

  test('a web page in place of a file is a problem and a difference, a file that is one is not; the next run brings it', async () => {
    let content = signIn;
    const first = await importFrom(withPages(() => content));
    expect(first.output).toMatch(
      /entry 1: The source sent a web page, such as a sign-in page, in place of the file “scan.png”/,
    );
    expect(first.output).toMatch(
      /entry 1: The source sent a web page, such as a sign-in page, in place of the file “notes.txt”/,
    );
    expect(first.output).not.toMatch(/in place of the file “(page|source)/);
    expect(first.output).toMatch(/ 1: attachments: .*missing/);
    expect([first.code, first.output]).toEqual([2, expect.stringMatching(/3 files/)]);
    content = 'the file';
    const second = await importAgain('--sample', '0');
    expect([second.code, second.output]).toEqual([0, expect.stringContaining('Both are equal')]);
  });

  test('a later run that still misses a file repeats what was adapted for the others', async () => {
    const attachments = [
      { id: 'a', filename: 'a\tname.txt' },
      { id: 'b', filename: 'gone.txt' },
    ];
    const entry = { id: 1, title: 'files', createdDate: 5, attachments };
    const answer: RequestListener = (request, response) => {
      if (request.url?.endsWith('/attachment/a')) response.writeHead(200, { 'content-type': 'text/plain' }).end('x');
      else if (request.url?.includes('attachment')) response.writeHead(404).end();
      else serviceWith([entry])(request, response);
    };
    const report = join(dir, 'report.json');
    const remarksOf = async ({ code }: { code: number | null }) => {
      expect(code).toBe(2);
      return JSON.parse(await readFile(report, 'utf8')).remarks;
    };
    const first = await remarksOf(await importFrom(answer, '--report', report));
    expect(first).toContainEqual(expect.objectContaining({ key: '1', text: expect.stringContaining('“a_name.txt”') }));
    expect(await remarksOf(await importAgain('--report', report))).toEqual(first);
  });

  test('a web page that an earlier run took for the file is a difference', async () => {
    // A file sent as plain text does not show what it is.
    let isServedAsText = true;
    const answer: RequestListener = (request, response) => {
      if (!request.url?.includes('/attachment/')) return serviceWith([withFiles])(request, response);
      response.writeHead(200, { 'content-type': isServedAsText ? 'text/plain' : 'text/html' }).end(signIn);
    };
    expect((await importFrom(answer)).output).toContain('Both are equal');
    isServedAsText = false;
    const { code, output } = await importAgain();
    expect(output).toMatch(/ 1: bytes of the file scan\.png: "a web page" at the source/);
    expect(code).toBe(2);
  });

  test('earlier versions that the source cannot show are a problem, and both are not called equal', async () => {
    const entry = { id: 1, title: 'edited', createdDate: 5, modifyDate: 6 };
    const { code, output } = await importFrom((request, response) => {
      if (request.url?.includes('/archived/')) response.writeHead(500).end('<html>out of order');
      else serviceWith([entry])(request, response);
    });
    expect([code, output]).toEqual([2, expect.not.stringContaining('Both are equal')]);
    expect(output).toMatch(/entry 1: The earlier versions of this entry are missing/);
    expect(output).toMatch(/What was compared is equal. The import had 1 problem; see above/);
  });

  test('a source that counts more entries than it shows is not equal', async () => {
    const { code, output } = await importFrom((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', 'http://old.example');
      if (pathname !== '/old/logs/search') return json([])(request, response);
      const logs = searchParams.has('start') ? [] : [{ id: 1, title: 'a', createdDate: 5 }];
      json({ hitCount: 2, logs: (searchParams.get('page') ?? '1') === '1' ? logs : [] })(request, response);
    });
    expect(output).toMatch(/all: entries that the source counts: 2 at the source, 1 here/);
    expect([code, output]).toEqual([2, expect.not.stringContaining('Both are equal')]);
  });

  test('a source that shows the same page without end is refused', async () => {
    const logs = Array.from({ length: 100 }, (_, at) => ({ id: at + 1, title: 'a', createdDate: 5 }));
    const { code, errors } = await importFrom((request, response) =>
      json(/search/.test(request.url ?? '') ? { hitCount: 300, logs } : [])(request, response),
    );
    expect(errors).toMatch(/At position 101 of the list .* the source repeats entries/);
    expect(code).toBe(1);
  });

  test('a template that was changed here and at the source stays as it is here', async () => {
    const template = (title: string): RequestListener => {
      const templates = json([{ id: 'shift', name: 'Shift', title, createdDate: 5 }]);
      return (request, response) =>
        (request.url?.startsWith('/old/templates') ? templates : serviceWith([]))(request, response);
    };
    let title = 'first';
    const answer: RequestListener = (request, response) => template(title)(request, response);
    const first = await importFrom(answer);
    expect(first.code).toBe(0);
    const service = await TestService.start({}, join(dir, 'data'));
    const changed = { id: 'shift', name: 'Shift', title: 'changed here', source: '', level: '', logbooks: [] };
    const put = await service.put('/templates', changed, { as: 'admin:adminPass' });
    expect(put.status).toBe(200);
    await service.stop({ keepData: true });
    title = 'changed there';
    const { code, output } = await importAgain();
    expect([code, output]).toEqual([2, expect.stringMatching(/template shift: .* was not replaced/)]);
  });
});
