import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { downgradeToVersion6 } from '../../../test/fixtures/earlier-schema.js';
import { entryDraft } from '../../../test/fixtures/entries.js';
import { silentIntegrity, silentJobs, silentLog } from '../../../test/fixtures/log.js';
import { makeTempDir } from '../../../test/fixtures/service.js';
import type { Storage } from '../storage.port.js';
import type { Connection } from './database/connection.js';
import { openDatabase } from './database/open-database.js';
import { readUnchanged } from './database/read-unchanged.js';
import { newestSchema, readSchema } from './database/schema-version.js';
import { documentsFile } from './inspect-documents.js';
import { migrationCopiesJob } from './migration-copies-job.js';
import { openSqliteStorage } from './sqlite-storage.js';

let dir: string;
let storage: Storage | undefined;
const path = (name: string) => join(dir, name);
const copy = 'logbook-schema-6.sqlite';

beforeEach(async () => {
  dir = await makeTempDir();
  await open();
  await storage?.write(async (tx) => {
    await tx.entries.insert(entryDraft({ title: 'from before' }));
  });
  await close();
  await change(downgradeToVersion6);
});
afterEach(async () => {
  await close();
  await rm(dir, { recursive: true });
});

async function open(migrationCopy = true): Promise<Storage> {
  const deps = { log: silentLog, jobs: silentJobs(), integrity: silentIntegrity() };
  ({ storage } = await openSqliteStorage({ dataDir: dir, migrationCopy, searchThreads: 0, ...deps }));
  return storage;
}

async function close(): Promise<void> {
  await storage?.close();
  storage = undefined;
}

/** Changes the database without migrating it. */
async function change(work: (connection: Connection) => void): Promise<void> {
  const connection = await openDatabase(path(documentsFile), 'checkpointer');
  work(connection);
  connection.close();
}

const copies = async () => (await readdir(dir)).filter((name) => name.includes('-schema-')).toSorted();
const schemaOf = (name: string) => readUnchanged(path(name), readSchema);
const titleIn = (name: string) =>
  readUnchanged(path(name), (connection) => connection.get("SELECT document ->> '$.title' AS title FROM entry")?.title);

describe('a migration', () => {
  test('leaves a complete copy of the earlier database, for its owner alone; the next start makes none', async () => {
    await open();
    expect(await copies()).toEqual([copy]);
    expect([await schemaOf(copy), await titleIn(copy)]).toEqual([6, 'from before']);
    expect((await stat(path(copy))).mode & 0o777).toBe(0o600);
    await close();
    expect(await schemaOf(documentsFile)).toBe(newestSchema);
    await rm(path(copy));
    await open();
    expect(await copies()).toEqual([]);
  });

  test('copies also the writes that are only in the write-ahead log', async () => {
    const crashed = await openDatabase(path(documentsFile), 'checkpointer');
    crashed.exec(
      `PRAGMA wal_autocheckpoint = 0; UPDATE entry SET document = json_set(document, '$.title', 'in the log')`,
    );
    await open();
    crashed.close();
    expect(await titleIn(copy)).toBe('in the log');
  });

  test('replaces the remains of an interrupted copy, and a copy that is older than the last write', async () => {
    await writeFile(path(`${copy}.part`), 'half a copy');
    await writeFile(path(copy), 'a copy of an earlier day');
    await open();
    expect(await copies()).toEqual([copy]);
    expect(await titleIn(copy)).toBe('from before');
  });

  test('that fails changes nothing, and the next attempt uses the same copy', async () => {
    await change((connection) => connection.exec('PRAGMA application_id = 7; CREATE TABLE redaction (x INTEGER)'));
    await expect(open()).rejects.toThrow();
    expect(await schemaOf(documentsFile)).toBe(6);
    const { ino } = await stat(path(copy));
    await expect(open()).rejects.toThrow();
    expect((await stat(path(copy))).ino).toBe(ino);
    await change((connection) => connection.exec('DROP TABLE redaction'));
    await open();
    expect(await titleIn(copy)).toBe('from before');
    expect((await storage?.committed.entries.find(1))?.entry.title).toBe('from before');
  });

  test('is refused while another program reads an earlier state, and works afterwards', async () => {
    const reader = await openDatabase(path(documentsFile), 'reader');
    reader.exec('BEGIN');
    reader.get('SELECT count(*) FROM entry');
    await change((connection) => connection.run("UPDATE entry SET document = json_set(document, '$.title', 'later')"));
    await expect(open()).rejects.toThrow(/Another program, such as a backup, is reading .* Nothing was migrated/);
    // Below Node 24, closing the connection does not end its read transaction.
    reader.rollBack();
    reader.close();
    await open();
    expect(await titleIn(copy)).toBe('later');
  });

  test('makes no copy when the operator wants none', async () => {
    await open(false);
    expect(await copies()).toEqual([]);
  });
});

describe('the copy', () => {
  const never = new AbortController().signal;
  const dayMs = 86_400_000;

  async function runJob({ isIntact = true, ageMs = 0, redactions = 0, isTrusted = true }): Promise<void> {
    const madeAt = new Date(Date.now() - ageMs);
    await utimes(path(copy), madeAt, madeAt);
    const reader = await openDatabase(path(documentsFile), 'checkpointer');
    for (let at = 0; at < redactions; at++) reader.run("INSERT INTO redaction (document, crc) VALUES ('{}', 0)");
    const clock = { nowMs: () => Date.now() };
    const checks = { isIntact: () => isIntact, clock, clockWatch: { mayRemoveByAge: () => isTrusted } };
    const deps = { file: path(documentsFile), reader, ...checks, log: silentLog };
    await migrationCopiesJob(deps).run(never);
    reader.close();
  }

  beforeEach(async () => {
    await open();
    await close();
  });

  test.each([
    ['is kept for a week', { ageMs: 6.9 * dayMs }, true],
    ['is removed after a week', { ageMs: 7.1 * dayMs }, false],
    ['is kept while the migrated database is not known to be intact', { ageMs: 30 * dayMs, isIntact: false }, true],
    ['is kept while the clock cannot be trusted', { ageMs: 30 * dayMs, isTrusted: false }, true],
    [
      'is removed immediately when content is redacted, even in a later run',
      { redactions: 1, isTrusted: false },
      false,
    ],
  ])('%s', async (_case, state, isKept) => {
    await runJob(state);
    expect(await copies()).toEqual(isKept ? [copy] : []);
  });
});
