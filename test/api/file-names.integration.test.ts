import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { basicAuth, rawPart, rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { entryForm, TestService } from '../fixtures/service.js';

const run = promisify(execFile);
const has = (program: string) =>
  run(program, ['--version']).then(
    () => true,
    () => false,
  );
const [hasCurl, hasWget] = await Promise.all([has('curl'), has('wget')]);

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({ attachmentTextSearch: 'true' });
});
afterAll(() => logbook.stop());

const logbooks = [{ name: 'operations' }];
const boundary = 'b';

/** Sends a form whose last part is a file with this `Content-Disposition`, in these bytes. */
async function sendPart(method: string, path: string, names: string, encoding: BufferEncoding, entry?: unknown) {
  const field = method === 'POST' && path.includes('attachments') ? 'file' : 'files';
  const body = Buffer.concat([
    ...(entry === undefined
      ? []
      : [rawPart(boundary, ['Content-Disposition: form-data; name="logEntry"'], JSON.stringify(entry))]),
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name=${field}; ${names}\r\n\r\nx\r\n--${boundary}--`,
      encoding,
    ),
  ]);
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(body.length),
  };
  const answer = await sendRaw(logbook.origin, [rawRequest(method, `/logbook${path}`, headers, body)]);
  const { attachments, code } = JSON.parse(answer.text);
  return attachments ? attachments.map(({ filename }: { filename: string }) => filename) : code;
}

/** Names as programs write them, with the name that is meant. */
const written: [string, string, string, BufferEncoding?][] = [
  ['UTF-8', 'filename="Prüfung µ.txt"', 'Prüfung µ.txt'],
  ['Latin-1', 'filename="Prüfung µ.txt"', 'Prüfung µ.txt', 'latin1'],
  ['an encoded word', 'filename="=?utf-8?B?UHLDvGZ1bmcgwrUudHh0?="', 'Prüfung µ.txt'],
  ['encoded words', 'filename="=?utf-8?Q?Pr=C3?= =?utf-8?Q?=BCfung_=C2=B5?=.txt"', 'Prüfung µ.txt'],
  ['filename* behind, quoted', `filename="x.txt"; filename*="utf-8''Pr%C3%BCfung%20%C2%B5.txt"`, 'Prüfung µ.txt'],
  ['filename* before', `filename*=utf-8''Pr%C3%BCfung%20%C2%B5.txt; filename=x.txt`, 'Prüfung µ.txt'],
  ['an escaped quote of a browser', 'filename="a%22b.txt"', 'a"b.txt'],
];

describe('every route that takes a file decodes its name alike:', () => {
  test.each(written)('%s', async (_case, names, filename, encoding = 'utf8') => {
    const entry = { title: 'x', logbooks, attachments: [{ filename }] };
    expect(await sendPart('PUT', '/logs/multipart', names, encoding, entry)).toEqual([filename]);
    const { id } = await logbook.create();
    expect(await sendPart('POST', '/logs/multipart', names, encoding, { ...entry, id })).toEqual([filename]);
    const { id: other } = await logbook.create();
    expect(await sendPart('POST', `/logs/attachments/${other}`, names, encoding)).toEqual([filename]);
  });

  test.each([
    ['UTF-8', 'Pr%C3%BCfung+%C2%B5.txt', 'Prüfung µ.txt'],
    ['an encoded word', encodeURIComponent('=?utf-8?B?UHLDvGZ1bmcgwrUudHh0?='), 'Prüfung µ.txt'],
    ['a percent sign', '100%25.txt', '100%.txt'],
    ['a quote', 'a%22b.txt', 'a"b.txt'],
  ])('the file of a draft, in %s', async (_case, query, filename) => {
    const id = crypto.randomUUID();
    await logbook.put(`/drafts/${id}`, {});
    const path = `/logbook/drafts/${id}/attachments/f?fileMetadataDescription=d&filename=${query}`;
    const answer = await sendRaw(logbook.origin, [rawRequest('PUT', path, { 'content-length': '1' }, 'x')]);
    expect(JSON.parse(answer.text)).toMatchObject({ filename, fileMetadataDescription: 'd' });
  });

  test('a name in a part of its own, in Latin-1 or as an encoded word', async () => {
    for (const [name, encoding] of [
      ['Prüfung.txt', 'latin1'],
      ['=?utf-8?Q?Pr=C3=BCfung.txt?=', 'utf8'],
    ] as const) {
      const { id } = await logbook.create();
      const body = Buffer.concat([
        rawPart(boundary, ['Content-Disposition: form-data; name="filename"'], Buffer.from(name, encoding)),
        rawPart(boundary, ['Content-Disposition: form-data; name="file"; filename="x"'], 'x'),
        Buffer.from(`--${boundary}--`),
      ]);
      const headers = {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        'content-length': String(body.length),
      };
      const answer = await sendRaw(logbook.origin, [
        rawRequest('POST', `/logbook/logs/attachments/${id}`, headers, body),
      ]);
      expect(JSON.parse(answer.text).attachments).toMatchObject([{ filename: 'Prüfung.txt' }]);
    }
  });

  test('a list whose names are written as in the form matches its files', async () => {
    for (const filename of ['a%22b.txt', '=?utf-8?Q?=C3=BC.txt?=', 'u\u0308.txt']) {
      const entry = { title: 'x', logbooks, attachments: [{ filename }] };
      expect(await sendPart('PUT', '/logs/multipart', `filename="${filename}"`, 'utf8', entry)).toEqual([filename]);
    }
  });

  test.each([
    ['a path', String.raw`filename="C:\fakepath\x.png"`],
    ['a path in filename*', `filename*=utf-8''..%2Fx.png`],
    ['a line break', 'filename="a%0D%0Ab.png"'],
    ['a NUL in an encoded word', 'filename="=?utf-8?Q?a=00.png?="'],
    ['a reversed direction', 'filename="trip\u202egpj.exe"'],
    ['a separator of lines', 'filename="a\u2028b.png"'],
    ['nothing', 'filename=""'],
    ['dots', 'filename="..."'],
    ['spaces', 'filename="  "'],
    ['256 bytes in 128 characters', `filename="${'ü'.repeat(128)}"`],
  ])('400 attachment.bad-filename on each for %s', async (_case, names) => {
    const { id } = await logbook.create();
    const entry = { title: 'x', logbooks, attachments: [] };
    for (const [method, path, body] of [
      ['PUT', '/logs/multipart', entry],
      ['POST', '/logs/multipart', { ...entry, id }],
      ['POST', `/logs/attachments/${id}`, undefined],
    ] as const) {
      expect(await sendPart(method, path, names, 'utf8', body)).toBe('attachment.bad-filename');
    }
    expect(await logbook.get(`/logs/${id}`)).toMatchObject({ body: { attachments: [] } });
  });
});

describe('a form in pieces', () => {
  test('is read whatever its pieces are, with what follows its end', async () => {
    const form = Buffer.concat([
      Buffer.from('preamble\r\n'),
      rawPart(
        boundary,
        ['Content-Disposition: form-data; name="logEntry"'],
        JSON.stringify({ title: 'x', logbooks, attachments: [{ filename: 'a' }] }),
      ),
      rawPart(boundary, ['Content-Disposition: form-data; name="files"; filename="a"'], 'x'.repeat(1_000)),
      Buffer.from(`--${boundary}--\r\nepilogue`),
    ]);
    for (const size of [1, 7, 64, 100, 333, form.length]) {
      const pieces = Array.from({ length: Math.ceil(form.length / size) }, (_, at) =>
        form.subarray(at * size, (at + 1) * size),
      );
      const stream = new ReadableStream({
        async pull(controller) {
          const piece = pieces.shift();
          if (piece) controller.enqueue(piece);
          else controller.close();
        },
      });
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}`, authorization: basicAuth() };
      const init = { method: 'PUT', body: stream, duplex: 'half', headers } as RequestInit;
      const answer = await fetch(`${logbook.base}/logs/multipart`, init);
      expect([size, answer.status]).toEqual([size, 200]);
      expect(await answer.json()).toMatchObject({ attachments: [{ filename: 'a', size: 1_000 }] });
    }
  });
});

