import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { LogbookAccess } from '../../src/auth/logbook-access.js';
import { Permissions } from '../../src/auth/permissions.js';
import { Fault } from '../../src/kernel/fault.js';
import { ChangeStream } from '../../src/notifications/live/change-stream.js';
import { FeedCursorCodec } from '../../src/notifications/live/feed-cursor-codec.js';
import { LiveFeed } from '../../src/notifications/live/live-feed.js';
import { UnsentBytes } from '../../src/notifications/live/unsent-bytes.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { silentJobs, silentLog } from '../fixtures/log.js';
import { basicAuth, openSocket } from '../fixtures/raw-http.js';
import { call, makeTempDir, TestService } from '../fixtures/service.js';

const edit = (title: string, ...names: string[]) => ({
  title,
  logbooks: (names.length > 0 ? names : ['operations']).map((name) => ({ name })),
});
const ids = (changes: readonly { data: { entryId: number } }[]) => changes.map(({ data }) => data.entryId);

test('a run that is read again is sent once per batch, as it stands, and not once per block', async () => {
  const logbook = await TestService.start();
  onTestFinished(() => logbook.stop());
  const { id } = await logbook.create({}, '?run=true');
  for (let block = 1; block <= 150; block++) {
    const options = { method: 'PUT', json: { text: `block ${block}` } };
    expect((await logbook.call(`/logs/${id}/blocks/${block}`, options)).status).toBeLessThan(300);
  }
  const edited = await logbook.post(`/logs/${id}`, edit('corrected'));
  expect(edited.status).toBe(200);
  await logbook.call(`/logs/${id}/blocks/151`, { method: 'PUT', json: { text: 'block 151' } });
  const last = await logbook.create();
  const reader = await ChangeReader.open(logbook.base, { query: '?lastEventId=0' });
  while (ids(reader.changes).at(-1) !== last.id) await reader.next(1);
  const ofRun = reader.changes.filter(({ data }) => data.entryId === id);
  const annotated = ofRun.filter(({ event }) => event === 'annotated');
  expect(annotated.length).toBeLessThan(6);
  expect(ofRun.filter(({ event }) => event !== 'annotated').map(({ event }) => event)).toEqual(['created', 'edited']);
  expect(ofRun.at(-1)).toMatchObject({ event: 'annotated', data: { entry: { title: 'corrected' } } });
  expect(ofRun.at(-2)?.event).toBe('edited');
  expect(ofRun.at(-3)?.event).toBe('annotated');
  expect(ofRun.map(({ id: at }) => at)).toEqual(ofRun.map(({ id: at }) => at).toSorted((a, b) => a - b));
  await reader.close();
});

