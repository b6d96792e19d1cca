import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { rawPart, rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { call, entryForm, TestService } from '../fixtures/service.js';

/** Requests that desktop, web and script clients send, and responses that they need, as observed on the wire. */
describe('existing clients', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  describe('a whole entry posted back after one change', () => {
    const edit = async (entry: Entry, change: object, query = '') => {
      const answer = await logbook.post(`/logs/${entry.id}${query}`, { ...entry, ...change });
      expect(answer.status, answer.text).toBe(200);
      return [answer.body.source, answer.body.description];
    };
    const create = () => logbook.create({ source: 'It **tripped**.' });

    test('a new description next to the stored source is the new text', async () => {
      expect(await edit(await create(), { description: 'It *recovered*.' })).toEqual([
        'It *recovered*.',
        'It recovered.',
      ]);
      expect(await edit(await create(), { description: '*as is*' }, '?markup=none')).toEqual(['*as is*', '*as is*']);
      expect(await edit(await create(), { description: '' })).toEqual(['', '']);
    });

    test('the same by a form', async () => {
      const entry = await create();
      const form = entryForm({ ...entry, description: 'new' }, []);
      const answer = await logbook.call('/logs/multipart', { method: 'POST', body: form });
      expect(answer).toMatchObject({ status: 200, body: { source: 'new', description: 'new' } });
    });

    test('a new source wins over a description, new or not', async () => {
      expect(await edit(await create(), { source: 'A *new* one.' })).toEqual(['A *new* one.', 'A new one.']);
      expect(await edit(await create(), { source: 'A', description: 'B' })).toEqual(['A', 'A']);
    });

    test('unchanged, or without a description, the text stays', async () => {
      for (const change of [{}, { description: null }, { description: undefined }])
        expect(await edit(await create(), change)).toEqual(['It **tripped**.', 'It tripped.']);
    });
  });

  describe('values of properties', () => {
    const store = async (value: unknown) => {
      const properties = [{ name: 'resource', attributes: [{ name: 'name', value }] }];
      return logbook.put('/logs', { title: 'x', logbooks: [{ name: 'operations' }], properties });
    };

    test.each([
      [1, '1'],
      [-1.5, '-1.5'],
      [true, 'true'],
      [false, 'false'],
      ['text', 'text'],
      ['', ''],
      [null, null],
    ])('%j is stored as %j, also when it is sent back', async (value, stored) => {
      const { body } = await store(value);
      const expected = [{ name: 'name', value: stored, state: 'Active' }];
      expect(body.properties[0].attributes).toEqual(expected);
      expect((await logbook.post(`/logs/${body.id}`, body)).body.properties[0].attributes).toEqual(expected);
    });

    test('a number is found by its text', async () => {
      const { body } = await store(271828);
      expect((await logbook.search('properties=resource.name.271828')).ids).toEqual([body.id]);
    });

    test('400 request.inexact-number: a number that would be rounded is not stored', async () => {
      expect((await store(2 ** 64)).body.code).toBe('request.inexact-number');
    });

    test.each([[[]], [{}]])('400: %j is no value', async (value) => {
      expect((await store(value)).body.code).toBe('request.invalid');
    });
  });

  test('412 with the current version: its ETag and the entry', async () => {
    const entry = await logbook.create();
    await logbook.post(`/logs/${entry.id}`, { ...entry, title: 'changed' });
    const present = await logbook.get(`/logs/${entry.id}`);
    const form = entryForm({ ...entry, id: entry.id }, []);
    const file = new FormData();
    file.append('file', new File(['x'], 'x.txt'));
    for (const [path, options] of [
      [`/logs/${entry.id}`, { json: entry }],
      ['/logs/multipart', { body: form }],
      [`/logs/attachments/${entry.id}`, { body: file }],
    ] as const) {
      const answer = await logbook.call(path, { method: 'POST', headers: { 'if-match': '"1"' }, ...options });
      expect(answer).toMatchObject({ status: 412, body: { code: 'entry.version-mismatch', current: present.body } });
      expect(answer.headers.get('etag')).toBe(present.headers.get('etag'));
    }
  });

  test.each(['', 'TRUE', ' true '])('notifyWsClients=%s notifies', async (value) => {
    await logbook.create({}, `?notifyWsClients=${encodeURIComponent(value)}`);
    const { feed } = logbook.service.storage.committed;
    expect((await feed.listAfter((await feed.newest()) - 1, 1))[0]).toMatchObject({ notify: true });
  });

  test('GET /level/{name} answers as its plural', async () => {
    for (const name of ['Info', 'nothing']) {
      const [one, many] = [await logbook.get(`/level/${name}`), await logbook.get(`/levels/${name}`)];
      expect(one.status).toBe(many.status);
      if (one.status === 200) expect(one.text).toBe(many.text);
    }
  });

  test.each(['SearchHelp', 'CommonmarkCheatsheet'])(
    'the page %s, below the root path too, in any language',
    async (page) => {
      const english = await call(`${logbook.origin}/${page}.html`, { as: null });
      expect(english.text).toMatch(/<html lang="en"/);
      for (const base of [logbook.origin, logbook.base]) {
        for (const name of [page, `${page}_en`, `${page}_EN`, `${page}_de`, `${page}_fr-CA`]) {
          const answer = await call(`${base}/${name}.html`, { as: null });
          expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([
            200,
            'text/html; charset=utf-8',
            english.text,
          ]);
        }
      }
    },
  );

  test('the help pages are open where reading needs sign-in', async () => {
    const closed = await TestService.start({ requireSignInForReads: 'true' });
    try {
      expect((await closed.get('/tags', { as: null })).status).toBe(401);
      expect((await closed.get('/SearchHelp_en.html', { as: null })).status).toBe(200);
    } finally {
      await closed.stop();
    }
  });

  test('/favicon.ico is an icon', async () => {
    const answer = await call(`${logbook.origin}/favicon.ico`, { as: null });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/x-icon']);
  });

  test.each([
    [
      'a browser',
      ['Content-Disposition: form-data; name="files"; filename=""', 'Content-Type: application/octet-stream'],
    ],
    ['a page that explores the interface', ['Content-Disposition: form-data; name="files"']],
  ])('200: a form without a chosen file, as %s sends it', async (_sender, head) => {
    const boundary = 'b';
    const entry = JSON.stringify({ title: 'x', logbooks: [{ name: 'operations' }] });
    const body = Buffer.concat([
      rawPart(boundary, ['Content-Disposition: form-data; name="logEntry"', 'Content-Type: application/json'], entry),
      rawPart(boundary, head, ''),
      Buffer.from(`--${boundary}--\r\n`),
    ]);
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(body.length),
    };
    const answer = await sendRaw(logbook.origin, [rawRequest('PUT', '/logbook/logs/multipart', headers, body)]);
    expect([answer.status, JSON.parse(answer.text).attachments]).toEqual([200, []]);
  });
});
