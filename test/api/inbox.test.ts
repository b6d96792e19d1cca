import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LogbookAccess } from '../../src/auth/logbook-access.js';
import { Permissions } from '../../src/auth/permissions.js';
import { indexBuilding, searchTooSlow } from '../../src/engines/search-faults.js';
import { systemClock } from '../../src/kernel/clock.js';
import { watchLimits } from '../../src/notifications/inbox/edit-watches.js';
import { ChangeEvaluation } from '../../src/notifications/inbox/evaluate-changes.js';
import { readCandidate } from '../../src/notifications/inbox/read-candidate.js';
import { countUnread, listInbox } from '../../src/notifications/inbox/read-inbox.js';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

const inBooks = (...names: string[]) => ({ logbooks: names.map((name) => ({ name })) });

describe('watches and inboxes', () => {
  let logbook: TestService;
  let people = 0;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(() => logbook.stop());

  /** A user whose inbox is empty. */
  const someone = async (): Promise<CallOptions & { readonly name: string }> => {
    people += 1;
    const name = `Reader.${people}`;
    return { name, as: null, headers: { cookie: await sessionOf(logbook, principal(name, ['USER'])) } };
  };
  const watch = async (by: CallOptions, json: object) => {
    const answer = await logbook.post('/me/watches', json, by);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const inbox = async (by: CallOptions, query = '') => (await logbook.get(`/me/inbox${query}`, by)).body;
  const titles = async (by: CallOptions, query = ''): Promise<string[]> =>
    (await inbox(by, query)).items.map(({ entry }: { entry: { title: string } }) => entry.title);
  /** Resolves when the inbox has an item of this entry: earlier changes are evaluated then, too. */
  const arrived = (by: CallOptions, title: string) =>
    expect.poll(() => titles(by), { timeout: 60_000 }).toContain(title);

  test('a watched search: new entries that match, oldest last, except those that the user made', async () => {
    const reader = await someone();
    await logbook.create({ title: 'before, trip' });
    const { id } = await watch(reader, { kind: 'search', name: 'Trips', query: 'title=trip' });
    await logbook.create({ title: 'first trip' });
    await logbook.create({ title: 'something else' });
    await logbook.create({ title: 'own trip' }, '', reader);
    await logbook.create({ title: 'quiet trip' }, '?notifyWsClients=false');
    const edited = await logbook.create({ title: 'second trip', description: 'text' });
    await logbook.post(`/logs/${edited.id}`, { title: 'second trip', description: 'other', ...inBooks('operations') });
    await logbook.create({ title: 'last trip' });
    await arrived(reader, 'last trip');
    const { items, unread, next } = await inbox(reader);
    expect(items.map(({ entry }: { entry: { title: string } }) => entry.title)).toEqual([
      ...['last trip', 'second trip', 'first trip'],
    ]);
    expect(items[2]).toMatchObject({
      ...{ change: 'created', read: false, reasons: [{ watchId: id, kind: 'search' }] },
      entry: { level: 'Info', owner: 'user', logbooks: ['operations'] },
    });
    expect([unread, next]).toEqual([3, null]);
    expect((await logbook.get('/me/watches', reader)).body).toEqual([
      { id, kind: 'search', name: 'Trips', query: 'title=trip', edits: false, unread: 3 },
    ]);
  });

  test('a search that takes too long brings nothing, and holds up no other', async () => {
    const [reader, hasty] = [await someone(), await someone()];
    await watch(reader, { kind: 'search', query: 'title=sluggish' });
    await watch(hasty, { kind: 'search', query: 'title=brisk' });
    const { id } = await logbook.create({ title: 'sluggish and brisk' });
    const { storage, searchIndex } = logbook.service;
    const evaluation = new ChangeEvaluation({
      ...{ storage, clock: systemClock, zone: 'UTC', log: pino({ level: 'silent' }) },
      permissions: new Permissions('signed-in', new LogbookAccess([])),
      recheck: async (account) => account,
      // The real index, except for one search: half a minute of searching would be too long for a test.
      searchIndex: {
        matching: async (query, ids, options) => {
          if (JSON.stringify(query.title).includes('sluggish')) throw searchTooSlow();
          return searchIndex.matching(query, ids, options);
        },
      },
    });
    const sequence = (await storage.committed.feed.newest()) + 1;
    const change = { sequence, kind: 'created', entryId: id, revision: 1, notify: true, atMs: 0 } as const;
    const found = await evaluation.evaluate([change], new AbortController().signal);
    expect(found.map(({ account }) => account.userName)).toEqual([hasty.name]);
  });

  test('a change of an entry that was moved since counts as in the logbooks before and after', async () => {
    const { id } = await logbook.create({ title: 'moved @someone', ...inBooks('operations') });
    await logbook.put('/logbooks', [{ name: 'controls' }], { as: 'admin:adminPass' });
    await logbook.post(`/logs/${id}`, { title: 'moved', ...inBooks('controls') });
    const change = { sequence: 1, kind: 'created', entryId: id, revision: 1, notify: true, atMs: 0 } as const;
    const candidate = await readCandidate(logbook.service.storage.committed.entries, change);
    expect(candidate?.logbooks.map(({ name }) => name)).toEqual(['controls', 'operations']);
    expect([...(candidate?.mentioned ?? [])]).toEqual(['someone']);
  });

  test('400 watch.unknown-parameter: a search that would find everything because of a mistyped name', async () => {
    const reader = await someone();
    for (const name of ['txt', '__proto__', 'constructor', 'size']) {
      const { status, body } = await logbook.post(
        '/me/watches',
        { kind: 'search', query: `${name}=1&title=x` },
        reader,
      );
      expect([status, body.code]).toEqual([400, 'watch.unknown-parameter']);
    }
    await watch(reader, { kind: 'search', query: 'Text=strange&Tags=' });
  });

  test('many users whom a change concerns are looked up in slices: other work is done in between', async () => {
    const { storage, searchIndex } = logbook.service;
    const { id } = await logbook.create({ title: '@crowd' });
    const crowd = Array.from({ length: 200 }, (_, at) => ({ ...principal(`Crowd.${at}`, ['USER']), roles: [] }));
    const subject = { kind: 'search', query: 'title=crowd' } as const;
    const watches = [{ id: 'w', name: '', subject, edits: false, after: 0 }];
    await storage.write(async ({ inbox }) => {
      for (const account of crowd) await inbox.putWatcher({ account, watches });
    });
    vi.useFakeTimers({ toFake: ['performance'] });
    let rounds = 0;
    let isDone = false;
    const count = () => {
      rounds += 1;
      if (!isDone) setImmediate(count);
    };
    let first: number | undefined;
    const evaluation = new ChangeEvaluation({
      ...{ storage, searchIndex, clock: systemClock, zone: 'UTC', log: pino({ level: 'silent' }) },
      permissions: new Permissions('signed-in', new LogbookAccess([])),
      recheck: async (account) => {
        first ??= rounds;
        vi.advanceTimersByTime(1);
        return account;
      },
    });
    try {
      setImmediate(count);
      const change = { sequence: 1e6, kind: 'created', entryId: id, revision: 1, notify: true, atMs: 0 } as const;
      const found = await evaluation.evaluate([change], new AbortController().signal);
      expect(found.map(({ account }) => account.userName)).toEqual(crowd.map(({ userName }) => userName));
      expect(rounds - (first ?? 0)).toBeGreaterThanOrEqual(9);
    } finally {
      isDone = true;
      vi.useRealTimers();
      for (const account of crowd) await storage.write(({ inbox }) => inbox.putWatcher({ account, watches: [] }));
    }
  });

  test('while the index is being built, the inbox shows what the user may read', async () => {
    const reader = await someone();
    await watch(reader, { kind: 'search', query: 'title=unbuilt' });
    await logbook.put('/logbooks', [{ name: 'closed' }], { as: 'admin:adminPass' });
    await logbook.create({ title: 'unbuilt, closed later', ...inBooks('operations', 'closed') });
    await logbook.create({ title: 'unbuilt, open' });
    await arrived(reader, 'unbuilt, open');
    const { storage } = logbook.service;
    const permissions = new Permissions(
      'signed-in',
      new LogbookAccess([{ logbook: 'closed', read: [], write: undefined }]),
    );
    const searchIndex = {
      matching: async () => {
        throw indexBuilding(0, 1);
      },
    };
    const deps = { storage, permissions, searchIndex };
    const user = principal(reader.name, ['USER']);
    expect((await countUnread(deps, user)).total).toBe(1);
    const { items } = await listInbox(deps, user, { size: 9, before: undefined, watchId: undefined });
    expect(items.map(({ entry }) => entry.title)).toEqual(['unbuilt, open']);
  });

  test('edits count for a watch that says so', async () => {
    const reader = await someone();
    const { id } = await logbook.create({ title: 'editable' });
    await watch(reader, { kind: 'search', query: 'title=editable', edits: true });
    await logbook.post(`/logs/${id}`, { title: 'editable again', ...inBooks('operations') });
    await arrived(reader, 'editable again');
    expect((await inbox(reader)).items).toMatchObject([{ change: 'edited', entry: { id } }]);
  });

  test('a watched thread: its replies, also when it has none yet', async () => {
    const reader = await someone();
    const { id } = await logbook.create({ title: 'alone' });
    await watch(reader, { kind: 'thread', entryId: id });
    const reply = await logbook.create({ title: 'a reply' }, `?inReplyTo=${id}`);
    await logbook.create({ title: 'a reply to the reply' }, `?inReplyTo=${reply.id}`);
    await arrived(reader, 'a reply to the reply');
    expect(await titles(reader)).toEqual(['a reply to the reply', 'a reply']);
    const again = await logbook.post('/me/watches', { kind: 'thread', entryId: reply.id }, reader);
    expect([again.status, again.body.code]).toEqual([409, 'watch.exists']);
  });

  test('two watched entries that are joined to one thread: a reply counts once', async () => {
    const reader = await someone();
    const [one, other] = [await logbook.create({ title: 'one' }), await logbook.create({ title: 'other' })];
    const first = await watch(reader, { kind: 'thread', entryId: one.id });
    await watch(reader, { kind: 'thread', entryId: other.id });
    expect((await logbook.post('/logs/group', [one.id, other.id])).status).toBe(200);
    await logbook.create({ title: 'to both' }, `?inReplyTo=${other.id}`);
    await arrived(reader, 'to both');
    const { items, unread } = await inbox(reader);
    expect([unread, items[0].reasons]).toEqual([1, [{ watchId: first.id, kind: 'thread' }]]);
  });

  test('a watched thread that its entry has left: later entries in it no longer count', async () => {
    const reader = await someone();
    const [watched, other] = [await logbook.create({ title: 'watched' }), await logbook.create({ title: 'other' })];
    await logbook.post('/logs/group', [watched.id, other.id]);
    await watch(reader, { kind: 'thread', entryId: watched.id });
    await logbook.create({ title: 'a reply to both' }, `?inReplyTo=${other.id}`);
    await arrived(reader, 'a reply to both');
    await logbook.post('/logs/ungroup', [watched.id]);
    await logbook.create({ title: 'a reply to the other' }, `?inReplyTo=${other.id}`);
    await logbook.create({ title: 'a reply to the watched' }, `?inReplyTo=${watched.id}`);
    await arrived(reader, 'a reply to the watched');
    expect(await titles(reader)).toEqual(['a reply to the watched', 'a reply to both']);
  });

  test('replies to entries of the user, and mentions, each once whatever they match', async () => {
    const reader = await someone();
    const [replies, mentions] = [await watch(reader, { kind: 'replies' }), await watch(reader, { kind: 'mentions' })];
    const { id } = await logbook.create({ title: 'mine' }, '', reader);
    await logbook.create({ title: 'both', description: `See @${reader.name.toLowerCase()}.` }, `?inReplyTo=${id}`);
    await logbook.create({ title: 'no mention', description: `a@${reader.name} @${reader.name}0 ${reader.name}` });
    const later = await logbook.create({ title: 'later' });
    const add = (description: string) =>
      logbook.post(`/logs/${later.id}`, { title: 'later', description, ...inBooks('operations') });
    await add(`Ask @${reader.name}!`);
    await add(`Ask @${reader.name} again.`);
    await logbook.create({ title: `@${reader.name}: end` });
    await arrived(reader, `@${reader.name}: end`);
    const { items } = await inbox(reader);
    expect(
      items.map(({ entry, change }: { entry: { title: string }; change: string }) => [entry.title, change]),
    ).toEqual([
      [`@${reader.name}: end`, 'created'],
      ['later', 'edited'],
      ['both', 'created'],
    ]);
    expect(items[2].reasons.map(({ watchId }: { watchId: string }) => watchId)).toEqual([replies.id, mentions.id]);
  });

  test('pages, items of one watch, and reading', async () => {
    const reader = await someone();
    const odd = await watch(reader, { kind: 'search', query: 'title=oddity' });
    await watch(reader, { kind: 'search', query: 'title=paged' });
    for (const title of ['paged 1', 'paged oddity 2', 'paged 3']) await logbook.create({ title });
    await arrived(reader, 'paged 3');
    const first = await inbox(reader, '?size=2');
    expect(await titles(reader, `?size=2&before=${first.next}`)).toEqual(['paged 1']);
    expect(await titles(reader, `?watch=${odd.id}`)).toEqual(['paged oddity 2']);
    const read = (json: object) => logbook.post('/me/inbox/read', json, reader);
    expect((await read({ ids: [first.items[0].id] })).body).toEqual({ unread: 2 });
    expect((await inbox(reader)).items.map((item: { read: boolean }) => item.read)).toEqual([true, false, false]);
    expect((await read({ upTo: first.items[1].id })).body).toEqual({ unread: 0 });
    expect((await logbook.get('/me/watches', reader)).body[0].unread).toBe(0);
    expect((await inbox(await someone())).items).toEqual([]);
    for (const json of [{ upTo: 1e300 }, { ids: [1e300] }]) expect((await read(json)).status).toBe(400);
    for (const query of ['?size=0', '?size=101', '?before=x', '?before=1e300']) {
      expect((await logbook.get(`/me/inbox${query}`, reader)).status).toBe(400);
    }
  });

  test('a changed watch counts from then on; a deleted one brings nothing more, and its items stay', async () => {
    const reader = await someone();
    const { id } = await watch(reader, { kind: 'search', query: 'title=former' });
    await logbook.create({ title: 'former 1' });
    await arrived(reader, 'former 1');
    const change = { kind: 'search', name: ' New ', query: 'title=newer' };
    const changed = await logbook.put(`/me/watches/${id}`, change, reader);
    expect(changed.body).toEqual({ id, ...change, name: 'New', edits: false, unread: 1 });
    await logbook.create({ title: 'former 2' });
    await logbook.create({ title: 'newer 1' });
    await arrived(reader, 'newer 1');
    await logbook.call(`/me/watches/${id}`, { method: 'DELETE', ...reader });
    await watch(reader, { kind: 'search', query: 'title=end' });
    await logbook.create({ title: 'newer 2' });
    await logbook.create({ title: 'end' });
    await arrived(reader, 'end');
    expect(await titles(reader)).toEqual(['end', 'newer 1', 'former 1']);
  });

  test('refused: nothing is stored', async () => {
    const reader = await someone();
    const refused = async (json: object) => {
      const { status, body } = await logbook.post('/me/watches', json, reader);
      return [status, body.code];
    };
    expect(await refused({ kind: 'search' })).toEqual([400, 'watch.incomplete']);
    expect(await refused({ kind: 'thread' })).toEqual([400, 'watch.incomplete']);
    expect(await refused({ kind: 'thread', entryId: 99_999 })).toEqual([404, 'entry.not-found']);
    expect((await refused({ kind: 'thread', entryId: 1e300 }))[0]).toBe(400);
    expect(await refused({ kind: 'search', query: 'start=never' })).toEqual([400, 'search.bad-time']);
    expect((await refused({ kind: 'odd' }))[0]).toBe(400);
    expect((await refused({ kind: 'search', query: 'x'.repeat(watchLimits.queryLength + 1) }))[0]).toBe(400);
    expect((await logbook.get('/me/watches', reader)).body).toEqual([]);
    const { id } = await watch(reader, { kind: 'replies' });
    expect(await refused({ kind: 'replies' })).toEqual([409, 'watch.exists']);
    const other = await watch(reader, { kind: 'mentions' });
    const put = await logbook.put(`/me/watches/${other.id}`, { kind: 'replies' }, reader);
    expect(put.body).toMatchObject({ status: 409, code: 'watch.exists' });
    for (const [method, by] of [
      ['PUT', await someone()],
      ['DELETE', await someone()],
    ] as const) {
      const answer = await logbook.call(`/me/watches/${id}`, { method, json: { kind: 'replies' }, ...by });
      expect([answer.status, answer.body.code]).toEqual([404, 'watch.not-found']);
    }
    for (let n = 2; n < watchLimits.watches; n++) await watch(reader, { kind: 'search', query: `title=${n}` });
    expect(await refused({ kind: 'search', query: 'title=more' })).toEqual([409, 'watch.too-many']);
  });

  test('500 storage.damaged: watches that cannot be read are not replaced', async () => {
    const reader = await someone();
    await watch(reader, { kind: 'replies' });
    const shift = (by: number) =>
      logbook.runSql(`UPDATE watcher SET crc = crc + ${by} WHERE user_name = '${reader.name}'`);
    await shift(1);
    const { status, body } = await logbook.post('/me/watches', { kind: 'mentions' }, reader);
    expect([status, body.code]).toEqual([500, 'storage.damaged']);
    await shift(-1);
    const { body: kept } = await logbook.get('/me/watches', reader);
    expect(kept.map(({ kind }: { kind: string }) => kind)).toEqual(['replies']);
  });

  test('a repeated request with its key adds one watch', async () => {
    const reader = await someone();
    const headers = { ...reader.headers, 'idempotency-key': 'one' };
    const add = () => logbook.post('/me/watches', { kind: 'replies' }, { ...reader, headers });
    expect((await add()).body).toEqual((await add()).body);
    expect((await logbook.get('/me/watches', reader)).body).toHaveLength(1);
  });
});

test('no entry that the user may not read, also when that changes later', async () => {
  const dir = await makeTempDir();
  const file = join(dir, 'access.properties');
  const dataDir = await makeTempDir();
  const start = async (rules: string) => {
    await writeFile(file, rules);
    return TestService.start({ logbookAccessFile: file }, dataDir);
  };
  const admin = { as: 'admin:adminPass' };
  const read = async (logbook: TestService) => {
    const { body } = await logbook.get('/me/inbox');
    return [body.unread, ...body.items.map(({ entry }: { entry: { title: string } }) => entry.title)];
  };
  const readWhen = (logbook: TestService, expected: unknown[]) =>
    expect.poll(() => read(logbook), { timeout: 60_000 }).toEqual(expected);
  let logbook = await start('Safety.read = user:user\nSecret.read = user:jane\n');
  try {
    await logbook.put('/logbooks', [{ name: 'Safety' }, { name: 'Secret' }], admin);
    const added = await logbook.post('/me/watches', { kind: 'search', query: 'title=seen', edits: true });
    expect(added.status, added.text).toBe(200);
    await logbook.create({ title: 'seen secret', ...inBooks('operations', 'Secret') }, '', admin);
    await logbook.create({ title: 'seen safety', ...inBooks('Safety') }, '', admin);
    const moved = await logbook.create({ title: 'seen open' }, '', admin);
    await readWhen(logbook, [2, 'seen open', 'seen safety']);
    // Moved to where the user may not read it.
    await logbook.post(`/logs/${moved.id}`, { title: 'seen moved', ...inBooks('Secret') }, admin);
    await logbook.create({ title: 'seen last' }, '', admin);
    await readWhen(logbook, [2, 'seen last', 'seen safety']);
    expect((await logbook.get('/me/watches')).body).toMatchObject([{ unread: 2 }]);
    await logbook.stop({ keepData: true });

    logbook = await start('Safety.read = user:jane\nSecret.read = user:jane\n');
    expect(await read(logbook)).toEqual([1, 'seen last']);
    await logbook.create({ title: 'seen safety again', ...inBooks('Safety') }, '', admin);
    await logbook.create({ title: 'seen after all' }, '', admin);
    await readWhen(logbook, [2, 'seen after all', 'seen last']);
    const [row] = [
      await logbook.service.storage.committed.inbox.listItems({ scheme: 'inMemory', userName: 'user' }, 99),
    ];
    expect(row).toHaveLength(4);
  } finally {
    await logbook.stop();
    await rm(dir, { recursive: true });
  }
});