/** Stores a file of an entry; returns its two addresses. */
async function store(filename: string, content: Uint8Array | string = 'x'): Promise<readonly [string, string]> {
  const body = entryForm({ title: 'x', logbooks, attachments: [{ filename }] }, [{ name: filename, content }]);
  const { body: entry } = await logbook.call('/logs/multipart', { method: 'PUT', body });
  const byName = `${logbook.base}/logs/attachments/${entry.id}/${encodeURIComponent(filename)}`;
  return [`${logbook.base}/attachment/${entry.attachments[0].id}`, byName];
}

const downloads: [string, string, string][] = [
  ['trip.csv', 'trip.csv', ''],
  ['naïve café.txt', 'naive cafe.txt', "; filename*=UTF-8''na%C3%AFve%20caf%C3%A9.txt"],
  [
    '5 µA bei 20 °C, 3 €.txt',
    '5 uA bei 20 degC, 3 EUR.txt',
    "; filename*=UTF-8''5%20%C2%B5A%20bei%2020%20%C2%B0C%2C%203%20%E2%82%AC.txt",
  ],
  ['Łódź Straße.txt', 'Lodz Strasse.txt', "; filename*=UTF-8''%C5%81%C3%B3d%C5%BA%20Stra%C3%9Fe.txt"],
  ['測定😀.csv', '___.csv', "; filename*=UTF-8''%E6%B8%AC%E5%AE%9A%F0%9F%98%80.csv"],
  ['a"b 100%.txt', 'a_b 100_.txt', "; filename*=UTF-8''a%22b%20100%25.txt"],
  ["it's; x=1.txt", "it's; x=1.txt", ''],
];

