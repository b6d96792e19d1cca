import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isIntact } from '../../src/entries/change-feed.port.js';
import { newestChange } from '../fixtures/newest-change.js';
import { TestService } from '../fixtures/service.js';

describe('entries over HTTP', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  const count = async () => (await logbook.search('size=0')).hitCount;
  const changes = () => newestChange(logbook);

  /** The request is refused in contract form, and nothing of it is stored or announced. */
  async function expectRefusal(send: () => ReturnType<TestService['call']>, status: number, code: string) {
    const before = [await count(), await changes()];
    const answer = await send();
    expect(answer).toMatchObject({ status, body: { status, code, path: expect.stringContaining('/logbook/') } });
    expect(answer.body.message).toMatch(/\.$/);
    expect([await count(), await changes()]).toEqual(before);
  }

  describe('create', () => {
    test('200: the response has every field of the entry, as stored', async () => {
      const startedMs = Date.now();
      const answer = await logbook.put('/logs', {
        title: 'Magnet trip',
        description: 'Quadrupole **tripped**.',
        level: 'Problem',
        logbooks: [{ name: 'operations' }],
        tags: [{ name: 'alarm' }],
        properties: [{ name: 'resource', attributes: [{ name: 'name', value: 'SR:C03{Quad:1}' }, { name: 'file' }] }],
        events: [{ name: 'trip', instant: 5 }],
      });
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        id: expect.any(Number),
        owner: 'user',
        source: 'Quadrupole **tripped**.',
        description: 'Quadrupole tripped.',
        title: 'Magnet trip',
        level: 'Problem',
        state: 'Active',
        createdDate: expect.any(Number),
        modifyDate: null,
        modifiedBy: null,
        version: 1,
        events: [{ name: 'trip', instant: 5 }],
        logbooks: [{ name: 'operations', owner: 'admin', state: 'Active' }],
        tags: [{ name: 'alarm', state: 'Active' }],
        properties: [
          {
            name: 'resource',
            owner: 'admin',
            state: 'Active',
            attributes: [
              { name: 'name', value: 'SR:C03{Quad:1}', state: 'Active' },
              { name: 'file', value: '', state: 'Active' },
            ],
          },
        ],
        attachments: [],
      });
      expect(answer.body.createdDate).toBeGreaterThanOrEqual(startedMs);
      expect(answer.body.createdDate).toBeLessThanOrEqual(Date.now());
      expect((await logbook.get(`/logs/${answer.body.id}`)).body).toEqual(answer.body);
      expect((await logbook.search('text=tripped&level=Problem')).logs).toContainEqual(answer.body);
    });

    test('a minimal entry gets every field too', async () => {
      const entry = await logbook.create();
      expect(entry).toMatchObject({ source: '', description: '', level: 'Info', tags: [], properties: [], events: [] });
    });

    test('the service sets owner, id and dates, whatever the body says; unknown fields are dropped', async () => {
      const entry = await logbook.create({
        id: 99_999,
        owner: 'somebody',
        createdDate: 1,
        modifyDate: null,
        state: null,
        colour: 'red',
        attachments: [{ id: 'x', filename: 'x.png', url: 'http://x', isImage: true }],
        level: null,
        tags: null,
      });
      expect(entry).toMatchObject({ owner: 'user', attachments: [], level: 'Info', tags: [], state: 'Active' });
      expect(entry.id).not.toBe(99_999);
      expect(entry.createdDate).not.toBe(1);
      expect(entry).not.toHaveProperty('colour');
    });

    test('a whole entry can be sent back as it was received', async () => {
      const entry = await logbook.create({
        description: '*text*',
        tags: [{ name: 'alarm' }],
        events: [{ name: 'e', instant: 1 }],
      });
      const again = await logbook.create(entry);
      expect({ ...again, id: 0, createdDate: 0 }).toEqual({ ...entry, id: 0, createdDate: 0 });
    });

    test.each([
      ['source alone', { source: '**a**' }, '', '**a**', 'a'],
      ['description alone', { description: '**a**' }, '', '**a**', 'a'],
      ['both: source is the text', { source: '**a**', description: 'b' }, '', '**a**', 'a'],
      ['an empty source', { source: '', description: '**a**' }, '', '**a**', 'a'],
      ['no markup', { description: '**a**' }, '?markup=none', '**a**', '**a**'],
      ['commonmark by name', { description: '**a**' }, '?markup=commonmark', '**a**', 'a'],
    ])('text as %s', async (_case, fields, query, source, description) => {
      expect(await logbook.create(fields, query)).toMatchObject({ source, description });
    });

    test('the source is stored byte for byte', async () => {
      const source =
        '  lead\r\n\r\n| a | b |\n|---|---|\n| 1 | 2 |  \n\n![alt](attachment/x){width=640 height=480}\ttab  \n\u00a0é e\u0301 😀';
      const entry = await logbook.create({ source });
      expect(entry.source).toBe(source);
      expect((await logbook.get(`/logs/${entry.id}`)).body.source).toBe(source);
    });

    test('a name that is sent twice is stored once', async () => {
      const entry = await logbook.create({ logbooks: [{ name: 'operations' }, { name: 'operations' }] });
      expect(entry.logbooks).toHaveLength(1);
    });

    test('properties and levels may be inactive or unknown', async () => {
      const entry = await logbook.create({ level: 'Whatever', properties: [{ name: 'free', attributes: null }] });
      expect(entry).toMatchObject({ level: 'Whatever', properties: [{ name: 'free', owner: '', attributes: [] }] });
    });

    test('the level defaults to the default level', async () => {
      await logbook.put('/levels', [
        { name: 'Info', defaultLevel: false },
        { name: 'Routine', defaultLevel: true },
      ]);
      expect((await logbook.create()).level).toBe('Routine');
      await logbook.call('/levels/Routine', { method: 'DELETE' });
      expect((await logbook.create()).level).toBe('Info');
      await logbook.put('/levels/Info', { name: 'Info', defaultLevel: true });
    });

    const good = { title: 'x', logbooks: [{ name: 'operations' }] };
    test.each<[string, unknown, string, string]>([
      ['no title', { logbooks: good.logbooks }, '', 'request.invalid'],
      ['a null title', { ...good, title: null }, '', 'request.invalid'],
      ['a number as title', { ...good, title: 7 }, '', 'request.invalid'],
      ['a blank title', { ...good, title: '  ' }, '', 'entry.missing-title'],
      ['a title of a novel', { ...good, title: 'x'.repeat(2_001) }, '', 'entry.too-long'],
      ['no logbooks', { title: 'x' }, '', 'request.invalid'],
      ['an empty list of logbooks', { ...good, logbooks: [] }, '', 'entry.no-logbook'],
      ['logbooks as names', { ...good, logbooks: ['operations'] }, '', 'request.invalid'],
      ['logbooks as text', { ...good, logbooks: 'operations' }, '', 'request.invalid'],
      ['an unknown logbook', { ...good, logbooks: [{ name: 'nowhere' }] }, '', 'entry.unknown-logbook'],
      ['a logbook in other case', { ...good, logbooks: [{ name: 'Operations' }] }, '', 'entry.unknown-logbook'],
      ['an unknown tag', { ...good, tags: [{ name: 'nothing' }] }, '', 'entry.unknown-tag'],
      ['an event without time', { ...good, events: [{ name: 'x' }] }, '', 'request.invalid'],
      ['an event at a text', { ...good, events: [{ name: 'x', instant: 'now' }] }, '', 'request.invalid'],
      [
        'an attribute without name',
        { ...good, properties: [{ name: 'p', attributes: [{ value: 'v' }] }] },
        '',
        'request.invalid',
      ],
      ['a nameless property', { ...good, properties: [{ name: '' }] }, '', 'entry.missing-name'],
      ['an event at the end of time', { ...good, events: [{ name: 'x', instant: 1e300 }] }, '', 'request.invalid'],
      ['an object as text', { ...good, description: {} }, '', 'request.invalid'],
      ['a list as body', [good], '', 'request.invalid'],
      ['null as body', null, '', 'request.invalid'],
      ['a text as body', 'entry', '', 'request.invalid'],
      ['unknown markup', good, '?markup=html', 'entry.unknown-markup'],
      ['an invalid flag', good, '?notifyWsClients=perhaps', 'request.invalid'],
      ['an unknown parent', good, '?inReplyTo=424242', 'entry.unknown-parent'],
      ['a parent that is no id', good, '?inReplyTo=parent', 'entry.unknown-parent'],
      [
        '10,000 attributes',
        {
          ...good,
          properties: [{ name: 'p', attributes: Array.from({ length: 10_000 }, (_, i) => ({ name: `a${i}` })) }],
        },
        '',
        'entry.too-many-attributes',
      ],
      [
        '10,000 properties',
        { ...good, properties: Array.from({ length: 10_000 }, () => ({ name: 'p' })) },
        '',
        'request.invalid',
      ],
      [
        '1,001 events',
        { ...good, events: Array.from({ length: 1_001 }, () => ({ name: 'e', instant: 1 })) },
        '',
        'entry.too-many-events',
      ],
      ['NUL in the text', { ...good, description: 'a\0b' }, '', 'request.bad-text'],
      ['half a surrogate pair', { ...good, title: 'a\ud800b' }, '', 'request.bad-text'],
    ])('400 for %s: nothing stored, nothing announced', async (_case, body, query, code) => {
      await expectRefusal(() => logbook.put(`/logs${query}`, body), 400, code);
    });

    test('401: no credentials, nothing stored', async () => {
      await expectRefusal(() => logbook.put('/logs', good, { as: null }), 401, 'auth.sign-in-required');
    });

    test('an entry may have more than a hundred tags', async () => {
      const tags = Array.from({ length: 150 }, (_, index) => ({ name: `tag ${index}` }));
      await logbook.put('/tags', tags);
      const entry = await logbook.create({ tags });
      expect(entry.tags).toHaveLength(150);
      expect((await logbook.search('tags=tag%20149')).ids).toEqual([entry.id]);
    });

    test('Idempotency-Key: the first result again, and nothing is stored twice', async () => {
      const headers = { 'idempotency-key': 'once' };
      const first = await logbook.create({ title: 'first' }, '', { headers });
      await logbook.post(`/logs/${first.id}`, { ...good, title: 'edited' });
      const before = await count();
      expect(await logbook.create({ title: 'first' }, '', { headers })).toEqual(first);
      expect(await count()).toBe(before);
      const refused = await logbook.put('/logs', { ...good, title: 'second' }, { headers });
      expect(refused).toMatchObject({ status: 422, body: { code: 'request.key-reused' } });
      expect(await count()).toBe(before);
      const other = await logbook.create({ title: 'other' }, '', { headers, as: 'admin:adminPass' });
      expect(other.id).not.toBe(first.id);
    });

    test('Idempotency-Key: twenty at the same time make one entry', async () => {
      const before = await count();
      const entries = await Promise.all(
        Array.from({ length: 20 }, () => logbook.create({}, '', { headers: { 'idempotency-key': 'storm' } })),
      );
      expect(new Set(entries.map(({ id }) => id)).size).toBe(1);
      expect(await count()).toBe(before + 1);
    });

    test('no id is assigned twice, even if many clients create concurrently', async () => {
      const entries = await Promise.all(Array.from({ length: 100 }, () => logbook.create()));
      expect(new Set(entries.map(({ id }) => id)).size).toBe(100);
    });

    test('notifyWsClients=false is recorded with the change; by default, clients are notified', async () => {
      const from = await changes();
      await logbook.create();
      await logbook.create({}, '?notifyWsClients=False');
      await changes();
      const recorded = await logbook.service.storage.committed.feed.listAfter(from, 10);
      expect(recorded.filter(isIntact).map(({ kind, notify }) => ({ kind, notify }))).toEqual([
        { kind: 'created', notify: true },
        { kind: 'created', notify: false },
      ]);
    });
  });

  describe('read', () => {
    test.each(['424242', 'abc', '1.0', '-1', '9999999999999999999', '%20', '0x1'])('404 for entry %s', async (id) => {
      for (const path of [`/logs/${id}`, `/logs/archived/${id}`]) {
        expect(await logbook.get(path)).toMatchObject({ status: 404, body: { code: 'entry.not-found' } });
      }
    });

    test('ETag changes with the entry; If-None-Match leads to 304 while it does not', async () => {
      const { id } = await logbook.create();
      const first = await logbook.get(`/logs/${id}`);
      const etag = first.headers.get('etag') ?? '';
      for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
        expect((await logbook.get(`/logs/${id}`, { headers: { 'if-none-match': known } })).status).toBe(304);
      }
      const edited = await logbook.post(`/logs/${id}`, good());
      expect(edited.headers.get('etag')).not.toBe(etag);
      expect((await logbook.get(`/logs/${id}`, { headers: { 'if-none-match': etag } })).status).toBe(200);
    });
  });

  const good = (fields: object = {}) => ({ title: 'changed', logbooks: [{ name: 'controls' }], ...fields });

  describe('update', () => {
    test('200: stored as sent; owner, creation and events stay; the version before is archived', async () => {
      const entry = await logbook.create({
        description: 'before',
        tags: [{ name: 'alarm' }],
        events: [{ name: 'e', instant: 1 }],
        level: 'Urgent',
      });
      const answer = await logbook.post(
        `/logs/${entry.id}`,
        good({ description: '*after*', owner: 'x', createdDate: 1, events: [], tags: [] }),
        { as: 'admin:adminPass' },
      );
      expect(answer.status).toBe(200);
      expect(answer.body).toMatchObject({
        id: entry.id,
        owner: 'user',
        modifiedBy: 'admin',
        createdDate: entry.createdDate,
        events: entry.events,
        title: 'changed',
        source: '*after*',
        description: 'after',
        level: 'Urgent',
        tags: [],
        logbooks: [{ name: 'controls' }],
      });
      expect(answer.body.modifyDate).toBeGreaterThanOrEqual(entry.createdDate);
      expect((await logbook.get(`/logs/archived/${entry.id}`)).body).toEqual({ hitCount: 1, logs: [entry] });
      expect((await logbook.search('text=before')).ids).not.toContain(entry.id);
    });

    test('a client that posts the whole entry back can clear its text', async () => {
      const entry = await logbook.create({ source: 'old **text**' });
      const cleared = await logbook.post(`/logs/${entry.id}`, { ...entry, source: '' });
      expect(cleared.body).toMatchObject({ source: '', description: '' });
      const rewritten = await logbook.post(`/logs/${entry.id}`, { ...entry, source: '', description: '*new*' });
      expect(rewritten.body).toMatchObject({ source: '*new*', description: 'new' });
    });

    test('the archive has every version, newest first; none of an entry that was never edited', async () => {
      const entry = await logbook.create();
      expect((await logbook.get(`/logs/archived/${entry.id}`)).body).toEqual({ hitCount: 0, logs: [] });
      for (const title of ['two', 'three', 'four']) await logbook.post(`/logs/${entry.id}`, good({ title }));
      const { body } = await logbook.get(`/logs/archived/${entry.id}`);
      expect(body.logs.map(({ title }: { title: string }) => title)).toEqual(['three', 'two', entry.title]);
    });

    test('a name that the entry has stays allowed when it is deleted; for another entry it is not', async () => {
      await logbook.put('/tags/short-lived', {});
      const entry = await logbook.create({ tags: [{ name: 'short-lived' }] });
      await logbook.call('/tags/short-lived', { method: 'DELETE' });
      const kept = await logbook.post(`/logs/${entry.id}`, good({ tags: [{ name: 'short-lived' }] }));
      expect(kept.body.tags).toEqual([{ name: 'short-lived', state: 'Inactive' }]);
      await expectRefusal(
        () => logbook.put('/logs', good({ tags: [{ name: 'short-lived' }] })),
        400,
        'entry.unknown-tag',
      );
    });

    test.each<[string, unknown, string]>([
      ['another id in the body', good({ id: 1_000_000 }), 'entry.id-mismatch'],
      ['no title', { logbooks: [{ name: 'operations' }] }, 'request.invalid'],
      ['no logbook', good({ logbooks: [] }), 'entry.no-logbook'],
      ['an unknown logbook', good({ logbooks: [{ name: 'nowhere' }] }), 'entry.unknown-logbook'],
    ])('400 for %s: neither changed nor archived', async (_case, body, code) => {
      const entry = await logbook.create();
      await expectRefusal(() => logbook.post(`/logs/${entry.id}`, body), 400, code);
      expect((await logbook.get(`/logs/${entry.id}`)).body).toEqual(entry);
      expect((await logbook.get(`/logs/archived/${entry.id}`)).body.hitCount).toBe(0);
    });

    test('the id may be in the body, as number or text', async () => {
      const { id } = await logbook.create();
      for (const own of [id, String(id), null])
        expect((await logbook.post(`/logs/${id}`, good({ id: own }))).status).toBe(200);
    });

    test('404: an entry that is not there', async () => {
      await expectRefusal(() => logbook.post('/logs/424242', good()), 404, 'entry.not-found');
    });

    test('412 for a stale If-Match; the current one and * pass', async () => {
      const { id } = await logbook.create();
      const etag = (await logbook.get(`/logs/${id}`)).headers.get('etag') ?? '';
      expect((await logbook.post(`/logs/${id}`, good(), { headers: { 'if-match': etag } })).status).toBe(200);
      await expectRefusal(
        () => logbook.post(`/logs/${id}`, good(), { headers: { 'if-match': etag } }),
        412,
        'entry.version-mismatch',
      );
      expect((await logbook.post(`/logs/${id}`, good(), { headers: { 'if-match': '*' } })).status).toBe(200);
    });

    test('of many updates of one version, one wins', async () => {
      const { id } = await logbook.create();
      const etag = (await logbook.get(`/logs/${id}`)).headers.get('etag') ?? '';
      const answers = await Promise.all(
        Array.from({ length: 10 }, () => logbook.post(`/logs/${id}`, good(), { headers: { 'if-match': etag } })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array(9).fill(412)]);
      expect((await logbook.get(`/logs/archived/${id}`)).body.hitCount).toBe(1);
    });
  });

  describe('replies and groups', () => {
    const groupOf = (entry: {
      properties: readonly { name: string; attributes: readonly { value: string | null }[] }[];
    }) => entry.properties.find(({ name }) => name === 'Log Entry Group')?.attributes[0]?.value;
    const read = async (id: number) => (await logbook.get(`/logs/${id}`)).body;

    test('a reply and its parent share a group; the parent is not edited', async () => {
      const parent = await logbook.create();
      const reply = await logbook.create({}, `?inReplyTo=${parent.id}`);
      const grouped = await read(parent.id);
      expect(groupOf(reply)).toMatch(/^[0-9a-f-]{36}$/);
      expect(groupOf(grouped)).toBe(groupOf(reply));
      expect(grouped).toMatchObject({ modifyDate: null, modifiedBy: null });
      expect((await logbook.get(`/logs/archived/${parent.id}`)).body.hitCount).toBe(0);
      const second = await logbook.create({}, `?inReplyTo=${reply.id}`);
      const thread = await logbook.get(
        `/logs?properties=${encodeURIComponent(`Log Entry Group.id.${groupOf(reply)}`)}&sort=up`,
      );
      expect(thread.body.map(({ id }: { id: number }) => id)).toEqual([parent.id, reply.id, second.id]);
    });

    test('a thread without an id is empty', async () => {
      expect(await logbook.get('/logs?properties=Log%20Entry%20Group.id.null')).toMatchObject({
        status: 200,
        body: [],
      });
    });

    test('a reply that fails changes nothing of its parent', async () => {
      const parent = await logbook.create();
      await expectRefusal(
        () => logbook.put(`/logs?inReplyTo=${parent.id}`, good({ logbooks: [{ name: 'nowhere' }] })),
        400,
        'entry.unknown-logbook',
      );
      expect(await read(parent.id)).toEqual(parent);
    });

    test('the group survives every edit, whatever the client sends', async () => {
      const parent = await logbook.create();
      const reply = await logbook.create({}, `?inReplyTo=${parent.id}`);
      const forged = { name: 'Log Entry Group', attributes: [{ name: 'id', value: 'mine' }] };
      expect(groupOf((await logbook.post(`/logs/${reply.id}`, good({ properties: [] }))).body)).toBe(groupOf(reply));
      expect(groupOf((await logbook.post(`/logs/${reply.id}`, good({ properties: [forged] }))).body)).toBe(
        groupOf(reply),
      );
    });

    test('a new entry keeps the group that it brings, in the spelling of the service', async () => {
      const brought = (name: string, value: unknown) => ({
        properties: [
          {
            name,
            attributes: [
              { name: 'id', value },
              { name: 'other', value: 'x' },
            ],
          },
        ],
      });
      for (const name of ['Log Entry Group', 'log entry GROUP']) {
        const attributes = [{ name: 'id', value: 'mine', state: 'Active' }];
        expect((await logbook.create(brought(name, 'mine'))).properties).toEqual([
          { name: 'Log Entry Group', owner: '', state: 'Active', attributes },
        ]);
      }
      for (const none of ['', ' ', null]) {
        expect((await logbook.create(brought('Log Entry Group', none))).properties).toEqual([]);
      }
      const alone = await logbook.create();
      const reply = await logbook.create(brought('Log Entry Group', 'chosen'), `?inReplyTo=${alone.id}`);
      expect([groupOf(reply), groupOf(await read(alone.id))]).toEqual(['chosen', 'chosen']);
      const other = await logbook.create(brought('Log Entry Group', 'ignored'), `?inReplyTo=${alone.id}`);
      expect(groupOf(other)).toBe('chosen');
    });

    test.each(['', '%20', '-1', '0', '-42'])('inReplyTo=%s is no reply', async (parent) => {
      expect(groupOf(await logbook.create({}, `?inReplyTo=${parent}`))).toBeUndefined();
    });

    test('POST /logs/group links entries and adds others to an existing group', async () => {
      const [a, b, c] = [await logbook.create(), await logbook.create(), await logbook.create()];
      const first = await logbook.post('/logs/group', [a.id, b.id]);
      expect(first.status).toBe(200);
      expect(first.body.map(({ id }: { id: number }) => id)).toEqual([a.id, b.id]);
      const second = await logbook.post('/logs/group', [c.id, String(b.id)]);
      expect(second.body.map(groupOf)).toEqual([groupOf(first.body[0]), groupOf(first.body[0])]);
      expect(await read(a.id)).toMatchObject({ modifyDate: null });
    });

    test.each<[string, (ids: number[]) => unknown, string]>([
      ['none', () => [], 'group.too-few'],
      ['one', ([a]) => [a], 'group.too-few'],
      ['one twice', ([a]) => [a, a], 'group.too-few'],
      ['an unknown entry', ([a]) => [a, 424_242], 'group.unknown-entry'],
      ['no ids', () => ['x', 'y'], 'group.unknown-entry'],
      ['a negative id', ([a]) => [a, -1], 'group.unknown-entry'],
      ['no list', () => ({ ids: [1, 2] }), 'request.invalid'],
      ['nested lists', () => [[1, 2]], 'request.invalid'],
    ])('400 for %s: nothing grouped', async (_case, body, code) => {
      const entry = await logbook.create();
      await expectRefusal(() => logbook.post('/logs/group', body([entry.id])), 400, code);
      expect(await read(entry.id)).toEqual(entry);
    });

    test('POST /logs/ungroup takes entries out by an edit, and leaves the others of their group', async () => {
      const [a, b, c] = [await logbook.create(), await logbook.create(), await logbook.create()];
      await logbook.post('/logs/group', [a.id, b.id, c.id]);
      const taken = await logbook.post('/logs/ungroup', [a.id, String(b.id)]);
      expect(taken.status).toBe(200);
      expect(taken.body.map(groupOf)).toEqual([undefined, undefined]);
      expect(await read(b.id)).toMatchObject({ ...b, version: 2, modifyDate: expect.any(Number), modifiedBy: 'user' });
      const [archived] = (await logbook.get(`/logs/archived/${b.id}`)).body.logs;
      expect(groupOf(archived)).toBe(groupOf(await read(c.id)));
      expect((await logbook.post('/logs/ungroup', [a.id])).body).toEqual([await read(a.id)]);
      expect(await read(a.id)).toMatchObject({ version: 2 });
    });

    test('POST /logs/ungroup takes no reply out: nothing changes', async () => {
      const [alone, parent] = [await logbook.create(), await logbook.create()];
      const reply = await logbook.create({}, `?inReplyTo=${parent.id}`);
      await logbook.post('/logs/group', [alone.id, parent.id]);
      const before = await read(alone.id);
      await expectRefusal(() => logbook.post('/logs/ungroup', [alone.id, reply.id]), 400, 'group.is-reply');
      await expectRefusal(() => logbook.post('/logs/ungroup', []), 400, 'request.invalid');
      await expectRefusal(() => logbook.post('/logs/ungroup', [alone.id, 424_242]), 400, 'group.unknown-entry');
      expect(await read(alone.id)).toEqual(before);
    });

    test('400 for entries of different groups', async () => {
      const ids = (await Promise.all(Array.from({ length: 4 }, () => logbook.create()))).map(({ id }) => id);
      await logbook.post('/logs/group', ids.slice(0, 2));
      await logbook.post('/logs/group', ids.slice(2));
      await expectRefusal(() => logbook.post('/logs/group', ids), 400, 'group.already-in-another');
    });
  });
});
