import { rm, writeFile } from 'node:fs/promises';
import { type RequestOptions, request } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Right } from '../../src/auth/permissions.js';
import { Agent } from '../fixtures/agent.js';
import { basicAuth } from '../fixtures/raw-http.js';
import { type Answer, type CallOptions, call, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

const admin = { as: 'admin:adminPass' };
const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };

let dir: string;
let logbook: TestService;
/** Secrets of tokens by their owner and right. */
const tokens = new Map<string, string>();
let ids: { open: number; closed: number; reply: number; threadId: string };

const bearer = (name: string): CallOptions => ({
  as: null,
  headers: { authorization: `Bearer ${tokens.get(name)}` },
});
const agentOf = (name: string) => Agent.connect(logbook.origin, tokens.get(name));
const post = (json: unknown, options: CallOptions = {}): Promise<Answer> =>
  call(`${logbook.origin}/mcp`, {
    method: 'POST',
    json,
    ...options,
    headers: { accept: 'application/json, text/event-stream', ...options.headers },
  });

/** Sends any headers, and trusts any certificate. */
const send = (url: string, headers: RequestOptions['headers'], json: unknown) =>
  new Promise<{ status: number | undefined; body: ReturnType<typeof JSON.parse> }>((resolve, reject) => {
    const options = { method: 'POST', rejectUnauthorized: false };
    const all = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers };
    const sent = (url.startsWith('https') ? tlsRequest : request)(url, { ...options, headers: all }, (response) => {
      text(response).then((body) => {
        const data = body.split('\n').find((line) => line.startsWith('data: '));
        resolve({ status: response.statusCode, body: JSON.parse(data?.slice(6) ?? body) });
      }, reject);
    });
    sent.on('error', reject).end(JSON.stringify(json));
  });

beforeAll(async () => {
  dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = Safety Team\nSafety.write = Safety Team\n');
  logbook = await TestService.start({ mcp: 'true', logbookAccessFile: file, permissions: 'roles' });
  for (const name of ['Safety', 'Open']) await logbook.put(`/logbooks/${name}`, { name, owner: 'x' }, admin);
  const as = async (userName: string, groups: string[]): Promise<CallOptions> => ({
    as: null,
    headers: { cookie: await sessionOf(logbook, principal(userName, ['LOG'], groups)) },
  });
  const [mia, otto] = [await as('mia', ['safety team']), await as('otto', [])];
  for (const [owner, options] of [
    ['mia', mia],
    ['otto', otto],
    ['admin', admin],
  ] as const) {
    for (const right of ['none', 'entries', 'admin'] as const) {
      const rights: Right[] = right === 'none' ? [] : [right];
      const { body } = await logbook.post('/tokens', { name: `${owner}'s ${right}`, rights }, options);
      tokens.set(`${owner} ${right}`, body.token);
    }
  }
  const open = await logbook.create({ title: 'Openword', source: 'klystron', logbooks: [{ name: 'Open' }] }, '', otto);
  const secret = { title: 'Hushtitle', source: 'klystron hushtext', logbooks: [{ name: 'Safety' }] };
  const closed = await logbook.create(secret, `?inReplyTo=${open.id}`, mia);
  const answer = { title: 'Openword answer', logbooks: [{ name: 'Open' }] };
  const reply = await logbook.create(answer, `?inReplyTo=${open.id}`, otto);
  const threadId = closed.properties[0]?.attributes[0]?.value ?? '';
  ids = { open: open.id, closed: closed.id, reply: reply.id, threadId };
  await logbook.indexed();
});
afterAll(async () => {
  await logbook.stop();
  await rm(dir, { recursive: true });
});

