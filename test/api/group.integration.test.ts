import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LogbookAccess } from '../../src/auth/logbook-access.js';
import { Permissions } from '../../src/auth/permissions.js';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { groupEntries } from '../../src/entries/group-entries.js';
import { systemClock as clock } from '../../src/kernel/clock.js';
import { basicAuth } from '../fixtures/raw-http.js';
import { TestService } from '../fixtures/service.js';
import { principal } from '../fixtures/sessions.js';

describe('grouping many and large entries', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({ maxEntrySize: '8MB', permissions: 'signed-in' });
  });
  afterAll(async () => {
    await logbook.stop();
  });

  /** Source and description take as much each. */
  const createLarge = async (count: number, bytes: number) => {
    const ids: number[] = [];
    for (let at = 0; at < count; at++)
      ids.push((await logbook.create({ description: 'x'.repeat(bytes / 2) }, '?markup=none')).id);
    return ids;
  };
  const inGroup = async (id: number) => JSON.stringify((await logbook.get(`/logs/${id}`)).body.properties) !== '[]';

  test('400 group.too-large: nothing is grouped, and the message says how to do it', async () => {
    const ids = await createLarge(9, 1_000_000);
    const refused = await logbook.post('/logs/group', ids);
    expect(refused).toMatchObject({ status: 400, body: { code: 'group.too-large' } });
    expect(refused.body.message).toContain('The limit is 8 MB for each request');
    for (const id of ids) expect(await inGroup(id)).toBe(false);
    for (const part of [ids.slice(0, 5), ids.slice(4)])
      expect((await logbook.post('/logs/group', part)).status).toBe(200);
    const groups = new Set<string>();
    for (const id of ids) groups.add(JSON.stringify((await logbook.get(`/logs/${id}`)).body.properties));
    expect(groups.size).toBe(1);
  });

  test('200: two entries can be grouped, however large', async () => {
    const ids = await createLarge(2, 10_000_000);
    expect((await logbook.post('/logs/group', ids)).status).toBe(200);
  });

  test('200: an entry can be taken out, however large', async () => {
    const ids = await createLarge(2, 10_000_000);
    await logbook.post('/logs/group', ids);
    expect((await logbook.post('/logs/ungroup', ids.slice(1))).status).toBe(200);
    expect(await Promise.all(ids.map(inGroup))).toEqual([true, false]);
  });

  test('200: the answer has each entry as it is stored, in the order given', async () => {
    const ids = [...(await createLarge(3, 200_000)), (await logbook.create()).id].reverse();
    const answer = await logbook.post('/logs/group', ids);
    const stored = await Promise.all(ids.map(async (id) => (await logbook.get(`/logs/${id}`)).text));
    expect(answer.text).toBe(`[${stored.join(',')}]`);
  });

  test('other work gets its turn while large entries are grouped', async () => {
    const ids = await createLarge(6, 1_000_000);
    const deps = {
      storage: logbook.service.storage,
      clock,
      permissions: new Permissions('signed-in', new LogbookAccess([])),
    };
    let turns = 0;
    let isGrouped = false;
    const grouping = groupEntries(deps, principal('user', ['USER'], []), ids).finally(() => {
      isGrouped = true;
    });
    while (!isGrouped) {
      await nextTurn();
      turns += 1;
    }
    expect(await grouping).toHaveLength(6);
    expect(turns).toBeGreaterThanOrEqual(2 * ids.length);
  });

  test('a failure after the commit cuts the answer short, and no error denies the commit', async () => {
    const ids = await createLarge(3, 200_000);
    const database = await openDatabase(`${logbook.dataDir}/logbook.sqlite`, 'writer');
    const forget = logbook.service.storage.onCommit(({ entries }) => {
      // The service writes other things on its own.
      if (!entries) return;
      forget();
      // Make the second entry unreadable from now on.
      database.exec('PRAGMA foreign_keys = OFF');
      database.run('DELETE FROM entry WHERE id = ?', ids[1] ?? 0);
    });
    const response = await fetch(`${logbook.base}/logs/group`, {
      method: 'POST',
      headers: { authorization: basicAuth(), 'content-type': 'application/json' },
      body: JSON.stringify(ids),
    });
    expect(response.status).toBe(200);
    await expect(response.text()).rejects.toThrow();
    database.close();
    expect(await inGroup(ids[0] ?? 0)).toBe(true);
  });
});
