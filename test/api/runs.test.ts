import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { call, TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
});
afterAll(() => logbook.stop());

const append = (id: number, sequence: number, json: unknown) =>
  logbook.call(`/logs/${id}/blocks/${sequence}`, { method: 'PUT', json });
const open = async (title: string): Promise<number> => (await logbook.create({ title, source: '' }, '?run=true')).id;

test('a run is found by its status, and readers see each block', async () => {
  const id = await open('Scan 1');
  const block = {
    text: 'Point **1**',
    values: [
      { name: 'motor', value: 1.5 },
      { name: 'shutter', value: true },
    ],
  };
  expect(await append(id, 1, block)).toMatchObject({
    status: 200,
    body: { entryId: id, sequence: 1, isRepeated: false, revision: 2 },
  });
  expect((await append(id, 1, block)).body).toMatchObject({ isRepeated: true, revision: 2 });
  expect((await logbook.search('query=is:running')).ids).toEqual([id]);
  expect((await logbook.search('query=shutter')).ids).toEqual([id]);
  expect((await logbook.get(`/logs/${id}`)).body).toMatchObject({
    description: 'Point 1\n- motor: 1.5\n- shutter: true',
    run: { status: 'running', blocks: 1 },
  });
  const closed = await logbook.call(`/logs/${id}/close`, { method: 'POST', json: { status: 'failed', blocks: 1 } });
  expect(closed).toMatchObject({ status: 200, body: { version: 2, run: { status: 'failed' } } });
  expect((await logbook.search('query=is:running')).ids).toEqual([]);
  expect((await logbook.search('query=is:failed')).ids).toEqual([id]);
  expect((await append(id, 2, { text: 'late' })).body).toMatchObject({ code: 'run.closed' });
});

test('a block without content, such as one with a misspelt field, is refused', async () => {
  const id = await open('Scan 1b');
  for (const block of [{}, { source: 'Point 1' }, { text: ' \n', values: [] }]) {
    expect(await append(id, 1, block)).toMatchObject({ status: 400, body: { code: 'run.empty-block' } });
  }
  expect((await logbook.get(`/logs/${id}`)).body.run).toMatchObject({ blocks: 0 });
});

test('a code block that the text of a run leaves open ends before the first block', async () => {
  const { id } = await logbook.create({ title: 'Scan 1c', source: '```\ncode' }, '?run=true');
  await append(id, 1, { text: '```\nmore' });
  await append(id, 2, { text: '*Point*' });
  const source = '```\ncode\n```\n\n```\nmore\n```\n\n*Point*';
  expect((await logbook.get(`/logs/${id}`)).body).toMatchObject({ source, description: 'code\nmore\nPoint' });
  expect((await logbook.create({ title: 'No run', source: '```\ncode' })).source).toBe('```\ncode');
});

test('files of a block become attachments, once', async () => {
  const id = await open('Scan 2');
  const send = (content: string) => {
    const form = new FormData();
    form.append('logEntry', JSON.stringify({ text: 'A plot' }));
    form.append('files', new Blob([content]), 'plot.txt');
    return logbook.call(`/logs/${id}/blocks/1/multipart`, { method: 'PUT', body: form });
  };
  expect(await send('a')).toMatchObject({ status: 200, body: { isRepeated: false } });
  expect(await send('a')).toMatchObject({ status: 200, body: { isRepeated: true } });
  expect(await send('b')).toMatchObject({ status: 409, body: { code: 'run.block-taken', nextSequence: 2 } });
  const { body } = await logbook.get(`/logs/${id}`);
  expect(body.attachments).toMatchObject([{ filename: 'plot.txt', size: 1 }]);
  expect((await logbook.get(`/attachment/${body.attachments[0].id}`)).text).toBe('a');
});

test('files keep the order in which they were sent, whichever is stored first', async () => {
  const id = await open('Scan with files');
  const send = () => {
    const form = new FormData();
    form.append('logEntry', JSON.stringify({ text: 'Files' }));
    form.append('files', new Blob([new Uint8Array(8_000_000)]), 'large.bin');
    for (const name of ['c.txt', 'a.txt', 'b.txt']) form.append('files', new Blob([name]), name);
    return logbook.call(`/logs/${id}/blocks/1/multipart`, { method: 'PUT', body: form });
  };
  expect(await send()).toMatchObject({ status: 200, body: { isRepeated: false } });
  expect(await send()).toMatchObject({ status: 200, body: { isRepeated: true } });
  const { body } = await logbook.get(`/logs/${id}`);
  const names = body.attachments.map(({ filename }: { filename: string }) => filename);
  expect(names).toEqual(['large.bin', 'c.txt', 'a.txt', 'b.txt']);
});

