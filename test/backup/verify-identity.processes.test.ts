import { cp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { backUp, directory, embedded, restore, verify, verifyTarget } from '../fixtures/backups.js';
import { copyDataDir, makeTempDir, TestService } from '../fixtures/service.js';

let root: string;
let dataDir: string;
/** Copy of the data directory as the service has left it. */
let stopped: string;

beforeAll(async () => {
  root = await makeTempDir();
  [dataDir, stopped] = [join(root, 'data'), join(root, 'stopped')];
  const logbook = await TestService.start({}, dataDir);
  await logbook.create();
  const entry = { title: 'one', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  expect((await logbook.sendForm('PUT', entry, [{ name: 'a.txt', content: 'one' }])).status).toBe(200);
  await logbook.service.searchIndex.waitUntilIndexed();
  expect(await verify(embedded(dataDir)), 'while the service runs').toEqual([]);
  await logbook.stop({ keepData: true });
  await copyDataDir(dataDir, stopped);
});

beforeEach(async () => {
  await rm(dataDir, { recursive: true });
  await cp(stopped, dataDir, { recursive: true });
});

afterAll(() => rm(root, { recursive: true, force: true }));

const file = (name: string) => join(dataDir, name);

async function flip(path: string, offset: number): Promise<void> {
  const content = await readFile(path);
  content.writeUInt8(content.readUInt8(offset) ^ 1, offset);
  await writeFile(path, content);
}

async function changeLock(statement: string): Promise<void> {
  const DatabaseSync = await loadSqlite();
  const db = new DatabaseSync(file('lock.sqlite'));
  db.exec(statement);
  db.close();
}

describe('verify of a logbook', () => {
  test('names a flipped id of the attachments, and the command adopt as the remedy', async () => {
    await flip(file('attachments/store-id'), 3);
    expect(await verify(embedded(dataDir))).toEqual([
      expect.stringMatching(/^PROBLEM {2}\S+attachments\/store-id: it names the logbook \S+ instead of \S+\. .*adopt/),
    ]);
  });

  test('names a missing id of the attachments', async () => {
    await rm(file('attachments/store-id'));
    expect(await verify(embedded(dataDir))).toEqual([
      expect.stringMatching(/^PROBLEM {2}\S+attachments\/store-id: it is missing or empty/),
    ]);
  });

  test('names entry-ids with a flipped digit', async () => {
    await flip(file('entry-ids'), 'reserved '.length);
    expect(await verify(embedded(dataDir))).toEqual([
      expect.stringMatching(/^PROBLEM {2}\S+entry-ids: the file is damaged, .*The next new entry rewrites the file/),
    ]);
  });

  test('names entry-ids that are older than the database', async () => {
    await writeFile(file('entry-ids'), 'reserved 1\ngiven 1\nboot \n');
    expect(await verify(embedded(dataDir))).toEqual([
      expect.stringMatching(/entry-ids: it says that no entry id above 1 was assigned, but logbook\.sqlite contains 2/),
    ]);
  });

  test.each([
    ['its header', 3],
    ['a page', 4_096],
  ])('names lock.sqlite with a flipped bit in %s', async (_what, offset) => {
    await flip(file('lock.sqlite'), offset);
    expect(await verify(embedded(dataDir))).toEqual([
      expect.stringMatching(
        /^PROBLEM {2}\S+lock\.sqlite: the file is damaged .*move lock\.sqlite away, and run .*adopt/,
      ),
    ]);
  });

  test.each([
    ['the id of the logbook', "UPDATE identity SET store_id = 'x' || substr(store_id, 2)", /it names the logbook x/],
    [
      'the mark of the database',
      'UPDATE database_mark SET value = value + 64',
      /its mark does not match the logbook\.sqlite/,
    ],
  ])('names lock.sqlite with another value for %s', async (_what, statement, expected) => {
    await changeLock(statement);
    expect(await verify(embedded(dataDir))).toEqual([expect.stringMatching(expected)]);
  });

  test('names a missing lock.sqlite', async () => {
    await rm(file('lock.sqlite'));
    expect(await verify(embedded(dataDir))).toEqual([expect.stringMatching(/lock\.sqlite: it is missing\. .*adopt/)]);
  });

  test('finds nothing in a restored logbook that was never started, except that the index is missing', async () => {
    const target = directory(join(root, 'for-restore'));
    await backUp(embedded(dataDir), target);
    await restore(embedded(join(root, 'restored')), target);
    expect(await verify(embedded(join(root, 'restored')))).toEqual([expect.stringContaining('the search index')]);
  });
});

describe('verify of a backup target', () => {
  const target = () => directory(join(root, 'backups'));
  const mark = () => join(root, 'backups', 'logbook-backups');

  beforeEach(async () => {
    await rm(join(root, 'backups'), { recursive: true, force: true });
    await backUp(embedded(dataDir), target());
    await backUp(embedded(dataDir), target());
  });

  test('names a flipped mark of the target, and not its backups; --repair writes it again', async () => {
    const intact = await readFile(mark(), 'utf8');
    await flip(mark(), 3);
    await expect(backUp(embedded(dataDir), target())).rejects.toThrow(/logbook-backups is damaged. Run .*--repair/);
    const found = [
      expect.stringMatching(/^PROBLEM {2}\S+\/logbook-backups: it names the logbook \S+, but the backups/),
    ];
    expect(await verifyTarget(target(), dataDir)).toEqual(found);
    expect(await verifyTarget(target(), dataDir, true)).toEqual(found);
    expect(await readFile(mark(), 'utf8')).toBe(intact);
    expect(await verifyTarget(target(), dataDir)).toEqual([]);
  });

  test('names an empty mark of the target; no other logbook is backed up there in the meantime', async () => {
    await truncate(mark());
    const other = await TestService.start({}, join(root, 'other'));
    await expect(backUp(embedded(join(root, 'other')), target())).rejects.toThrow('has the backups of the logbook');
    await other.stop();
    expect(await verifyTarget(target(), dataDir)).toEqual([
      expect.stringMatching(/logbook-backups: it is missing or empty/),
    ]);
    await backUp(embedded(dataDir), target());
    expect(await verifyTarget(target(), dataDir)).toEqual([]);
  });

  test('a damaged lock of the target is named with what to do', async () => {
    await writeFile(join(root, 'backups', 'lock.sqlite'), 'x'.repeat(200));
    await expect(backUp(embedded(dataDir), target())).rejects.toThrow(
      /lock\.sqlite in \S+ is damaged .* holds nothing but the lock: .* remove it/,
    );
  });
});