describe('a download is saved under its name:', () => {
  test.each(downloads)('%s', async (filename, ascii, extended) => {
    const dir = await mkdtemp(join(tmpdir(), 'logbook-test-'));
    for (const address of await store(filename)) {
      const { headers } = await fetch(address);
      expect(headers.get('content-disposition')).toBe(`attachment; filename="${ascii}"${extended}`);
      for (const [isThere, program, options, saved] of [
        [hasCurl, 'curl', ['-sOJ'], ascii],
        [hasWget, 'wget', ['-q', '--content-disposition'], filename],
      ] as const) {
        if (!isThere) continue;
        const cwd = await mkdtemp(join(dir, program));
        await run(program, [...options, address], { cwd, env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' } });
        expect([program, await readdir(cwd)]).toEqual([program, [saved]]);
      }
    }
    await rm(dir, { recursive: true });
  });

  test.skipIf(!hasCurl)('curl -F sends any of them', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'logbook-test-'));
    for (const [filename] of downloads) {
      await writeFile(join(dir, 'content'), 'x');
      await writeFile(join(dir, 'entry'), JSON.stringify({ title: 'x', logbooks, attachments: [{ filename }] }));
      const name = filename.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
      const { stdout } = await run(
        'curl',
        [
          '-s',
          '-u',
          'user:userPass',
          '-X',
          'PUT',
          `${logbook.base}/logs/multipart`,
          '-F',
          'logEntry=<entry',
          '-F',
          `files=@content;filename="${name}"`,
        ],
        { cwd: dir },
      );
      expect(JSON.parse(stdout).attachments).toMatchObject([{ filename }]);
    }
    expect(await readFile(join(dir, 'content'), 'utf8')).toBe('x');
    await rm(dir, { recursive: true });
  });
});

