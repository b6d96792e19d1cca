import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Answer, type CallOptions, TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({ maxFileSize: '1MB', maxDraftFilesSize: '3MB' });
});
afterAll(() => logbook.stop());

const admin = { as: 'admin:adminPass' };
const remove = (path: string, options: CallOptions = {}) => logbook.call(path, { method: 'DELETE', ...options });
const etagOf = (answer: Answer) => answer.headers.get('etag') ?? '';
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

async function newDraft(content: unknown = { title: 'A draft' }, options: CallOptions = {}): Promise<string> {
  const id = randomUUID();
  const answer = await logbook.put(`/drafts/${id}`, content, options);
  expect(answer.status, answer.text).toBe(200);
  return id;
}

/** Sends a whole file, or a part of one. */
function sendFile(
  draft: string,
  id: string,
  content: Uint8Array,
  { filename = `${id}.txt`, range, ...options }: CallOptions & { filename?: string; range?: string } = {},
): Promise<Answer> {
  const headers = { ...(range && { 'content-range': `bytes ${range}` }), 'content-type': 'application/octet-stream' };
  const path = `/drafts/${draft}/attachments/${id}?filename=${encodeURIComponent(filename)}`;
  return logbook.call(path, { method: 'PUT', body: content as NonNullable<CallOptions['body']>, headers, ...options });
}

const entry = { title: 'Submitted', logbooks: [{ name: 'operations' }] };

describe('a request that names its user', () => {
  const expecting = (userName: string) => ({ headers: { 'x-logbook-expected-user': encodeURIComponent(userName) } });

  test('is performed for this user', async () => {
    const id = await newDraft({ title: 'Mine' }, { ...admin, ...expecting('admin') });
    expect((await remove(`/drafts/${id}`, { ...admin, ...expecting('admin') })).status).toBe(200);
  });

  test('401 auth.other-user with the credentials of another: nothing is stored, and nothing is shown', async () => {
    const id = randomUUID();
    const options = { ...admin, ...expecting('jürgen') };
    const answers = [
      await logbook.put(`/drafts/${id}`, { title: 'Private' }, options),
      await sendFile(id, 'file', Buffer.from('x'), options),
      await logbook.get('/drafts', options),
      await logbook.put('/logs', entry, options),
      await logbook.put('/me/settings', { theme: 'dark' }, options),
    ];
    for (const { status, body } of answers)
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'auth.other-user' });
    expect((await logbook.get(`/drafts/${id}`, admin)).status).toBe(404);
    expect((await logbook.get('/me/settings', admin)).body).not.toMatchObject({ theme: 'dark' });
  });
});

