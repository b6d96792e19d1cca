import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { documentsFile } from '../../src/engines/sqlite/inspect-documents.js';
import { ChangeReader } from '../fixtures/change-reader.js';
import { Receiver } from '../fixtures/receiver.js';
import { call, makeTempDir, TestService } from '../fixtures/service.js';
import { StompClient } from '../fixtures/stomp-client.js';
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

/** Replaces words in the stored document of an entry, as a disk alters it. */
async function alterEntry(id: number, from: string, to: string): Promise<void> {
  const connection = await openDatabase(join(dataDir, documentsFile), 'writer');
  const sql = 'UPDATE entry SET document = replace(document, ?, ?) WHERE id = ?';
  expect(connection.run(sql, from, to, id)).toBe(1);
  connection.close();
}

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

test('an entry that is damaged hides no other one from a client of the stream', async () => {
  await start();
  for (const title of ['first', 'second', 'third']) await logbook.create({ title });
  await alterEntry(2, 'second', 'sec0nd');
  for (const query of ['', '?title=*']) {
    const reader = await ChangeReader.open(logbook.base, { position: 0, query });
    const changes = await reader.next(3);
    expect(changes.map(({ event, data }) => [event, data.entry?.title])).toEqual([
      ['created', 'first'],
      ['damaged', undefined],
      ['created', 'third'],
    ]);
    await reader.close();
  }
});

test('a STOMP client is told to list the entries again, whatever it may read, and gets the next change', async () => {
  await start();
  await logbook.service.stop();
  // Damages each change of an entry with this title as it is stored: live clients are notified right after the commit.
  const connection = await openDatabase(join(dataDir, documentsFile), 'writer');
  connection.exec(`CREATE TRIGGER damage AFTER INSERT ON change
    WHEN (SELECT document FROM entry WHERE id = NEW.entry_id) LIKE '%"title":"lost"%'
    BEGIN UPDATE change SET entry_id = 1 WHERE sequence = NEW.sequence; END`);
  connection.close();
  const access = join(dataDir, 'access.properties');
  await writeFile(access, 'Hidden.read = user:admin\n');
  logbook = await TestService.start({ logbookAccessFile: access }, dataDir, logger);
  const clients = await Promise.all(
    ['/logbook/web-socket/messages', '/topic/entries'].map((topic) => StompClient.subscribe(logbook.base, { topic })),
  );
  for (const title of ['first', 'lost', 'last']) await logbook.create({ title });
  const created = { messageType: 'NEW_LOG_ENTRY', payload: null };
  const received = async (client: StompClient | undefined) => JSON.parse((await client?.next('MESSAGE'))?.body ?? '');
  for (let at = 0; at < 3; at++) expect(await received(clients[0])).toEqual(created);
  for (const title of ['first', 'last']) expect((await received(clients[1])).title).toBe(title);
  for (const client of clients) await client.close();
});

test('a subscriber continues after damaged changes, of which a dead letter informs', async () => {
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

test('a subscriber continues after an entry that is damaged, which is delivered once it is repaired', async () => {
  const target = await Receiver.start();
  try {
    const subscribers = { hook: webhookTo(target.origin) };
    logbook = await startWithSubscribers(subscribers, { dataDir });
    await logbook.service.stop();
    await start();
    for (const title of ['first', 'second', 'third', 'last']) await logbook.create({ title });
    await alterEntry(3, 'third', 'th1rd');
    await logbook.service.stop();
    logbook = await startWithSubscribers(subscribers, { dataDir });
    await expect.poll(() => target.titles).toEqual(['first', 'second', 'last']);
    await stateWhen(logbook, 'hook', ({ deadLetters, lag }) => deadLetters === 1 && lag === 0);
    const letters = (await logbook.get('/subscribers/hook/dead-letters', asAdmin)).body;
    expect(letters).toMatchObject([
      { changes: [{ entryId: 3 }], attempts: 1, reason: expect.stringContaining('an entry is damaged') },
    ]);
    await alterEntry(3, 'th1rd', 'third');
    const retry = await logbook.call(`/subscribers/hook/dead-letters/${letters[0].id}`, { method: 'POST', ...asAdmin });
    expect(retry.status).toBeLessThan(300);
    await expect.poll(() => target.titles).toEqual(['first', 'second', 'last', 'third']);
    await stateWhen(logbook, 'hook', ({ deadLetters }) => deadLetters === 0);
  } finally {
    await target.stop();
  }
});