describe('access', () => {
  test('404: without the setting, there is no such address', async () => {
    const plain = await TestService.start();
    expect((await call(`${plain.origin}/mcp`, { method: 'POST', json: ping })).status).toBe(404);
    await plain.stop();
  });

  test('401 and 403: nothing but a token signs an agent in', async () => {
    expect(await post(ping, { as: null })).toMatchObject({
      status: 401,
      body: { code: 'auth.sign-in-required', message: expect.stringContaining('API token') },
    });
    const wrong = await post(ping, { as: null, headers: { authorization: 'Bearer logbook_wrong' } });
    expect(wrong).toMatchObject({ status: 401, body: { code: 'auth.bad-token' } });
    expect(wrong.headers.get('www-authenticate')).toContain('Bearer');
    expect(await post(ping, admin)).toMatchObject({ status: 403, body: { code: 'auth.token-required' } });
    const cookie = await sessionOf(logbook, principal('mia', ['LOG'], []));
    expect(await post(ping, { as: null, headers: { cookie } })).toMatchObject({
      body: { code: 'auth.token-required' },
    });
    expect((await post(ping, bearer('otto none'))).status).toBe(200);
  });

  test('403 and 400: pages of other sites cannot use it, whatever name they give to this machine', async () => {
    const { headers } = bearer('otto none');
    const foreign = await post(ping, { as: null, headers: { ...headers, origin: 'http://evil.example' } });
    expect(foreign).toMatchObject({ status: 403, body: { code: 'auth.origin-not-allowed' } });
    const rebinding = { host: 'evil.example', origin: 'http://evil.example' };
    const rebound = await send(`${logbook.origin}/mcp`, { ...headers, ...rebinding }, ping);
    expect(rebound).toMatchObject({ status: 400, body: { code: 'request.bad-host' } });
  });

  test('tools work without plain HTTP, and only under the public name', async () => {
    const publicUrl = 'https://log.example.org';
    const secure = await TestService.start({ mcp: 'true', httpPort: 'off', requireTlsForWrites: 'true', publicUrl });
    const basic = { authorization: basicAuth('user:userPass') };
    const { token } = (await send(`${secure.base}/tokens`, basic, { name: 'x', rights: ['entries'] })).body;
    const params = { name: 'draftEntry', arguments: { title: 'x', text: '' } };
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const callAs = (host: string) =>
      send(`${secure.origin}/mcp`, { authorization: `Bearer ${token}`, host, origin: `https://${host}` }, message);
    const { body } = await callAs('log.example.org');
    expect(body.result.content[1].text).toContain(`"link":"${publicUrl}/write/`);
    expect(await callAs('evil.example')).toMatchObject({ status: 400, body: { code: 'request.bad-host' } });
    await secure.stop();
  });

  test('messages of earlier protocol versions are answered with JSON, after the checks of the protocol', async () => {
    const { headers } = bearer('otto none');
    const version = (value: string) => ({ as: null, headers: { ...headers, 'mcp-protocol-version': value } });
    const answered = await post({ ...ping, method: 'tools/list' }, version('2025-06-18'));
    expect(answered).toMatchObject({ status: 200, body: { id: 1, result: { tools: expect.any(Array) } } });
    expect(answered.headers.get('content-type')).toContain('application/json');
    expect((await post(ping, version('1999-01-01'))).status).toBe(400);
    expect((await post({ ...ping, method: 'unknown' }, version('2025-06-18'))).body.error.code).toBe(-32_601);
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    expect((await post(notification, version('2025-06-18'))).status).toBe(202);
    const json = { as: null, headers: { ...headers, accept: 'application/json' } };
    expect((await post(ping, json)).status).toBe(406);
  });

  test('400: several messages in one body are refused', async () => {
    expect((await post([ping, ping], bearer('otto none'))).status).toBe(400);
  });
});

