import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formerKey } from '../fixtures/former-key.js';
import { type Answer, type CallOptions, entryForm, TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
});
afterAll(() => logbook.stop());

const admin = { as: 'admin:adminPass' };
const entry = { title: 'x', logbooks: [{ name: 'operations' }] };

/** Sends a request several times with the same key. */
function send(path: string, options: CallOptions, key: string): Promise<Answer> {
  return logbook.call(path, { ...options, headers: { ...options.headers, 'idempotency-key': key } });
}

/** Sends the request twice, with `between` after the first time; expects the same response. */
async function repeat(path: string, options: () => CallOptions, between: () => Promise<unknown>): Promise<Answer> {
  const key = randomUUID();
  const first = await send(path, options(), key);
  expect(first.status, first.text).toBe(200);
  await between();
  const again = await send(path, options(), key);
  expect({ status: again.status, text: again.text }).toEqual({ status: 200, text: first.text });
  expect(again.headers.get('etag')).toBe(first.headers.get('etag'));
  return first;
}

const versions = async (id: number): Promise<number> => (await logbook.get(`/logs/archived/${id}`)).body.hitCount;

describe('the same request with the same key returns the first result and changes nothing:', () => {
  test('an edit, although it names an earlier version and the entry was edited since', async () => {
    const { id } = await logbook.create();
    const json = { ...entry, title: 'edited' };
    const options = () => ({ method: 'POST', json, headers: { 'if-match': '"1"' } });
    const first = await repeat(`/logs/${id}`, options, () => logbook.post(`/logs/${id}`, entry));
    expect(first.body.title).toBe('edited');
    expect(await versions(id)).toBe(2);
    expect((await logbook.get(`/logs/${id}`)).body.title).toBe('x');
  });

  test('an edit with files, and a file added', async () => {
    const { id } = await logbook.create();
    const attachmentId = randomUUID();
    const update = { ...entry, id, attachments: [{ id: attachmentId, filename: 'a.txt' }] };
    const form = () => ({ method: 'POST', body: entryForm(update, [{ name: 'a.txt', content: 'one' }]) });
    await repeat('/logs/multipart', form, async () => undefined);
    const file = () => {
      const body = new FormData();
      body.append('file', new File(['two'], 'b.txt'));
      return { method: 'POST', body };
    };
    const added = await repeat(`/logs/attachments/${id}`, file, async () => undefined);
    expect(added.body.attachments).toHaveLength(2);
    expect(await versions(id)).toBe(2);
    for (const attachment of added.body.attachments) {
      expect((await logbook.get(`/attachment/${attachment.id}`)).status).toBe(200);
    }
  });

  test('an entry, although it was edited since', async () => {
    const created = await repeat(
      '/logs',
      () => ({ method: 'PUT', json: entry }),
      async () => {
        const [newest] = (await logbook.get('/logs?size=1')).body;
        await logbook.post(`/logs/${newest.id}`, { ...entry, title: 'edited' });
      },
    );
    expect((await logbook.get(`/logs/${created.body.id}`)).body.title).toBe('edited');
    expect((await logbook.get('/logs?size=1')).body[0].id).toBe(created.body.id);
  });

  test('an entry that was redacted since: any request with its key returns it, and confirms no guess', async () => {
    const key = randomUUID();
    const create = (source: string) => send('/logs', { method: 'PUT', json: { ...entry, source } }, key);
    const { id } = (await create('swordfish')).body;
    const json = { reason: 'secret', text: true };
    expect((await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, ...admin })).status).toBe(200);
    for (const source of ['swordfish', 'guess']) {
      const again = await create(source);
      expect(again).toMatchObject({ status: 200, body: { id } });
      expect(again.text).not.toContain(source);
    }
    expect((await logbook.get('/logs?size=1')).body[0].id).toBe(id);
  });

  test('a reply: the parent has one', async () => {
    const parent = await logbook.create();
    const reply = await repeat(
      `/logs?inReplyTo=${parent.id}`,
      () => ({ method: 'PUT', json: entry }),
      async () => undefined,
    );
    const { properties } = (await logbook.get(`/logs/${parent.id}`)).body;
    const group = properties[0].attributes[0].value;
    const { ids } = await logbook.search(`properties=Log%20Entry%20Group.id.${group}`);
    expect(ids.sort()).toEqual([parent.id, reply.body.id].sort());
  });

  test('an entry with files, whose ids would be taken the second time', async () => {
    const attachmentId = randomUUID();
    const withFile = { ...entry, attachments: [{ id: attachmentId, filename: 'a.txt' }] };
    const form = () => ({ method: 'PUT', body: entryForm(withFile, [{ name: 'a.txt', content: 'one' }]) });
    await repeat('/logs/multipart', form, async () => undefined);
    expect((await logbook.get(`/attachment/${attachmentId}`)).text).toBe('one');
  });

  test('an entry that submits a draft, which is gone the second time', async () => {
    const draft = randomUUID();
    await logbook.put(`/drafts/${draft}`, {});
    const create = () => ({ method: 'PUT', json: entry });
    await repeat(`/logs?draft=${draft}`, create, async () => undefined);
    expect((await logbook.get(`/drafts/${draft}`)).status).toBe(404);
  });

  test('one of more than a thousand entries with keys', async () => {
    const key = randomUUID();
    const first = await send('/logs', { method: 'PUT', json: entry }, key);
    const writer = { scheme: 'inMemory', userName: 'user' };
    await logbook.service.storage.write(async (tx) => {
      for (let n = 0; n < 1_001; n += 1) {
        await tx.repeats.put(writer, randomUUID(), { fingerprint: '', result: '{"id":1,"version":1}' }, Date.now());
      }
    });
    await send('/tags', { method: 'PUT', json: [{ name: 'a' }] }, randomUUID());
    expect((await send('/logs', { method: 'PUT', json: entry }, key)).text).toBe(first.text);
  });

  test('a group', async () => {
    const ids = [(await logbook.create()).id, (await logbook.create()).id];
    await repeat(
      '/logs/group',
      () => ({ method: 'POST', json: ids }),
      async () => undefined,
    );
  });

  test('entries taken out of a group', async () => {
    const ids = [(await logbook.create()).id, (await logbook.create()).id];
    await logbook.post('/logs/group', ids);
    await repeat(
      '/logs/ungroup',
      () => ({ method: 'POST', json: ids }),
      async () => undefined,
    );
  });

  test('names of the catalogue stored and deleted, although they were changed since', async () => {
    const tag = randomUUID();
    const put = () => ({ method: 'PUT', json: { name: tag } });
    const remove = () => ({ method: 'DELETE' });
    const state = async () => (await logbook.get(`/tags/${tag}`)).body?.name;
    await repeat(`/tags/${tag}`, put, () => logbook.call(`/tags/${tag}`, remove()));
    expect(await state()).toBeUndefined();
    await logbook.call(`/tags/${tag}`, put());
    await repeat(`/tags/${tag}`, remove, () => logbook.call(`/tags/${tag}`, put()));
    expect(await state()).toBe(tag);
    await repeat(
      '/tags',
      () => ({ method: 'PUT', json: [{ name: tag }] }),
      () => logbook.call(`/tags/${tag}`, remove()),
    );
    expect(await state()).toBeUndefined();
  });

  test('a level deleted, which is gone the second time', async () => {
    await logbook.put('/levels/Passing', { name: 'Passing' }, admin);
    await repeat(
      '/levels/Passing',
      () => ({ method: 'DELETE', ...admin }),
      async () => undefined,
    );
  });

  test('a template without an id, which would be a second one, and its deletion', async () => {
    const name = randomUUID();
    const put = () => ({ method: 'PUT', json: { name, title: 'x' } });
    const { body } = await repeat('/templates', put, async () => undefined);
    await repeat(
      `/templates/${body.id}`,
      () => ({ method: 'DELETE' }),
      async () => undefined,
    );
    expect((await logbook.get(`/templates/${body.id}`)).status).toBe(404);
  });

  test('a draft stored and deleted', async () => {
    const path = `/drafts/${randomUUID()}`;
    await repeat(
      path,
      () => ({ method: 'PUT', json: { n: 1 } }),
      () => logbook.put(path, { n: 2 }),
    );
    expect((await logbook.get(path)).body).toEqual({ n: 2 });
    await repeat(
      path,
      () => ({ method: 'DELETE' }),
      async () => undefined,
    );
  });

  test('an edit that submits a draft, which is gone the second time', async () => {
    const { id } = await logbook.create();
    const draft = randomUUID();
    await logbook.put(`/drafts/${draft}`, {});
    await logbook.call(`/drafts/${draft}/attachments/${draft}?filename=a`, { method: 'PUT', body: 'a' });
    const edited = await repeat(
      `/logs/${id}?draft=${draft}`,
      () => ({ method: 'POST', json: entry }),
      async () => {},
    );
    expect(edited.body.attachments).toMatchObject([{ id: draft }]);
  });

  test('two at the same time', async () => {
    const { id } = await logbook.create();
    const key = randomUUID();
    const edit = () => send(`/logs/${id}`, { method: 'POST', json: entry }, key);
    const answers = await Promise.all([edit(), edit(), edit()]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(await versions(id)).toBe(1);
  });
});

