import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Role } from '../../src/auth/principal.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { type Answer, type CallOptions, entryForm, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

const entry = { title: 'x', logbooks: [{ name: 'operations' }] };

describe('logbooks that are closed', () => {
  let logbook: TestService;
  let dir: string;
  const sessions: Record<string, CallOptions> = {};
  beforeAll(async () => {
    dir = await makeTempDir();
    const file = join(dir, 'access.properties');
    await writeFile(
      file,
      'Safety.read = Safety Team, user:jane\nSafety.write = Safety Team\noperations.write = signed-in\n',
    );
    logbook = await TestService.start({ logbookAccessFile: file });
    for (const name of ['Safety', 'Open']) {
      await logbook.put(`/logbooks/${name}`, { name, owner: 'x' }, { as: 'admin:adminPass' });
    }
    const as = async (userName: string, roles: Role[], groups: string[]): Promise<CallOptions> => ({
      as: null,
      headers: { cookie: await sessionOf(logbook, principal(userName, roles, groups)) },
    });
    sessions.member = await as('mia', ['USER'], ['safety team']);
    sessions.jane = await as('jane', ['USER'], []);
    sessions.other = await as('otto', ['USER'], ['Other Team']);
    sessions.admin = await as('boss', ['ADMIN'], []);
    sessions.nobody = { as: null };
  });
  afterAll(async () => {
    await logbook.stop();
    await rm(dir, { recursive: true });
  });

  const open = (who: string, position?: string, query = '') =>
    ChangeReader.open(logbook.base, { query, headers: sessions[who]?.headers ?? {}, ...(position && { position }) });
  const inBooks = (...names: string[]) => ({ logbooks: names.map((name) => ({ name })) });
  const insiders = ['member', 'jane', 'admin'];
  const outsiders = ['other', 'nobody'];

  test('administrators can read who may read and write', async () => {
    const { body } = await logbook.get('/access-rules', sessions.admin);
    expect(body).toMatchObject({ permissions: 'signed-in', readsRequireSignIn: false });
    expect(body.logbooks).toContainEqual({
      name: 'safety',
      read: ['Safety Team', 'user:jane'],
      write: ['Safety Team'],
    });
    expect(body.logbooks).toContainEqual({ name: 'operations', read: null, write: ['signed-in'] });
    expect((await logbook.get('/access-rules', sessions.member)).status).toBe(403);
  });

  test('entries in them are visible only to those who may read them, wherever one looks', async () => {
    const secret = { title: 'secretword', description: 'hushhush', ...inBooks('Open', 'safety'.replace('s', 'S')) };
    const body = new FormData();
    body.append(
      'logEntry',
      new Blob([JSON.stringify({ ...secret, attachments: [{ id: 'hidden-file', filename: 'secret.txt' }] })], {
        type: 'application/json',
      }),
    );
    body.append('files', new File(['xyzzywords'], 'secret.txt'), 'secret.txt');
    const made = await logbook.call('/logs/multipart', { method: 'PUT', body, ...sessions.member });
    expect(made.status, made.text).toBe(200);
    const { id } = made.body;
    const edited = await logbook.post(`/logs/${id}`, { ...secret, description: 'again' }, sessions.member);
    expect(edited.status, edited.text).toBe(200);

    const look = async (options: CallOptions = {}) => {
      const status = async (path: string) => (await logbook.get(path, options)).status;
      const search = await logbook.get('/logs/search?query=secretword', options);
      const explained = await logbook.get('/logs/search?query=secretwor*&explain=true', options);
      const facets = await logbook.get('/logs/facets?owner=mia', options);
      return {
        entry: await status(`/logs/${id}`),
        archive: await status(`/logs/archived/${id}`),
        byName: await status(`/logs/attachments/${id}/secret.txt`),
        byId: await status('/attachment/hidden-file'),
        hits: search.body.hitCount,
        list: (await logbook.get('/logs?title=secretword', options)).body.length,
        feed: (await logbook.get('/logs/rss?title=secretword', options)).text.includes('<item>'),
        counted: facets.body.hitCount,
        explained: JSON.stringify(explained.body).includes('secretword'),
      };
    };
    const all = { entry: 200, archive: 200, byName: 200, byId: 200, hits: 1, list: 1, feed: true, counted: 1 };
    const none = { entry: 404, archive: 404, byName: 404, byId: 404, hits: 0, list: 0, feed: false, counted: 0 };
    for (const name of insiders) expect({ name, ...(await look(sessions[name])) }).toMatchObject({ name, ...all });
    for (const name of outsiders) {
      expect({ name, ...(await look(sessions[name])) }).toEqual({ name, ...none, explained: false });
    }
  });

  test('403 auth.logbook-closed without the right to write; without the right to read, no reply, grouping or other use', async () => {
    const closed = { title: 'x', ...inBooks('Safety') };
    for (const name of ['jane', 'other']) {
      expect(await logbook.put('/logs', closed, sessions[name])).toMatchObject({
        status: 403,
        body: { code: 'auth.logbook-closed' },
      });
    }
    const made = await logbook.put('/logs', closed, sessions.member);
    expect(made.status).toBe(200);
    const hidden = made.body.id;
    const own = (await logbook.create({}, '', sessions.other)).id;
    const other = sessions.other as CallOptions;
    expect((await logbook.put(`/logs?inReplyTo=${hidden}`, entry, other)).body.code).toBe('entry.unknown-parent');
    expect((await logbook.post('/logs/group', [own, hidden], other)).body.code).toBe('group.unknown-entry');
    expect((await logbook.post(`/logs/${hidden}`, entry, other)).body.code).toBe('entry.not-found');
    expect((await logbook.post(`/logs/${hidden}`, entry, sessions.jane)).body.code).toBe('auth.logbook-closed');
    expect((await logbook.post(`/logs/${own}`, closed, other)).body.code).toBe('auth.logbook-closed');
    const body = new FormData();
    body.append(
      'logEntry',
      new Blob([JSON.stringify({ ...entry, attachments: [{ id: 'hidden-file' }] })], { type: 'application/json' }),
    );
    const stolen = await logbook.call('/logs/multipart', { method: 'PUT', body, ...other });
    expect(stolen.body.code).toBe('attachment.file-missing');
  });

  test('every kind of request gets the same answer for a closed logbook as for one that does not exist', async () => {
    const form = () => {
      const body = new FormData();
      const attachments = [{ id: 'closed-file', filename: 'closed.txt' }];
      const closed = { title: 'closed', ...inBooks('Safety'), attachments };
      body.append('logEntry', new Blob([JSON.stringify(closed)], { type: 'application/json' }));
      body.append('files', new File(['x'], 'closed.txt'), 'closed.txt');
      return body;
    };
    const made = await logbook.call('/logs/multipart?run=true', { method: 'PUT', body: form(), ...sessions.member });
    expect(made.body.run).toMatchObject({ status: 'running' });
    const closedId = String(made.body.id);
    const edited = await logbook.post(`/logs/${closedId}`, { ...made.body, title: 'edited' }, sessions.member);
    expect(edited.status, edited.text).toBe(200);
    const [session] = (await logbook.get('/sessions', sessions.member)).body;
    const token = (await logbook.post('/tokens', { name: 'theirs', rights: [] }, sessions.member)).body;

    const own = (await logbook.create({}, '', sessions.other)).id;
    const update = (id: string) => {
      const body = new FormData();
      body.append('logEntry', new Blob([JSON.stringify({ id: Number(id), ...entry })], { type: 'application/json' }));
      return body;
    };
    const using = (id: string) => {
      const body = new FormData();
      const borrowed = { ...entry, attachments: [{ id }] };
      body.append('logEntry', new Blob([JSON.stringify(borrowed)], { type: 'application/json' }));
      return body;
    };
    const file = () => {
      const body = new FormData();
      body.append('file', new File(['x'], 'x.txt'), 'x.txt');
      return body;
    };
    const entryRequests: readonly ((id: string) => [path: string, options?: CallOptions])[] = [
      (id) => [`/logs/${id}`],
      (id) => [`/logs/${id}`, { method: 'HEAD' }],
      (id) => [`/logs/${id}`, { headers: { 'if-none-match': '*' } }],
      (id) => [`/logs/archived/${id}`],
      (id) => [`/logs/${id}/versions/1`],
      (id) => [`/logs/attachments/${id}/closed.txt`],
      (id) => [`/logs/attachments/${id}/unknown.txt`],
      (id) => [`/logs/${id}`, { method: 'POST', json: entry }],
      (id) => [`/logs/${id}`, { method: 'POST', json: { ...entry, title: '' } }],
      (id) => [`/logs/${id}`, { method: 'POST', json: { ...entry, ...inBooks('Nowhere') } }],
      (id) => [`/logs/${id}`, { method: 'POST', json: entry, headers: { 'if-match': '"7"' } }],
      (id) => ['/logs/multipart', { method: 'POST', body: update(id) }],
      (id) => [`/logs/attachments/${id}`, { method: 'POST', body: file() }],
      (id) => [`/logs?inReplyTo=${id}`, { method: 'PUT', json: entry }],
      (id) => ['/logs/group', { method: 'POST', json: [own, Number(id)] }],
      (id) => ['/logs/ungroup', { method: 'POST', json: [own, Number(id)] }],
      (id) => [`/logs/${id}/blocks/1`, { method: 'PUT', json: { text: 'x' } }],
      (id) => [`/logs/${id}/blocks/7`, { method: 'PUT', json: { text: 'x' } }],
      (id) => [`/logs/${id}/close`, { method: 'POST', json: { status: 'done' } }],
      (id) => [`/logs/${id}/similar`],
      (id) => [`/logs/${id}/snapshots/8a1b0a62-6f0a-4b7c-9d6e-0f5f0ef3c9a1`],
    ];
    const otherRequests: readonly [of: string, unknown: string, request: (id: string) => [string, CallOptions?]][] = [
      ['closed-file', 'other-file', (id) => [`/attachment/${id}`]],
      ['closed-file', 'other-file', (id) => [`/attachment/${id}`, { headers: { range: 'bytes=0-1' } }]],
      ['closed-file', 'other-file', (id) => ['/logs/multipart', { method: 'PUT', body: using(id) }]],
      [session.id, '0123456789abcdef', (id) => [`/sessions/${id}`, { method: 'DELETE' }]],
      [token.id, '0123456789abcdef', (id) => [`/tokens/${id}`, { method: 'DELETE' }]],
    ];
    const unknownId = String(9_000_000 + Number(closedId));
    const all = [
      ...entryRequests.map((request) => [closedId, unknownId, request] as const),
      ...otherRequests.map((one) => [...one] as const),
    ];
    for (const name of outsiders) {
      for (const [closed, unknown, request] of all) {
        const send = async (id: string) => {
          const [path, options] = request(id);
          const by = sessions[name] as CallOptions;
          const answer = await logbook.call(path, {
            ...by,
            ...options,
            headers: { ...by.headers, ...options?.headers },
          });
          const idAlone = new RegExp(`\\b${id}\\b`, 'g');
          const text = answer.text.replace(/"timestamp":\d+/, '').replace(idAlone, 'ID');
          return {
            name,
            request: `${options?.method ?? 'GET'} ${path.replace(id, 'ID')}`,
            status: answer.status,
            text,
          };
        };
        expect(await send(closed)).toEqual(await send(unknown));
      }
    }
  });

  test('403 auth.logbook-closed: only those who may write to a logbook change or delete it', async () => {
    const remove = (name: string, options: CallOptions | undefined) =>
      logbook.call(`/logbooks/${name}`, { method: 'DELETE', ...options });
    const replaced = { name: 'Safety', owner: 'otto' };
    for (const name of ['jane', 'other']) {
      const answers = [
        await remove('Safety', sessions[name]),
        await logbook.put('/logbooks/Safety', replaced, sessions[name]),
        await logbook.put('/logbooks', [{ name: 'New', owner: 'x' }, replaced], sessions[name]),
        // Rules apply to every spelling, so that no second logbook of the name can be opened.
        await logbook.put('/logbooks/SAFETY', { name: 'SAFETY', owner: 'x' }, sessions[name]),
      ];
      for (const answer of answers)
        expect(answer).toMatchObject({ status: 403, body: { code: 'auth.logbook-closed' } });
    }
    expect((await remove('Safety', sessions.nobody)).status).toBe(401);
    expect((await logbook.get('/logbooks/New')).status).toBe(404);
    expect((await logbook.get('/logbooks/Safety')).body).not.toMatchObject({ owner: 'otto' });
    expect((await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'mia' }, sessions.member)).status).toBe(200);
    expect((await remove('Safety', sessions.member)).status).toBe(200);
    expect((await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, sessions.admin)).status).toBe(200);
  });

  test('403 entry.stored-unreadable: a repeated request shows no entry that its sender may no longer read', async () => {
    const { headers } = sessions.other ?? {};
    const send = (path: string, method: string, json: unknown, key: string) =>
      logbook.call(path, { as: null, method, json, headers: { ...headers, 'idempotency-key': key } });
    const { id: other } = await logbook.create(entry);
    const requests = [['/logs?run=true', 'PUT', { ...entry, source: 'Started.' }, randomUUID()]] as unknown[];
    const repeat = async () => {
      const answers: Answer[] = [];
      for (const request of requests) answers.push(await send(...(request as Parameters<typeof send>)));
      return answers;
    };
    const [created] = await repeat();
    const { id } = created?.body ?? {};
    requests.push([`/logs/${id}`, 'POST', { ...entry, source: 'Edited.' }, randomUUID()]);
    requests.push(['/logs/group', 'POST', [id, other], randomUUID()]);
    expect((await repeat()).map(({ status }) => status)).toEqual([200, 200, 200]);
    const block = { method: 'PUT', json: { text: 'hushhush' }, ...sessions.admin };
    expect((await logbook.call(`/logs/${id}/blocks/1`, block)).status).toBe(200);
    expect((await repeat()).map(({ status }) => status)).toEqual([200, 200, 200]);
    await logbook.post(`/logs/${id}`, { ...entry, source: 'hushhush', ...inBooks('Safety') }, sessions.admin);
    const answers = await repeat();
    const refused = [403, 'entry.stored-unreadable'];
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual([refused, refused, refused]);
    expect(answers.map(({ text }) => text).join()).not.toContain('hushhush');
    expect((await logbook.get(`/logs/archived/${id}`, sessions.admin)).body.hitCount).toBe(2);
  });

  test('a version that was filed elsewhere stays there', async () => {
    const { id } = (await logbook.put('/logs', { title: 'moved', ...inBooks('Safety') }, sessions.member)).body;
    expect((await logbook.post(`/logs/${id}`, { title: 'public', ...inBooks('Open') }, sessions.member)).status).toBe(
      200,
    );
    expect((await logbook.get(`/logs/${id}`, sessions.nobody)).body.title).toBe('public');
    expect((await logbook.get(`/logs/archived/${id}`, sessions.nobody)).body).toEqual({ hitCount: 0, logs: [] });
    expect((await logbook.get(`/logs/archived/${id}`, sessions.member)).body.hitCount).toBe(1);
  });

  test('templates of a closed logbook are visible only to those who may read it', async () => {
    const made = await logbook.put(
      '/templates',
      { id: 't1', title: 'hidden template', ...inBooks('Safety') },
      sessions.member,
    );
    expect(made.status, made.text).toBe(200);
    for (const [name, status] of [
      ['member', 200],
      ['other', 404],
      ['nobody', 404],
    ] as const) {
      expect((await logbook.get('/templates/t1', sessions[name])).status).toBe(status);
      expect((await logbook.get('/templates', sessions[name])).text.includes('hidden')).toBe(status === 200);
    }
    expect((await logbook.call('/templates/t1', { method: 'DELETE', ...sessions.other })).status).toBe(404);
  });

  test('names of templates and ids of attachments are refused alike, whether the one that has them is hidden or not', async () => {
    const reader = sessions.other as CallOptions;
    const putFile = (id: string, logbookName: string, as: CallOptions) => {
      const attachments = [{ id, filename: 'a' }];
      const body = entryForm({ title: 'f', ...inBooks(logbookName), attachments }, [{ name: 'a', content: 'x' }]);
      return logbook.call('/logs/multipart', { method: 'PUT', body, ...as });
    };
    const putTemplate = (name: string, logbookName: string, as: CallOptions) =>
      logbook.put('/templates', { name, title: 't', ...inBooks(logbookName) }, as);
    for (const [put, code] of [
      [putFile, 'attachment.id-taken'],
      [putTemplate, 'template.name-taken'],
    ] as const) {
      expect((await put('in-safety', 'Safety', sessions.member as CallOptions)).status).toBe(200);
      expect((await put('in-public', 'Open', sessions.member as CallOptions)).status).toBe(200);
      const hidden = await put('in-safety', 'Open', reader);
      const shown = await put('in-public', 'Open', reader);
      expect(hidden.body.code).toBe(code);
      expect({ ...hidden.body, timestamp: 0 }).toEqual({
        ...shown.body,
        timestamp: 0,
        message: shown.body.message.replace('in-public', 'in-safety'),
      });
      expect(hidden.body.message).not.toMatch(/exists|another (template|attachment) is/i);
    }
  });

  test('the order by relevance is the same whatever is hidden', async () => {
    const outsider = sessions.other as CallOptions;
    const order = async () =>
      (await logbook.get('/logs/search?query=rareword%20commonword%20-zz&sort=relevance', outsider)).body.logs.map(
        ({ title }: { title: string }) => title,
      );
    for (const title of ['rareword commonword commonword', 'rareword rareword commonword']) {
      await logbook.create({ title, ...inBooks('Open') }, '', outsider);
    }
    const before = await order();
    for (let at = 0; at < 20; at++)
      await logbook.create({ title: 'rareword', ...inBooks('Safety') }, '', sessions.member);
    expect(await order()).toEqual(before);
  });

  test('a reader who may not read all learns no position of the change feed, and resumes without a loss', async () => {
    const write = async (book: string) =>
      (await logbook.put('/logs', { title: book, ...inBooks(book) }, sessions.member)).body.id;
    const reader = await open('other');
    expect(reader.position).toBeNaN();
    const first = await write('Open');
    for (let at = 0; at < 3; at++) await write('Safety');
    const second = await write('Open');
    const events = await reader.next(2);
    expect(events.map(({ data }) => [data.entryId, data.sequence])).toEqual([
      [first, null],
      [second, null],
    ]);
    expect(events.map(({ id }) => id)).toEqual([Number.NaN, Number.NaN]);
    await reader.close();
    await write('Safety');
    const third = await write('Open');
    const resumed = await open('other', reader.positionText);
    expect((await resumed.next(1))[0]?.data.entryId).toBe(third);
    await resumed.close();
    const { newest } = logbook.service.storage.committed.feed;
    const member = await open('member');
    expect(member.position).toBe(await newest());
    // Neither guesses nor the numbers of others are accepted: they would reveal the positions.
    for (const guess of [
      1,
      await newest(),
      999_999,
      '1.AAAAAAAAAAAAAAAA',
      `${await newest()}${member.positionText.replace(/^\d+/, '')}x`,
      member.positionText.replace(/^\d+/, '1'),
      reader.positionText.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ]) {
      await expect(open('nobody', String(guess))).rejects.toThrow('changes.bad-position');
    }
    const whole = await open('nobody', '0');
    expect((await whole.next(1))[0]?.data.sequence).toBeNull();
    await whole.close();
    const withNumber = await open('member', String(await newest()));
    expect(withNumber.position).toBe(await newest());
    // A reader who loses access resumes from a position that was sent before.
    const fourth = await write('Open');
    const withdrawn = await open('other', withNumber.positionText);
    expect((await withdrawn.next(1))[0]?.data.entryId).toBe(fourth);
    await Promise.all([member, withNumber, withdrawn].map((one) => one.close()));
  });

  test('a resumed stream reveals no changes of an entry from the time when it was in a closed logbook', async () => {
    const start = await open('other');
    const before = start.positionText;
    await start.close();
    const { id } = await logbook.create({ ...entry, ...inBooks('Open') }, '', sessions.member);
    for (const book of ['Safety', 'Safety', 'Open']) {
      await logbook.post(`/logs/${id}`, { ...entry, ...inBooks(book) }, sessions.member);
    }
    const begunHidden = await logbook.create({ ...entry, ...inBooks('Safety') }, '', sessions.member);
    await logbook.post(`/logs/${begunHidden.id}`, { ...entry, ...inBooks('Open') }, sessions.member);
    // An annotation of a version that was replaced without an archived copy.
    const { id: grouped } = await logbook.create({ ...entry, ...inBooks('Open') }, '', sessions.member);
    await logbook.put(`/logs?inReplyTo=${grouped}`, { ...entry, ...inBooks('Safety') }, sessions.member);
    const { id: last } = await logbook.create({ ...entry, ...inBooks('Open') }, '', sessions.member);
    const changesFor = async (who: string, count: number, query = '') => {
      const reader = await open(who, before, query);
      const changes = await reader.next(count);
      await reader.close();
      return changes.map(({ event, data }) => [data.entryId, event, data.version]);
    };
    const visible = [
      [id, 'created', 1],
      [id, 'edited', 4],
      [begunHidden.id, 'edited', 2],
      [grouped, 'created', 1],
      [grouped, 'annotated', 2],
      [last, 'created', 1],
    ];
    for (const who of outsiders) {
      for (const query of ['', '?title=*']) expect(await changesFor(who, visible.length, query)).toEqual(visible);
    }
    // A reader of both logbooks misses nothing.
    const all = await changesFor('jane', 10);
    expect(all.filter(([entryId]) => entryId === id)).toHaveLength(4);
  });

  test('a reply needs the right to write in the logbooks of its parent, which it changes', async () => {
    const { id } = await logbook.create(inBooks('Safety'), '', sessions.member);
    expect((await logbook.put(`/logs?inReplyTo=${id}`, entry, sessions.jane)).body.code).toBe('auth.logbook-closed');
    expect((await logbook.get(`/logs/${id}`, sessions.jane)).headers.get('etag')).toBe('"1"');
  });
});

test.each([
  ['two spellings of one logbook', 'Safety.read = a\nsafety.READ = b\n', /followed by/],
  ['one key in two spellings', 'Safety.read = a\nsafety.read = signed-in\n', /twice/],
  ['no .read or .write', 'Safety = a\n', /followed by/],
])('logbookAccessFile with %s does not start', async (_case, text, problem) => {
  const dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, text);
  await expect(TestService.start({ logbookAccessFile: file })).rejects.toThrow(problem);
  await rm(dir, { recursive: true });
});

test('all lines of a logbook apply, whatever the case of its name', async () => {
  const dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = a\nSAFETY.write = signed-in\n');
  const logbook = await TestService.start({ logbookAccessFile: file });
  try {
    await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, { as: 'admin:adminPass' });
    const { id } = await logbook.create({ logbooks: [{ name: 'Safety' }] }, '', { as: 'admin:adminPass' });
    expect((await logbook.get(`/logs/${id}`, { as: null })).status).toBe(404);
  } finally {
    await logbook.stop();
    await rm(dir, { recursive: true });
  }
});