describe.each([...['mia none', 'mia entries', 'otto none', 'otto entries', 'otto admin', 'admin none', 'admin admin']])(
  'with the token %s',
  (name) => {
    let agent: Agent;
    const readsAll = !name.startsWith('otto');
    const rest = async (path: string) => (await logbook.get(path, bearer(name))).body;
    beforeAll(async () => {
      agent = await agentOf(name);
    });
    afterAll(() => agent.close());

    test('searches, counts, threads and shifts have the entries of the REST API and no others', async () => {
      const idsOf = (entries: readonly { id: number }[]) => entries.map(({ id }) => id);
      const found = await rest('/logs/search?query=klystron');
      const { data } = await agent.call('searchEntries', { query: 'klystron' });
      expect([data.hitCount, idsOf(data.entries)]).toEqual([found.hitCount, idsOf(found.logs)]);
      expect(data.hitCount).toBe(readsAll ? 2 : 1);
      const counts = (await agent.call('countEntries')).data.counts;
      expect(counts.logbooks).toEqual((await rest('/logs/facets')).logbooks.values);
      const thread = await rest(`/threads/${ids.threadId}`);
      const read = (await agent.call('getThread', { threadId: ids.threadId })).data;
      expect([read.hitCount, idsOf(read.entries)]).toEqual([thread.hitCount, idsOf(thread.logs)]);
      const shift = (await agent.call('getShiftMaterial')).data;
      expect(idsOf(shift.entries)).toEqual(idsOf((await rest('/logs/search?sort=up')).logs));
      expect(shift.hitCount).toBe(readsAll ? 3 : 2);
    });

    test('what is found by its meaning is what the REST API finds, and nothing else', async () => {
      const idsOf = (similar: readonly { entry: { id: number } }[]) => similar.map(({ entry }) => entry.id);
      const similar = await rest(`/logs/${ids.open}/similar`);
      const { data } = await agent.call('listSimilarEntries', { id: ids.open });
      expect(data.entries.map(({ id }: { id: number }) => id)).toEqual(idsOf(similar));
      expect(idsOf(similar).includes(ids.closed)).toBe(readsAll);
      expect(data.entries[0].like).toEqual(similar[0].like);
      const found = await rest('/logs/search?query=answer&meaning=klystron');
      const search = (await agent.call('searchEntries', { query: 'answer', meaning: 'klystron' })).data;
      expect(search.byMeaning.map(({ id }: { id: number }) => id)).toEqual(idsOf(found.byMeaning));
      expect(search.byMeaning[0].like).toEqual(found.byMeaning[0].like);
      const closed = (await agent.call('listSimilarEntries', { id: ids.closed })).data;
      expect(closed.outcome).toBe(readsAll ? 'ok' : 'not-found');
    });

    test('an entry that the reader may not read looks like one that does not exist', async () => {
      const { data } = await agent.call('getEntry', { id: ids.closed });
      if (readsAll) expect(data.entry.written).toMatchObject({ title: 'Hushtitle', text: 'klystron hushtext' });
      else {
        const missing = (await agent.call('getEntry', { id: 999 })).data;
        expect(data).toMatchObject({ outcome: 'not-found', code: 'entry.not-found' });
        expect(data.message.replace(ids.closed, 999)).toBe(missing.message);
      }
    });

    test('no answer contains anything that is closed to the reader', async () => {
      if (readsAll) return;
      const answers = await Promise.all([
        agent.call('searchEntries', { query: 'hush*' }),
        agent.call('searchEntries', { logbooks: 'Safety' }),
        agent.call('searchEntries', { query: 'answer', meaning: 'klystron hushtext' }),
        agent.call('listSimilarEntries', { id: ids.open }),
        agent.call('countEntries', { query: '-openword' }),
        agent.call('getThread', { threadId: ids.threadId }),
        agent.call('getShiftMaterial'),
        agent.call('draftEntry', { title: 'x', text: '', replyTo: ids.closed }),
      ]);
      for (const { text } of answers) expect(text).not.toMatch(/hush|safety/i);
    });

    test('a draft needs the right to write entries, and is seen only by the owner of the token', async () => {
      const { data } = await agent.call('draftEntry', { title: 'Drafted', text: 'by an agent', logbooks: ['Open'] });
      if (!name.endsWith('entries')) {
        expect(data).toMatchObject({ outcome: 'refused', code: 'auth.right-missing' });
        return;
      }
      expect(data).toMatchObject({ outcome: 'ok', link: `${logbook.origin}/write/${data.draftId}` });
      const other = name.startsWith('mia') ? 'otto entries' : 'mia entries';
      expect((await logbook.get(`/drafts/${data.draftId}`, bearer(other))).status).toBe(404);
      expect(await rest(`/drafts/${data.draftId}`)).toMatchObject({
        title: 'Drafted',
        purpose: { kind: 'new' },
        content: {
          text: 'by an agent',
          logbooks: ['Open'],
          properties: [
            { name: 'Drafted by', attributes: [{ name: 'agent', value: `${name.split(' ')[0]}'s entries` }] },
          ],
        },
      });
      expect((await logbook.search('query=drafted')).hitCount).toBe(0);
    });

    test('arguments that the description does not allow are refused', async () => {
      for (const args of [{ size: 51 }, { query: 7 }, { hiddenLogbooks: [] }]) {
        const { isError, text } = await agent.call('searchEntries', args);
        expect([isError, text]).toEqual([true, expect.stringContaining('Invalid arguments')]);
      }
      const { isError } = await agent.call('draftEntry', { title: ' ', text: '' });
      expect(isError).toBe(true);
    });
  },
);

test('entries of the maximum size and their threads can be read page by page', async () => {
  const big = { title: 'Long', source: 'long "text" '.repeat(70_000), logbooks: [{ name: 'Open' }] };
  const options = bearer('otto entries');
  const first = await logbook.create(big, '', options);
  let last = first;
  for (let reply = 0; reply < 3; reply++) last = await logbook.create(big, `?inReplyTo=${first.id}`, options);
  const agent = await agentOf('otto none');
  const { entry } = (await agent.call('getEntry', { id: last.id })).data;
  expect(entry.written.text).toHaveLength(100_000);
  const read: number[] = [];
  for (let page = 1, hasMore = true; hasMore; page++) {
    const { data } = await agent.call('getThread', { threadId: entry.threadId, page });
    expect(data.outcome).toBe('ok');
    read.push(...data.entries.map(({ id }: { id: number }) => id));
    hasMore = data.hasMore;
  }
  expect(read).toHaveLength(4);
  expect(new Set(read).size).toBe(4);
  await agent.close();
});