describe('422 request.key-reused, and nothing changes, for', () => {
  test('another body, another address and another method', async () => {
    const { id } = await logbook.create();
    const other = await logbook.create();
    const key = randomUUID();
    await send(`/logs/${id}`, { method: 'POST', json: entry }, key);
    for (const [path, options] of [
      [`/logs/${id}`, { method: 'POST', json: { ...entry, title: 'y' } }],
      [`/logs/${other.id}`, { method: 'POST', json: entry }],
      [`/logs/${id}?notifyWsClients=false`, { method: 'POST', json: entry }],
      ['/tags/never', { method: 'PUT', json: {} }],
      ['/tags/never', { method: 'DELETE' }],
    ] as const) {
      const refused = await send(path, options, key);
      expect(refused.body, path).toMatchObject({ status: 422, code: 'request.key-reused' });
    }
    expect(await versions(other.id)).toBe(0);
    expect((await logbook.get('/tags/never')).body).toBeNull();
  });

  test('another entry, at any of its addresses', async () => {
    const key = randomUUID();
    expect((await send('/logs', { method: 'PUT', json: entry }, key)).status).toBe(200);
    const before = (await logbook.search('')).hitCount;
    for (const [path, options] of [
      ['/logs', { method: 'PUT', json: { ...entry, title: 'y' } }],
      ['/logs?markup=none', { method: 'PUT', json: entry }],
      ['/logs/multipart', { method: 'PUT', body: entryForm(entry, []) }],
    ] as const) {
      const refused = await send(path, options, key);
      expect(refused.body, path).toMatchObject({ status: 422, code: 'request.key-reused' });
    }
    expect((await logbook.search('')).hitCount).toBe(before);
  });

  test('another file of a new entry, under the same name and of the same size', async () => {
    const key = randomUUID();
    const withFile = { ...entry, attachments: [{ filename: 'a.txt' }] };
    const form = (content: string) => ({ method: 'PUT', body: entryForm(withFile, [{ name: 'a.txt', content }]) });
    expect((await send('/logs/multipart', form('one'), key)).status).toBe(200);
    expect((await send('/logs/multipart', form('two'), key)).body.code).toBe('request.key-reused');
    expect((await send('/logs/multipart', form('one'), key)).status).toBe(200);
  });

  test('another file in a form', async () => {
    const { id } = await logbook.create();
    const key = randomUUID();
    const form = (content: string) => {
      const update = { ...entry, id, attachments: [{ filename: 'a.txt' }] };
      return { method: 'POST', body: entryForm(update, [{ name: 'a.txt', content }]) };
    };
    expect((await send('/logs/multipart', form('one'), key)).status).toBe(200);
    expect((await send('/logs/multipart', form('two'), key)).status).toBe(422);
    expect(await versions(id)).toBe(1);
  });
});