describe('GET /changes', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  test('streams created, edited and annotated entries from now on, each entry as it stands', async () => {
    await logbook.create();
    const reader = await ChangeReader.open(logbook.base);
    expect(reader.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect(reader.retryMs).toBe(2_000);
    const entry = await logbook.create({ source: 'two\nlines' }, '?notifyWsClients=false');
    const [first] = await reader.next(1);
    expect(first).toMatchObject({ event: 'created', data: { kind: 'created', entryId: entry.id, version: 1, entry } });
    expect(first?.id).toBe(first?.data.sequence);
    expect(first?.data.date).toBe(entry.createdDate);
    await logbook.post(`/logs/${entry.id}`, edit('again'));
    const [second] = await reader.next(1);
    expect(second).toMatchObject({ event: 'edited', data: { version: 2, entry: { title: 'again' } } });
    const reply = await logbook.create({}, `?inReplyTo=${entry.id}`);
    const joined = (await reader.next(2)).map(({ event, data }) => [event, data.entryId]);
    expect(joined.toSorted()).toEqual([
      ['annotated', entry.id],
      ['created', reply.id],
    ]);
    expect(reader.position).toBe(reader.changes.at(-1)?.id);
    await reader.close();
  });

  test('resumes after any position, from the header or the parameter, without gaps or repeats', async () => {
    const made = [];
    for (let at = 0; at < 250; at += 1) made.push((await logbook.create()).id);
    const all = await ChangeReader.open(logbook.base, { query: '?lastEventId=0' });
    while (ids(all.changes).at(-1) !== made.at(-1)) await all.next(1);
    const sequences = all.changes.map(({ id }) => id);
    expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b));
    expect(ids(all.changes)).toEqual(expect.arrayContaining(made));
    await all.close();
    for (const at of [0, 7, sequences.length - 2]) {
      // The header takes precedence: a browser updates it, but not the parameter.
      const from = sequences[at] ?? 0;
      const rest = await ChangeReader.open(logbook.base, { query: '?LASTEVENTID=0', position: from });
      const expected = sequences.slice(at + 1);
      expect((await rest.next(expected.length)).map(({ id }) => id)).toEqual(expected);
      await rest.close();
    }
    const nothingNew = await ChangeReader.open(logbook.base, { position: sequences.at(-1) ?? 0 });
    expect(nothingNew.position).toBe(sequences.at(-1));
    const { id } = await logbook.create();
    expect(ids(await nothingNew.next(1))).toEqual([id]);
    await nothingNew.close();
  });

  test('with search parameters, streams only entries that match as they stand', async () => {
    await logbook.put('/logbooks/controls', { name: 'controls', owner: 'x' });
    const before = await logbook.create({ title: 'a magnet tripped' });
    const reader = await ChangeReader.open(logbook.base, { query: '?lastEventId=0&Title=magnet&logbooks=operations' });
    expect(ids(await reader.next(1))).toEqual([before.id]);
    await logbook.create();
    await logbook.create({ title: 'magnet', logbooks: [{ name: 'controls' }] });
    const later = await logbook.create();
    const match = await logbook.create({ title: 'magnets and a magnet' });
    expect(ids(await reader.next(1))).toEqual([match.id]);
    await logbook.post(`/logs/${later.id}`, edit('now of a magnet'));
    expect(ids(await reader.next(1))).toEqual([later.id]);
    await reader.close();
  });

  test.each([
    ['?lastEventId=x', 'changes.bad-position'],
    ['?lastEventId=-1', 'changes.bad-position'],
    ['?lastEventId=999999999', 'changes.unknown-position'],
    ['?start=nonsense', 'search.bad-time'],
    ['?text=%22half', 'search.unbalanced-quotes'],
  ])('400 before the stream begins: %s', async (query, code) => {
    expect((await logbook.get(`/changes${query}`)).body).toMatchObject({ status: 400, code });
  });

  test('a client that does not read delays no other, and receives everything once it reads', async () => {
    const socket = openSocket(logbook.origin);
    socket.write('GET /logbook/changes HTTP/1.1\r\nhost: x\r\n\r\n');
    // Its stream has begun; from here on, nothing is read.
    await once(socket, 'readable');
    const reader = await ChangeReader.open(logbook.base);
    const source = 'x'.repeat(200_000);
    for (let at = 0; at < 40; at += 1) await logbook.create({ title: `large ${at}`, source });
    await reader.next(40);
    await reader.close();
    let titles: string[] = [];
    let tail = '';
    for await (const chunk of socket) {
      tail += String(chunk);
      titles = titles.concat(Array.from(tail.matchAll(/"title":"(large \d+)"/g), ([, title = '']) => title));
      tail = tail.slice(Math.max(tail.lastIndexOf('"title"'), tail.length - 30)).replace(/^"title":"large \d+"/, '');
      if (titles.length === 40) break;
    }
    expect(titles).toEqual(Array.from({ length: 40 }, (_, at) => `large ${at}`));
    socket.destroy();
  });

  test('503 beyond maxEventStreams, until a stream closes', async () => {
    const other = await TestService.start({ maxEventStreams: '1' });
    // Each node counts its own.
    const { base } = other;
    const one = await ChangeReader.open(base);
    expect((await call(`${base}/changes`)).body).toMatchObject({ status: 503, code: 'live.too-many-clients' });
    await one.close();
    await expect
      .poll(() =>
        ChangeReader.open(base).then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    await other.stop();
  });
});

test('a stop ends the streams; after a restart they resume at their position', async () => {
  let logbook = await TestService.start();
  const reader = await ChangeReader.open(logbook.base);
  const first = await logbook.create();
  expect(ids(await reader.next(1))).toEqual([first.id]);
  await logbook.stop({ keepData: true });
  await reader.ended;
  logbook = await TestService.start({}, logbook.dataDir);
  const missed = await logbook.create();
  const again = await ChangeReader.open(logbook.base, { position: reader.position ?? -1 });
  const next = await logbook.create();
  expect(ids(await again.next(2))).toEqual([missed.id, next.id]);
  await logbook.stop();
});