describe('the content of a draft', () => {
  test('is any JSON, returned as it was sent, and 304 with its tag', async () => {
    for (const content of [{ title: 'x', nested: [1, { a: null }] }, null, 'text', [], 0]) {
      const id = await newDraft(content);
      const { text, headers } = await logbook.get(`/drafts/${id}`);
      expect(JSON.parse(text)).toEqual(content);
      const etag = headers.get('etag') ?? '';
      expect((await logbook.get(`/drafts/${id}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
      await remove(`/drafts/${id}`);
    }
  });

  test('412 draft.revision-mismatch with the current content and its tag', async () => {
    const id = randomUUID();
    const first = await logbook.put(`/drafts/${id}`, { n: 1 });
    const second = await logbook.put(`/drafts/${id}`, { n: 2 }, { headers: { 'if-match': etagOf(first) } });
    expect(second.status).toBe(200);
    for (const method of ['PUT', 'DELETE']) {
      const json = method === 'PUT' ? { n: 3 } : undefined;
      const stale = await logbook.call(`/drafts/${id}`, { method, json, headers: { 'if-match': etagOf(first) } });
      expect(stale.status).toBe(412);
      expect(stale.body).toMatchObject({ code: 'draft.revision-mismatch', current: { n: 2 } });
      expect(etagOf(stale)).toBe(etagOf(second));
    }
    const exists = await logbook.put(`/drafts/${id}`, { n: 3 }, { headers: { 'if-none-match': '*' } });
    expect(exists.status).toBe(412);
    expect((await remove(`/drafts/${id}`, { headers: { 'if-match': etagOf(second) } })).status).toBe(200);
    const gone = await logbook.put(`/drafts/${id}`, { n: 4 }, { headers: { 'if-match': etagOf(second) } });
    expect(gone.body).toMatchObject({ status: 412, current: null });
    expect((await logbook.get(`/drafts/${id}`)).status).toBe(404);
  });

  test('another user, and a reader who is not signed in, see none of it', async () => {
    const id = await newDraft({ title: 'mine' });
    await sendFile(id, 'f', Buffer.from('secret'));
    const path = `/drafts/${id}`;
    for (const address of [path, `${path}/attachments`, `${path}/attachments/f`, `${path}/attachments/f/content`]) {
      expect((await logbook.get(address, admin)).status, address).toBe(404);
      expect((await logbook.get(address, { as: null })).status, address).toBe(401);
    }
    expect((await remove(path, admin)).status).toBe(404);
    expect((await remove(`${path}/attachments/f`, admin)).status).toBe(404);
    expect((await sendFile(id, 'f', Buffer.from('x'), admin)).body.code).toBe('draft.not-found');
    expect((await logbook.put(`/logs?draft=${id}`, entry, admin)).body.code).toBe('draft.not-found');
    expect((await logbook.get('/drafts', admin)).body).toEqual([]);
    // The same id is free for others, and changes nothing here.
    await logbook.put(path, { title: 'theirs' }, admin);
    expect((await logbook.get(path)).body).toEqual({ title: 'mine' });
    await remove(path, admin);
    expect((await logbook.get(`${path}/attachments/f/content`)).text).toBe('secret');
    await remove(path);
  });

  test('a token may read and write drafts only with the right to write entries', async () => {
    const path = `/drafts/${await newDraft({ title: 'mine' })}`;
    const tokenOf = async (rights: string[]) => {
      const { body } = await logbook.post('/tokens', { name: 'x', rights });
      return { as: null, headers: { authorization: `Bearer ${body.token}` } };
    };
    const reader = await tokenOf(['templates', 'tags']);
    for (const one of ['/drafts', path, `${path}/attachments`]) {
      expect((await logbook.get(one, reader)).body).toMatchObject({ status: 403, code: 'auth.right-missing' });
    }
    expect((await logbook.put(path, 1, reader)).body.code).toBe('auth.right-missing');
    expect((await logbook.get(path, await tokenOf(['entries']))).body).toEqual({ title: 'mine' });
    await remove(path);
  });

  test('400 for an id that is not a UUID and for an empty body, 413 for a long one', async () => {
    expect((await logbook.put('/drafts/mine', 1)).status).toBe(400);
    const path = `/drafts/${randomUUID()}`;
    const empty = await logbook.call(path, { method: 'PUT', headers: { 'content-type': 'application/json' } });
    expect(empty.body.code).toBe('draft.empty');
    expect((await logbook.put(path, 'x'.repeat(1_048_577))).status).toBe(413);
  });

  test('409 draft.too-many-drafts beyond 100 of one user; changes of those stay possible', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, (_, n) => newDraft({ title: `${n}` }, admin)));
    const refused = await logbook.put(`/drafts/${randomUUID()}`, 1, admin);
    expect(refused.body).toMatchObject({ status: 409, code: 'draft.too-many-drafts' });
    expect(refused.body.message).toContain('100 drafts');
    expect((await logbook.put(`/drafts/${ids[0]}`, { title: 'changed' }, admin)).status).toBe(200);
    const listed = (await logbook.get('/drafts', admin)).body;
    expect(listed).toHaveLength(100);
    expect(listed[0]).toMatchObject({ id: ids[0], title: 'changed', attachments: 0 });
    expect(listed[0].expiresDate - listed[0].modifiedDate).toBe(90 * 86_400_000);
    for (const id of ids) await remove(`/drafts/${id}`, admin);
  });
});

describe('the files of a draft', () => {
  test('an empty one has the type of its name, as in a form', async () => {
    const id = await newDraft(entry);
    const { status, body } = await sendFile(id, 'empty', Buffer.alloc(0), { filename: 'a.txt' });
    expect([status, body.complete, body.contentType]).toEqual([200, true, 'text/plain']);
    await remove(`/drafts/${id}`);
  });

  test('arrive whole, or in parts that are resumed after what has arrived', async () => {
    const id = await newDraft();
    const whole = await sendFile(id, 'whole', Buffer.from('all of it'));
    expect(whole.status).toBe(200);
    expect(whole.body).toMatchObject({ complete: true, size: 9, received: 9, contentType: 'text/plain' });

    const content = randomBytes(100_000);
    const part = (start: number, end: number) =>
      sendFile(id, 'parts', content.subarray(start, end + 1), { range: `${start}-${end}/100000` });
    expect((await part(0, 39_999)).status).toBe(202);
    const state = await logbook.call(`/drafts/${id}/attachments/parts`, { method: 'HEAD' });
    expect(state.headers.get('range')).toBe('bytes=0-39999');
    for (const [start, end] of [
      [0, 1],
      [50_000, 99_999],
      [39_999, 50_000],
    ] as const) {
      if (start === 0) continue;
      const wrong = await part(start, end);
      expect(wrong.body).toMatchObject({ status: 409, code: 'draft.wrong-position', received: 40_000, size: 100_000 });
    }
    expect((await part(40_000, 60_000)).body).toMatchObject({ received: 60_001, complete: false });
    const last = await part(60_001, 99_999);
    expect(last.status).toBe(200);
    expect(last.body).toMatchObject({ complete: true, checksum: sha256(content) });
    expect((await logbook.get(`/drafts/${id}/attachments`)).body).toEqual([whole.body, last.body]);
    await remove(`/drafts/${id}`);
  });

  test('a part at 0 restarts the upload; an incomplete file cannot be read or submitted', async () => {
    const id = await newDraft();
    await sendFile(id, 'f', Buffer.from('abc'), { range: '0-2/6' });
    expect((await logbook.get(`/drafts/${id}/attachments/f/content`)).status).toBe(404);
    const refused = await logbook.put(`/logs?draft=${id}`, entry);
    expect(refused.body).toMatchObject({ status: 409, code: 'draft.file-incomplete' });
    expect((await logbook.get(`/drafts/${id}`)).status).toBe(200);
    expect((await sendFile(id, 'f', Buffer.from('xy'), { range: '0-1/2' })).status).toBe(200);
    expect((await logbook.get(`/drafts/${id}/attachments/f/content`)).text).toBe('xy');
    await remove(`/drafts/${id}`);
  });

  test('a part that is cut off leaves what had arrived before', async () => {
    const id = await newDraft();
    await sendFile(id, 'f', Buffer.from('abc'), { range: '0-2/6' });
    const abort = new AbortController();
    const body = new ReadableStream({
      pull(stream) {
        stream.enqueue(Buffer.from('d'));
        setTimeout(() => abort.abort(), 50);
        return new Promise(() => undefined);
      },
    });
    const sent = fetch(`${logbook.base}/drafts/${id}/attachments/f`, {
      method: 'PUT',
      body,
      duplex: 'half',
      signal: abort.signal,
      headers: { authorization: `Basic ${btoa('user:userPass')}`, 'content-range': 'bytes 3-5/6' },
    } as RequestInit);
    await expect(sent).rejects.toThrow();
    expect((await logbook.get(`/drafts/${id}/attachments/f`)).body.received).toBe(3);
    expect((await sendFile(id, 'f', Buffer.from('def'), { range: '3-5/6' })).status).toBe(200);
    await remove(`/drafts/${id}`);
  });

  test('400 for a malformed range, a body of another length, a missing or bad name, and HEIC', async () => {
    const id = await newDraft();
    const content = Buffer.from('abc');
    for (const range of ['0-2', '2-1/3', '0-3/3', 'x']) {
      expect((await sendFile(id, 'f', content, { range })).body.code, range).toBe('draft.bad-range');
    }
    expect((await sendFile(id, 'f', content, { range: '0-1/6' })).body.code).toBe('draft.bad-range');
    expect((await sendFile(id, 'f', content, { filename: '' })).body.code).toBe('draft.file-unnamed');
    expect((await sendFile(id, 'f', content, { filename: '../x' })).body.code).toBe('attachment.bad-filename');
    const heic = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypheic\0\0\0\0mif1heic')]);
    expect((await sendFile(id, 'f', heic)).body.code).toBe('attachment.heic');
    expect((await logbook.get(`/drafts/${id}/attachments`)).body).toEqual([]);
    await remove(`/drafts/${id}`);
  });

  test('400 attachment.heic once a second part shows the type; the first part is kept, and an AVIF is accepted', async () => {
    const id = await newDraft();
    const image = (brand: string) => {
      const head = Buffer.from(`\0\0\0\x18ftypmif1\0\0\0\0mif1${brand}`, 'latin1');
      return Buffer.concat([head, randomBytes(100_000)]);
    };
    for (const [brand, status, received] of [
      ['heic', 400, 4],
      ['avif', 202, 70_000],
    ] as const) {
      const content = image(brand);
      const part = (start: number, end: number) =>
        sendFile(id, brand, content.subarray(start, end), { range: `${start}-${end - 1}/${content.length}` });
      expect((await part(0, 4)).status).toBe(202);
      expect((await part(4, 70_000)).status).toBe(status);
      expect((await logbook.get(`/drafts/${id}/attachments/${brand}`)).body).toMatchObject({
        received,
        complete: false,
      });
      if (status === 202)
        expect((await part(70_000, content.length)).body).toMatchObject({ contentType: 'image/avif' });
    }
    await remove(`/drafts/${id}`);
  });

  test('413 beyond maxFileSize, announced or not, and 409 beyond maxDraftFilesSize', async () => {
    const id = await newDraft();
    const long = await sendFile(id, 'f', Buffer.from('a'), { range: '0-0/1048577' });
    expect(long.body).toMatchObject({ status: 413, code: 'attachment.too-large' });
    expect((await sendFile(id, 'f', Buffer.alloc(1_048_577))).status).toBe(413);
    const other = await newDraft();
    for (const [draft, file] of [
      [id, 'a'],
      [id, 'b'],
      [other, 'c'],
    ] as const) {
      expect((await sendFile(draft, file, Buffer.from('a'), { range: '0-0/1048576' })).status).toBe(202);
    }
    const refused = await sendFile(other, 'd', Buffer.from('a'));
    expect(refused.body).toMatchObject({ status: 409, code: 'draft.files-too-large' });
    expect((await sendFile(other, 'e', Buffer.from('a'), admin)).body.code).toBe('draft.not-found');
    await remove(`/drafts/${id}`);
    await remove(`/drafts/${other}`);
  });
});

describe('submitting a draft', () => {
  test('attaches its files in the same step and removes it, as JSON and as a form', async () => {
    const id = await newDraft();
    await sendFile(id, 'plot-1', Buffer.from('one'), { filename: 'plot.txt' });
    await sendFile(id, 'plot-2', Buffer.from('two'), { filename: 'other.txt' });
    const attachments = [{ id: 'plot-2', filename: 'renamed.txt', fileMetadataDescription: 'the plot' }];
    const created = await logbook.put(`/logs?draft=${id}`, { ...entry, attachments });
    expect(created.status, created.text).toBe(200);
    expect(created.body.attachments).toMatchObject([
      { id: 'plot-2', filename: 'renamed.txt', fileMetadataDescription: 'the plot', size: 3 },
      {
        id: 'plot-1',
        filename: 'plot.txt',
        fileMetadataDescription: 'text/plain',
        checksum: sha256(Buffer.from('one')),
      },
    ]);
    expect((await logbook.get('/attachment/plot-2')).text).toBe('two');
    expect((await logbook.get(`/drafts/${id}`)).status).toBe(404);

    const second = await newDraft();
    await sendFile(second, 'third', Buffer.from('three'));
    const edited = await logbook.post(`/logs/${created.body.id}?draft=${second}`, entry);
    expect(edited.body.attachments.map(({ id }: { id: string }) => id)).toEqual(['plot-2', 'plot-1', 'third']);

    const third = await newDraft();
    await sendFile(third, 'of-draft', Buffer.from('four'));
    const listed = { ...entry, attachments: [{ filename: 'sent.txt' }, { id: 'of-draft' }] };
    const form = await logbook.sendForm('PUT', listed, [{ name: 'sent.txt', content: 'five' }], `?draft=${third}`);
    expect(form.body.attachments).toMatchObject([{ filename: 'sent.txt' }, { id: 'of-draft' }]);
    const fourth = await newDraft();
    await sendFile(fourth, 'added', Buffer.from('six'));
    const update = { ...entry, id: form.body.id, attachments: [{ id: 'added' }, { id: 'of-draft' }] };
    const updated = await logbook.sendForm('POST', update, [], `?draft=${fourth}`);
    expect(updated.body.attachments.map(({ id }: { id: string }) => id)).toEqual(['added', 'of-draft']);
  });

  test('the first result again with the same Idempotency-Key; 404 without one', async () => {
    const id = await newDraft();
    await sendFile(id, randomUUID(), Buffer.from('x'));
    const headers = { 'idempotency-key': randomUUID() };
    const first = await logbook.put(`/logs?draft=${id}`, entry, { headers });
    const again = await logbook.put(`/logs?draft=${id}`, entry, { headers });
    expect(again.body).toEqual(first.body);
    expect(first.body.attachments).toHaveLength(1);
    expect((await logbook.put(`/logs?draft=${id}`, entry)).body.code).toBe('draft.not-found');
  });

  test('a refused entry leaves the draft and its files, even if another entry took the id of a file', async () => {
    const id = await newDraft();
    await sendFile(id, 'wanted', Buffer.from('mine'));
    expect((await logbook.put(`/logs?draft=${id}`, { ...entry, logbooks: [] })).status).toBe(400);
    // Another user cannot use the file of the draft, but can use its id.
    const theft = await logbook.sendForm('PUT', { ...entry, attachments: [{ id: 'wanted' }] }, []);
    expect(theft.body.code).toBe('attachment.file-missing');
    const taken = { ...entry, attachments: [{ id: 'wanted', filename: 'a.txt' }] };
    const made = await logbook.sendForm('PUT', taken, [{ name: 'a.txt', content: 'theirs' }]);
    expect(made.status).toBe(200);
    for (const attachments of [undefined, [{ id: 'wanted' }]]) {
      const refused = await logbook.put(`/logs?draft=${id}`, { ...entry, attachments });
      expect(refused.body).toMatchObject({ status: 409, code: 'attachment.id-taken' });
      const edit = await logbook.post(`/logs/${made.body.id}?draft=${id}`, { ...entry, attachments });
      expect(edit.body).toMatchObject({ status: 409, code: 'attachment.id-taken' });
    }
    expect((await logbook.get(`/drafts/${id}/attachments/wanted/content`)).text).toBe('mine');
    expect((await logbook.get('/attachment/wanted')).text).toBe('theirs');
    await remove(`/drafts/${id}`);
  });

  test('changes of drafts are not in the audit log, their submission is', async () => {
    const id = await newDraft();
    await logbook.put(`/logs?draft=${id}`, entry);
    const actions = async (): Promise<string[]> =>
      (await logbook.get('/audit?limit=20', admin)).body.map(({ action }: { action: string }) => action);
    // Another node may be asked, which has the records a moment later.
    await expect.poll(actions).toContain('PUT /logs');
    expect((await actions()).filter((action) => action.includes('draft'))).toEqual([]);
  });
});
