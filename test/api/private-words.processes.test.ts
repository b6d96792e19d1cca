import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { TraceCollector } from '../fixtures/trace-collector.js';

const word = 'Xyzzy4711Plugh';

test('what users write and look for is neither in the log at the default level, nor in the audit, the metrics or traces', async () => {
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
  ];
  for (const request of requests) await send(...request);
  // An upload that its client aborts, in the middle of a file.
  await expect(abortUpload(`${logbook.base}/logs/multipart`)).rejects.toThrow();
  // An error within: what is stored is no JSON.
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(`${dataDir}/logbook.sqlite`);
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