test('while the search is unavailable, a filtered stream waits and misses nothing', async () => {
  const logbook = await TestService.start();
  const { storage } = logbook.service;
  const feed = await LiveFeed.start({ storage, jobs: silentJobs(), log: silentLog });
  const ending = new AbortController();
  let failures = 0;
  const stream = new ChangeStream(
    {
      feed,
      changes: storage.committed.feed,
      entries: storage.committed.entries,
      reader: { permissions: new Permissions('signed-in', new LogbookAccess([])), principal: undefined },
      positions: new FeedCursorCodec('', false),
      matching: async (entryIds) => {
        failures += 1;
        if (failures < 2) throw new Fault('unavailable', 'search.index-building', 'Not yet.');
        return [...entryIds];
      },
      drained: async () => undefined,
      unsentBytes: new UnsentBytes(1_000_000),
      terminate: () => undefined,
      signal: ending.signal,
    },
    0,
  );
  const { id } = await logbook.create();
  const chunks = stream.chunks();
  await chunks.next();
  const { value } = await chunks.next();
  expect(String(value)).toContain(`"entryId":${id},`);
  expect(failures).toBe(2);
  ending.abort();
  expect(await chunks.next()).toMatchObject({ done: true });
  await feed.stop();
  await logbook.stop();
});

test('clients receive only entries that they may read', async () => {
  const dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = user:user\n');
  const logbook = await TestService.start({ logbookAccessFile: file });
  await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, { as: 'admin:adminPass' });
  const headers = { authorization: basicAuth() };
  const queries = ['', '?query=secret'];
  const insiders = await Promise.all(queries.map((query) => ChangeReader.open(logbook.base, { query, headers })));
  const outsiders = await Promise.all(queries.map((query) => ChangeReader.open(logbook.base, { query })));
  const hidden = (await logbook.put('/logs', edit('secret', 'Safety'))).body.id;
  const open = (await logbook.put('/logs', edit('no secret'))).body.id;
  for (const reader of insiders) expect(ids(await reader.next(2))).toEqual([hidden, open]);
  for (const reader of outsiders) expect(ids(await reader.next(1))).toEqual([open]);
  // Entries that they could read before an edit moved them are not sent either.
  await logbook.post(`/logs/${open}`, edit('no secret', 'Safety'));
  const late = await ChangeReader.open(logbook.base, { query: '?lastEventId=0' });
  const last = (await logbook.put('/logs', edit('secret'))).body.id;
  for (const reader of [...outsiders, late]) expect(ids(await reader.next(1))).toEqual([last]);
  await logbook.stop();
  await rm(dir, { recursive: true });
});

test('the positions that a reader gets reveal no changes that the reader may not read, and still allow resuming', async () => {
  const dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  await writeFile(file, 'Safety.read = user:user\n');
  const logbook = await TestService.start({ logbookAccessFile: file });
  await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, { as: 'admin:adminPass' });
  const outsider = await ChangeReader.open(logbook.base);
  const before = outsider.positionText;
  const first = (await logbook.put('/logs', edit('open'))).body.id;
  for (let at = 0; at < 3; at++) await logbook.put('/logs', edit('hidden', 'Safety'));
  const second = (await logbook.put('/logs', edit('open again'))).body.id;
  const changes = await outsider.next(2);
  expect(changes.map(({ data }) => [data.entryId, data.sequence])).toEqual([
    [first, null],
    [second, null],
  ]);
  // Each is encrypted separately, and none is a number.
  const told = [before, outsider.positionText, (await ChangeReader.open(logbook.base)).positionText];
  expect(new Set(told).size).toBe(3);
  for (const position of told) expect(position).toMatch(/^(?=.*[^0-9])[\w-]{48}$/);
  const resumed = await ChangeReader.open(logbook.base, { position: before });
  expect(ids(await resumed.next(2))).toEqual([first, second]);
  // Trying numbers would find out where the visible changes are.
  for (const position of [1, 3, 99]) {
    await expect(ChangeReader.open(logbook.base, { position })).rejects.toThrow(/400 .*changes\.bad-position/);
  }
  await logbook.stop();
  await rm(dir, { recursive: true });
});

test('401 without sign-in where reading needs it', async () => {
  const logbook = await TestService.start({ requireSignInForReads: 'true' });
  expect((await logbook.get('/changes', { as: null })).status).toBe(401);
  const reader = await ChangeReader.open(logbook.base, { headers: { authorization: basicAuth() } });
  await reader.close();
  await logbook.stop();
});