test('an edit with the tag of an earlier block is refused; an edit without one keeps the run and its blocks', async () => {
  const id = await open('Scan 3');
  const { headers } = await logbook.get(`/logs/${id}`);
  await append(id, 1, { text: 'one' });
  const entry = { title: 'Scan 3b', source: 'corrected', logbooks: [{ name: 'operations' }] };
  const stale = { headers: { 'if-match': headers.get('etag') ?? '' } };
  expect((await logbook.post(`/logs/${id}`, entry, stale)).status).toBe(412);
  expect((await logbook.post(`/logs/${id}`, entry)).status).toBe(200);
  await append(id, 2, { text: 'two' });
  const { body } = await logbook.get(`/logs/${id}`);
  expect(body).toMatchObject({ source: 'corrected\n\none\n\ntwo', run: { blocks: 2 } });
  expect((await logbook.get(`/logs/${id}/versions/1`)).body.source).toBe('one');
  const current = { headers: { 'if-match': `"${(await append(id, 3, { text: 'three' })).body.revision}"` } };
  expect((await logbook.post(`/logs/${id}`, entry, current)).body).toMatchObject({ source: 'corrected' });
});

test('files of blocks that an editor has not seen stay in the entry', async () => {
  const id = await open('Scan 3c');
  const send = (sequence: number) => {
    const form = new FormData();
    form.append('logEntry', JSON.stringify({ text: `Plot of point ${sequence}` }));
    form.append('files', new Blob(['x']), `${sequence}.txt`);
    return logbook.call(`/logs/${id}/blocks/${sequence}/multipart`, { method: 'PUT', body: form });
  };
  const names = async () => {
    const { body } = await logbook.get(`/logs/${id}`);
    return body.attachments.map(({ filename }: { filename: string }) => filename);
  };
  const edit = (entry: object) => {
    const form = new FormData();
    form.append('logEntry', new Blob([JSON.stringify(entry)], { type: 'application/json' }));
    return logbook.call('/logs/multipart', { method: 'POST', body: form });
  };
  await send(1);
  await send(2);
  const { body: read } = await logbook.get(`/logs/${id}`);
  await send(3);
  expect((await edit({ ...read, attachments: read.attachments.slice(1) })).status).toBe(200);
  expect(await names()).toEqual(['2.txt', '3.txt']);
  await send(4);
  expect((await edit({ ...read, attachments: [] })).status).toBe(200);
  expect(await names()).toEqual(['4.txt']);
});

test('a run without appends counts as abandoned, and an append continues it', async () => {
  const impatient = await TestService.start({ runTimeout: '1s' });
  try {
    const { id } = await impatient.create({ title: 'Scan 4' }, '?run=true');
    const read = async () => (await impatient.get(`/logs/${id}`)).body;
    await expect.poll(read, { timeout: 120_000 }).toMatchObject({ version: 1, run: { status: 'abandoned' } });
    expect((await impatient.search('query=is:abandoned')).ids).toEqual([id]);
    const json = { text: 'back again' };
    expect((await impatient.call(`/logs/${id}/blocks/1`, { method: 'PUT', json })).status).toBe(200);
    expect((await read()).run).toMatchObject({ blocks: 1 });
  } finally {
    await impatient.stop();
  }
});

test('a run that was created while the clock was ahead counts as abandoned', async () => {
  const impatient = await TestService.start({ runTimeout: '1s' });
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 400 * 86_400_000 });
  try {
    const { id } = await impatient.create({ title: 'Scan 5' }, '?run=true');
    vi.useRealTimers();
    await expect
      .poll(async () => (await impatient.get(`/logs/${id}`)).body, { timeout: 120_000 })
      .toMatchObject({ run: { status: 'abandoned' } });
  } finally {
    vi.useRealTimers();
    await impatient.stop();
  }
});

test('entries of a token for automatic entries are marked and found', async () => {
  const json = { name: 'archiver', rights: ['entries'], isAutomatic: true };
  const { token, ...view } = (await logbook.call('/tokens', { method: 'POST', json })).body;
  expect(view).toMatchObject({ isAutomatic: true });
  const entry = { title: 'Automatic', logbooks: [{ name: 'operations' }], automatic: false };
  const headers = { authorization: `Bearer ${token}` };
  const { body } = await call(`${logbook.base}/logs`, { method: 'PUT', json: entry, headers });
  expect(body).toMatchObject({ automatic: true });
  expect((await logbook.search('query=is:automatic')).ids).toEqual([body.id]);
  expect((await logbook.search('query=Automatic')).ids).toEqual([body.id]);
});
