import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';

const word = 'Xyzzy4711Plugh';

test('what users write and look for is neither in the log at the default level, nor in the audit or the metrics', async () => {
  const dataDir = await makeTempDir();
  const logbook = await LogbookProcess.start(dataDir, { env: { LOGBOOK_SLOW_REQUEST_THRESHOLD: '1ms' } });
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
  const draft = await send('/drafts', json('POST', { title: word }));
  const { id: draftId } = JSON.parse(draft.text);
  const upload = new FormData();
  upload.append('file', new File([word], `${word}.bin`), `${word}.bin`);
  await send(`/drafts/${draftId}/attachments`, { method: 'POST', body: upload });
  await send(`/drafts/${draftId}`, json('PUT', { title: word }));
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
  // An error within: what is stored is no JSON.
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(`${dataDir}/logbook.sqlite`);
  db.exec(`UPDATE draft SET document = '{"title": ${word}', crc = NULL`);
  db.close();
  await send(`/drafts/${draftId}`);
  const audit = await send('/audit', {}, 'admin:adminPass');
  expect(audit.status).toBe(200);
  const metrics = await (await fetch(`${logbook.origin}/metrics`)).text();
  await logbook.stop();
  expect(logbook.errors).toContain('/logbook/logs/search?text=…&title=…&properties=…');
  expect(logbook.errors).toContain('slow request');
  const lines = logbook.errors.split('\n').filter((line) => line.includes(word));
  expect(lines).toEqual([]);
  expect(audit.text).not.toContain(word);
  expect(metrics).not.toContain(word);
  await rm(dataDir, { recursive: true, force: true });
});