test('a search by meaning alone has only the entries of similar meaning, and no count', async () => {
  const agent = await agentOf('otto none');
  for (const args of [{}, { query: ' ' }]) {
    const { data } = await agent.call('searchEntries', { meaning: 'klystron', ...args });
    expect(data.byMeaning.map(({ id }: { id: number }) => id)).toContain(ids.open);
    expect(Object.keys(data).sort()).toEqual(['byMeaning', 'outcome']);
  }
  await agent.close();
});

test.each(['shift 3', '5', 'noon'])('“%s” is refused as the time of a shift', async (at) => {
  const agent = await agentOf('otto none');
  expect((await agent.call('getShiftMaterial', { at })).data).toMatchObject({
    outcome: 'refused',
    code: 'search.bad-time',
  });
  await agent.close();
});

test('each answer has ids and links', async () => {
  const agent = await agentOf('mia none');
  const link = `${logbook.origin}/entries/${ids.open}`;
  const id = ids.open;
  expect((await agent.call('getEntry', { id })).data.entry).toMatchObject({ id, link });
  const lists = [
    await agent.call('searchEntries', { query: 'openword' }),
    await agent.call('getThread', { threadId: ids.threadId }),
    await agent.call('getShiftMaterial'),
    await agent.call('listSimilarEntries', { id: ids.reply }),
  ];
  for (const { data } of lists) expect(data.entries).toContainEqual(expect.objectContaining({ id, link }));
  await agent.close();
});

test('answers say which entries are open runs, and which a program wrote', async () => {
  const agent = await agentOf('mia none');
  const run = await logbook.create({ title: 'Scan runword' }, '?run=true', bearer('mia entries'));
  const mia = { as: null, headers: { cookie: await sessionOf(logbook, principal('mia', ['LOG'], [])) } };
  const json = { name: 'alarms', rights: ['entries'], isAutomatic: true };
  const { token } = (await logbook.post('/tokens', json, mia)).body;
  const sent = { as: null, headers: { authorization: `Bearer ${token}` } };
  const alarm = await logbook.create({ title: 'Alarm runword' }, '', sent);
  const found = (await agent.call('searchEntries', { query: 'runword', sort: 'up' })).data.entries;
  const { data } = await agent.call('getEntry', { id: run.id });
  const state = { status: 'running', changed: new Date(Number(run.run?.changedDate)).toISOString() };
  expect(found[0]).toMatchObject({ id: run.id, run: state });
  expect(data.entry.run).toEqual(state);
  expect(found[1]).toMatchObject({ id: alarm.id, automatic: true });
  expect([found[0].automatic, found[1].run]).toEqual([undefined, undefined]);
  await agent.close();
});

test('calls are audited with their token, their tool and the entry, and without the words of searches', async () => {
  const agent = await agentOf('otto none');
  await agent.call('searchEntries', { query: 'privateword' });
  await agent.call('getEntry', { id: ids.closed });
  await agent.close();
  const { body, text } = await logbook.get(`/audit?action=${encodeURIComponent('POST /mcp')}`, admin);
  expect(body[0]).toMatchObject({ userName: 'otto', target: `getEntry ${ids.closed}`, outcome: 'done' });
  expect(body[0].detail).toMatch(/entry\.not-found; token \w+ “otto's none”/);
  expect(body[1]).toMatchObject({ target: 'searchEntries' });
  expect(text).not.toContain('privateword');
});

test.each([
  ['an entry', [150_000, 5]],
  ['a page', [50_000, 50_000, 50_000, 50_000, 50_000, 50_000]],
])('a thread with the length of %s that is sent in parts is answered', async (_, lengths) => {
  const sent = (length: number) => ({
    title: 'Long',
    source: 'word '.repeat(length / 5),
    logbooks: [{ name: 'Open' }],
  });
  const first = await logbook.create(sent(lengths[0] ?? 0), '', admin);
  for (const length of lengths.slice(1)) await logbook.create(sent(length), `?inReplyTo=${first.id}`, admin);
  const agent = await agentOf('otto none');
  const { threadId } = (await agent.call('getEntry', { id: first.id })).data.entry;
  const { data } = await agent.call('getThread', { threadId });
  expect(data).toMatchObject({ outcome: 'ok', hitCount: lengths.length });
  expect(data.entries).toHaveLength(lengths.length);
  await agent.close();
});
