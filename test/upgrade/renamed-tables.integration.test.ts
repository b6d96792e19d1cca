import { createPublicKey } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { directory, embedded, restore } from '../fixtures/backups.js';
import { formerRows, renamedRows } from '../fixtures/renamed-rows.js';
import { fixturesDir, unpackFiles } from '../fixtures/schema-fixture.js';
import { makeTempDir } from '../fixtures/service.js';

let dir: string;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(() => rm(dir, { recursive: true }));

test('the embedded database keeps the rows of tables that a migration renames', async () => {
  await unpackFiles(join(fixturesDir, 'sqlite-16', 'data'), dir);
  const file = join(dir, 'logbook.sqlite');
  const before = new (await loadSqlite())(file);
  before.exec(formerRows);
  before.close();
  const database = await openDatabase(file, 'writer');
  for (const [sql, rows] of renamedRows) expect(database.all(sql), sql).toEqual(rows);
  database.close();
});

test('a backup of format 1 is restored with the rows of tables that were renamed later', async () => {
  await unpackFiles(join(fixturesDir, 'backup-1'), dir);
  const key = createPublicKey(await readFile(join(dir, 'backup-key.pub')));
  const restored = join(dir, 'restored');
  const { findings } = await restore(embedded(restored), directory(join(dir, 'target')), { keys: [key] });
  expect(findings).toEqual([]);
  const database = await openDatabase(join(restored, 'logbook.sqlite'), 'reader');
  const found = (sql: string) => database.all(sql);
  expect(found('SELECT name, sequence FROM subscriber')).toEqual([{ name: 'shift', sequence: 10 }]);
  expect(found('SELECT subscriber, retry_requested FROM dead_letter ORDER BY id')).toEqual([
    { subscriber: 'shift', retry_requested: 0 },
    { subscriber: 'shift', retry_requested: 1 },
  ]);
  expect(found('SELECT * FROM dropped_deliveries')).toEqual([{ subscriber: 'shift', count: 7 }]);
  expect(found('SELECT subscriber FROM deferred_delivery')).toEqual([{ subscriber: 'shift' }]);
  expect(found('SELECT entry_id, attempts FROM pending_text_extraction ORDER BY attempts')).toEqual([
    { entry_id: 2, attempts: 0 },
    { entry_id: 2, attempts: 2 },
  ]);
  expect(found('SELECT user_name, key FROM idempotency_key')).toEqual([{ user_name: 'user', key: 'key one' }]);
  database.close();
});