describe('a text is served in its encoding and found by its words:', () => {
  const text = 'Zeit;Strom µA;Temp. °C;Zähler\n03:12;1,5;21;4\n';
  const utf16 = (isBig: boolean, mark = '') => {
    const bytes = Buffer.from(mark + text, 'utf16le');
    return isBig ? bytes.swap16() : bytes;
  };
  test.each<[string, Buffer, string]>([
    ['scope.csv', Buffer.from(text, 'latin1'), 'text/csv; charset=windows-1252'],
    ['scope.dat', Buffer.from(text, 'latin1'), 'text/plain; charset=windows-1252'],
    ['late.csv', Buffer.from(`${'1;2\n'.repeat(20_000)}${text}`, 'latin1'), 'text/csv; charset=windows-1252'],
    ['utf8.txt', Buffer.from(text), 'text/plain; charset=utf-8'],
    ['little.txt', utf16(false, '\ufeff'), 'text/plain; charset=utf-16le'],
    ['big.csv', utf16(true, '\ufeff'), 'text/csv; charset=utf-16be'],
    ['unmarked.csv', utf16(false), 'text/csv; charset=utf-16le'],
  ])('%s', async (filename, content, type) => {
    const word = `zähler${filename.replace('.', '')}`;
    const encoding = /charset=(.*)/.exec(type)?.[1] ?? '';
    const line =
      encoding === 'windows-1252'
        ? Buffer.from(word, 'latin1')
        : Buffer.from(word, encoding.startsWith('utf-16') ? 'utf16le' : 'utf8');
    const bytes = Buffer.concat([content, encoding === 'utf-16be' ? line.swap16() : line]);
    for (const address of await store(filename, bytes)) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await fetch(address, { method, headers: { range: 'bytes=0-9' } });
        expect([method, answer.headers.get('content-type')]).toEqual([method, type]);
      }
      const answer = await fetch(address);
      expect(new TextDecoder(encoding).decode(await answer.arrayBuffer())).toContain('Strom µA;Temp. °C;Zähler');
    }
    await expect
      .poll(async () => (await logbook.search(`attachmenttext=${encodeURIComponent(word)}`)).hitCount)
      .toBe(1);
    expect((await logbook.search(`attachments=text&attachmenttext=${encodeURIComponent(word)}`)).hitCount).toBe(1);
  });
});

test('400 request.bad-text: an attachment id with a NUL on every route', async () => {
  const draft = crypto.randomUUID();
  await logbook.put(`/drafts/${draft}`, {});
  const { id } = await logbook.create();
  const ofDraft = `/drafts/${draft}/attachments/a%00b`;
  const attachments = [{ id: 'a\0b', filename: 'x' }];
  for (const [method, path, json] of [
    ['GET', '/attachment/a%00b'],
    ['HEAD', '/attachment/a%00b'],
    ['GET', '/attachment/a%00b/thumbnail'],
    ['GET', `/logs/attachments/${id}/a%00b`],
    ['GET', ofDraft],
    ['GET', `${ofDraft}/content`],
    ['DELETE', ofDraft],
    ['PUT', `${ofDraft}?filename=x`, 'x'],
    ['PUT', '/logs', { title: 'x', logbooks, attachments }],
    ['POST', `/logs/${id}`, { title: 'x', logbooks, attachments }],
  ] as const) {
    const answer = await logbook.call(path, { method, ...(json !== undefined && { json }) });
    expect([method, path, answer.status]).toEqual([method, path, 400]);
    if (method !== 'HEAD') expect(answer.body.code).toBe('request.bad-text');
  }
  for (const [method, path] of [
    ['PUT', '/logs/multipart'],
    ['POST', '/logs/multipart'],
  ] as const) {
    const body = entryForm({ id, title: 'x', logbooks, attachments }, [{ name: 'x', content: 'x' }]);
    expect((await logbook.call(path, { method, body })).body.code).toBe('request.bad-text');
  }
  for (const part of ['id', 'filename', 'fileMetadataDescription']) {
    const form = new FormData();
    form.append('file', new File(['x'], 'x'));
    form.append(part, 'a\0b');
    const added = await logbook.call(`/logs/attachments/${id}`, { method: 'POST', body: form });
    expect([part, added.status, added.body.code]).toEqual([part, 400, 'request.bad-text']);
  }
  expect((await logbook.get(`/logs/${id}`)).body.attachments).toEqual([]);
});
