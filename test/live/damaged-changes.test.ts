import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { documentsFile } from '../../src/engines/sqlite/inspect-documents.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { Receiver } from '../fixtures/receiver.js';
import { call, makeTempDir, TestService } from '../fixtures/service.js';
import { asAdmin, startWithSubscribers, stateWhen, webhookTo } from '../fixtures/subscribed-logbook.js';

let dataDir: string;
let logbook: TestService;
let lines: string[];
beforeEach(async () => {
  dataDir = await makeTempDir();
  lines = [];
});
afterEach(async () => {
  await logbook.stop();
  await rm(dataDir, { recursive: true, force: true });
});

const logger = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
const start = async () => {
  logbook = await TestService.start({}, dataDir, logger);
};

/** Alters the change of an entry as a disk does: its row names another entry. */
async function damageChangeOf(entryId: number): Promise<void> {
  const connection = await openDatabase(join(dataDir, documentsFile), 'writer');
  expect(connection.run('UPDATE change SET entry_id = 1 WHERE entry_id = ?', entryId)).toBe(1);
  connection.close();
}

test('a client of the stream is informed of a damaged change by its position, and gets the next ones', async () => {
  await start();
  for (const title of ['first', 'second', 'third']) await logbook.create({ title });
  await damageChangeOf(2);
  for (const query of ['', '?title=*']) {
    const reader = await ChangeReader.open(logbook.base, { position: 0, query });
    const changes = await reader.next(3);
    expect(changes.map(({ id, event, data }) => [id, event, data.entry?.title])).toEqual([
      [1, 'created', 'first'],
      [2, 'damaged', undefined],
      [3, 'created', 'third'],
    ]);
    expect(changes[1]?.data).toEqual({ sequence: 2, kind: 'damaged' });
    await reader.close();
  }
  const { body } = await call(`${logbook.origin}/readyz`);
  expect(body).toMatchObject({ status: 'degraded', checks: { integrity: { status: 'warning', change: 1 } } });
  expect((await call(`${logbook.origin}/metrics`, asAdmin)).text).toContain('logbook_damaged_data{kind="change"} 1');
  const found = lines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'damaged data found');
  expect(found).toEqual([
    expect.objectContaining({
      ...{ kind: 'change', subject: 'change 2', path: documentsFile },
      advice: expect.stringContaining('compare'),
    }),
  ]);
});

test('a subscriber goes on after damaged changes, of which a dead letter informs', async () => {
  const target = await Receiver.start();
  try {
    const subscribers = { hook: webhookTo(target.origin) };
    logbook = await startWithSubscribers(subscribers, { dataDir });
    await logbook.create({ title: 'before' });
    await target.waitFor(1);
    // It would be delivered once more after a stop before its answer.
    await stateWhen(logbook, 'hook', ({ sequence }) => sequence === 1);
    await logbook.service.stop();
    await start();
    for (const title of ['first', 'lost', 'lost, too', 'last']) await logbook.create({ title });
    for (const id of [3, 4]) await damageChangeOf(id);
    await logbook.service.stop();
    logbook = await startWithSubscribers(subscribers, { dataDir });
    await target.waitFor(3);
    expect(target.titles).toEqual(['before', 'first', 'last']);
    const state = await stateWhen(logbook, 'hook', ({ sequence }) => sequence === 5);
    expect(state).toMatchObject({ deadLetters: 1, lag: 0 });
    expect((await logbook.get('/subscribers/hook/dead-letters', asAdmin)).body).toMatchObject([
      { changes: [], attempts: 0, reason: expect.stringContaining('changes 3 to 4 are damaged'), recipient: null },
    ]);
  } finally {
    await target.stop();
  }
});
