import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { references, writeElnArchive } from '../fixtures/eln-archive.js';
import { writeExport } from '../fixtures/export-file.js';
import { OlogServer } from '../fixtures/olog-server.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { TraceCollector } from '../fixtures/trace-collector.js';

const word = 'Xyzzy4711Plugh';

test('what users write and look for, and tokens of links, are neither in the log at the default level, nor in the audit, the metrics or traces', async () => {
  const dataDir = await makeTempDir();
  const collector = await TraceCollector.start();
  const env = { LOGBOOK_SLOW_REQUEST_THRESHOLD: '1ms', LOGBOOK_TRACING_ENDPOINT: collector.url };
  const logbook = await LogbookProcess.start(dataDir, { env });
  const send = async (path: string, options: RequestInit = {}, user = 'user:userPass') => {
    const headers = { authorization: `Basic ${Buffer.from(user).toString('base64')}`, ...options.headers };
    const response = await fetch(`${logbook.base}${path}`, { ...options, headers });
    return { status: response.status, text: await response.text() };
  };
  const json = (method: string, body: unknown) => ({
    ...{ method, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(body),
  });
  const logbooks = [{ name: 'operations' }];
  const entry = { title: word, description: word, logbooks, attachments: [{ filename: `${word}.txt` }] };
  const form = new FormData();
  form.append('logEntry', new Blob([JSON.stringify(entry)], { type: 'application/json' }));
  form.append('files', new File([word], `${word}.txt`), `${word}.txt`);
  const made = await send('/logs/multipart', { method: 'PUT', body: form });
  expect(made.status, made.text).toBe(200);
  const { id, attachments } = JSON.parse(made.text);
  const draftId = randomUUID();
  const draft = await send(`/drafts/${draftId}`, json('PUT', { title: word }));
  expect(draft.status, draft.text).toBe(200);
  const upload = { method: 'PUT', headers: { 'content-type': 'application/octet-stream' }, body: word };
  const file = await send(`/drafts/${draftId}/attachments/${randomUUID()}?filename=${word}.bin`, upload);
  expect(file.status, file.text).toBe(200);
  const requests: [string, RequestInit?, string?][] = [
    [`/logs/search?text=${word}&title=${word}&properties=${word}.${word}.${word}`],
    [`/logs?q=${word}&${word}`],
    [`/logs/facets?text=${word}`],
    [`/logs/rss?text=${word}`],
    [`/logs/search?start=${word}`],
    [`/logs/attachments/${id}/${word}.txt`],
    [`/logs/attachments/${id}/${word}.txt?as=${word}`, { method: 'DELETE' }],
    [`/logs/${id}/${word}/${word}`],
    ['/logs', json('PUT', { title: word, logbooks: [{ name: word }] })],
    ['/logs', json('PUT', { title: word, logbooks, level: word, properties: [{ name: word, attributes: [] }] })],
    ['/logs', { ...json('PUT', 1), body: `{"title": ${word}` }],
    [`/logs/${id}`, json('POST', { title: word, logbooks, attachments, properties: [{ name: word }] })],
    ['/me/searches', json('POST', { name: word, query: `text=${word}` })],
    [`/logs/${id}/redaction`, json('POST', { reason: 'why', title: true, text: true }), 'admin:adminPass'],
    [`/logs/search?text=${word}`],
    [`/unsubscribe/${word}`],
    [`/unsubscribe/${word}`, { method: 'PUT' }],
  ];
  for (const request of requests) await send(...request);
  // An upload that its client aborts, in the middle of a file.
  await expect(abortUpload(`${logbook.base}/logs/multipart`)).rejects.toThrow();
  // An internal error: the stored document is not JSON.
  const DatabaseSync = await loadSqlite();
  // The service may be writing.
  const db = new DatabaseSync(`${dataDir}/logbook.sqlite`, { timeout: 60_000 });
  db.exec(`UPDATE draft SET document = '{"title": ${word}'`);
  db.close();
  const failed = await send(`/drafts/${draftId}`);
  expect(failed.status, failed.text).toBe(500);
  const audit = await send('/audit', {}, 'admin:adminPass');
  expect(audit.status).toBe(200);
  const metrics = await (await fetch(`${logbook.origin}/metrics`)).text();
  await logbook.stop();
  await collector.stop();
  expect(collector.spans.map(({ name }) => name)).toContain('GET /logbook/logs/search');
  expect(JSON.stringify(collector.spans)).not.toContain(word);
  expect(logbook.errors).toContain('/logbook/logs/search?text=…&title=…&properties=…');
  expect(logbook.errors).toContain('slow request');
  const lines = logbook.errors.split('\n').filter((line) => line.includes(word));
  expect(lines).toEqual([]);
  expect(audit.text).not.toContain(word);
  expect(metrics).not.toContain(word);
  await rm(dataDir, { recursive: true, force: true });
});

test('imports, exports, backups and restores have no words of entries in the log, nor those of files that fail', async () => {
  const dir = await makeTempDir();
  const [data, eln, exported, elog] = ['data', 'in.eln', 'in.zip', 'elog'].map((name) => join(dir, name)) as Paths;
  const file = (name: string, values: object = {}) => ({ '@id': `./a/${name}`, '@type': 'File', name, ...values });
  const [lost, wrong] = [file(`${word}-lost.txt`), file(`${word}.txt`, { sha256: '0'.repeat(64) })];
  await writeElnArchive(eln, {
    root: { hasPart: references('./a/') },
    nodes: [
      { '@id': './a/', '@type': 'Dataset', name: word, text: word, hasPart: references(lost['@id'], wrong['@id']) },
      ...[lost, wrong],
    ],
    files: { [`a/${word}.txt`]: word },
  });
  await writeExport(exported, {
    entries: [{ entry: { id: 1, title: word, source: word, level: word, logbooks: [{ name: word }], createdDate: 1 } }],
  });
  const message = [
    '$@MID@$: 1',
    'Date: Mon, 23 Nov 2020 10:00:00 +0100',
    `Author: ${word}`,
    `Subject: ${word}`,
    `Attachment: 201123_100000_${word}.txt`,
    'Encoding: plain',
    '='.repeat(40),
    word,
    '',
  ];
  await mkdir(join(elog, 'logbooks', 'Ops'), { recursive: true });
  await writeFile(join(elog, 'logbooks', 'Ops', '201123a.log'), message.join('\n'));
  const olog = await OlogServer.start();
  olog.create({ title: word, description: word, source: word });
  const into = ['--data-dir', data];
  const codes: (number | null)[] = [];
  const errors: string[] = [];
  for (const args of [
    ['import', eln, '--logbook', 'operations', ...into],
    ['import', exported, ...into],
    ['import', elog, ...into],
    ['import', olog.url, ...into],
    ['export', join(dir, 'out.zip'), ...into],
    ['export', join(dir, 'out.eln'), ...into],
    ['backup', join(dir, 'backups'), ...into],
    ['verify', ...into],
    [
      'restore',
      join(dir, 'backups'),
      '--data-dir',
      join(dir, 'restored'),
      '--backup-public-key',
      join(data, 'backup-key.pub'),
    ],
  ]) {
    const done = await runCommand(args);
    codes.push(done.code);
    errors.push(...done.errors.split('\n').map((line) => `${args[0]}: ${line}`));
  }
  await olog.stop();
  // Each import has something to report.
  expect(codes).toEqual([2, 2, 2, 2, 0, 0, 0, 0, 0]);
  expect(errors.filter((line) => line.includes(word))).toEqual([]);
  await rm(dir, { recursive: true, force: true });
});

type Paths = [string, string, string, string];

/** Sends the beginning of a form with a file, and leaves. */
async function abortUpload(url: string): Promise<void> {
  const entry = JSON.stringify({ title: word, logbooks: [{ name: 'operations' }], attachments: [{ filename: word }] });
  const start = [
    '--x\r\ncontent-disposition: form-data; name="logEntry"\r\ncontent-type: application/json\r\n\r\n',
    `${entry}\r\n--x\r\ncontent-disposition: form-data; name="files"; filename="${word}"\r\n\r\n${word}`,
  ].join('');
  const leaving = new AbortController();
  const body = new ReadableStream({
    async pull(controller) {
      controller.enqueue(Buffer.from(start));
      setTimeout(() => leaving.abort(), 200).unref();
      await once(leaving.signal, 'abort');
    },
  });
  const headers = {
    'content-type': 'multipart/form-data; boundary=x',
    authorization: `Basic ${Buffer.from('user:userPass').toString('base64')}`,
  };
  await fetch(url, { method: 'PUT', headers, body, duplex: 'half', signal: leaving.signal } as RequestInit);
}