test('a key that an earlier version stored with an entry returns that entry, whatever is sent', async () => {
  const key = randomUUID();
  const { id } = await logbook.create();
  await logbook.runSql(formerKey(id, key));
  for (const title of ['x', 'y', 'x']) {
    const answer = await send('/logs', { method: 'PUT', json: { ...entry, title } }, key);
    expect([answer.status, answer.body.id]).toEqual([200, id]);
  }
  const form = { method: 'PUT', body: entryForm(entry, []) };
  expect((await send('/logs/multipart', form, key)).body.id).toBe(id);
});

test('the same request of twenty clients at the same time is stored once; another one among them is refused', async () => {
  const key = randomUUID();
  const before = (await logbook.search('')).hitCount;
  const titles = Array.from({ length: 20 }, (_, n) => (n === 10 ? 'other' : 'same'));
  const answers = await Promise.all(
    titles.map((title) => send('/logs', { method: 'PUT', json: { ...entry, title } }, key)),
  );
  const created = answers.filter(({ status }) => status === 200);
  expect(new Set(created.map(({ text }) => text)).size).toBe(1);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 422]));
  expect((await logbook.search('')).hitCount).toBe(before + 1);
});

test('the key of another user is another key', async () => {
  const key = randomUUID();
  const put = (name: string, options: CallOptions) =>
    send(`/tags/${name}`, { method: 'PUT', json: {}, ...options }, key);
  expect((await put('of-user', {})).status).toBe(200);
  expect((await put('of-admin', admin)).status).toBe(200);
});

test('a refused request is not recorded: the key can be used again', async () => {
  const key = randomUUID();
  const put = (json: object) => send('/templates', { method: 'PUT', json }, key);
  expect((await put({ name: ' ' })).status).toBe(400);
  expect((await put({ name: 'right', title: 'x' })).status).toBe(200);
});
