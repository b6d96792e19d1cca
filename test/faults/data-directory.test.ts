import { createHash, randomBytes } from 'node:crypto';
import { chmod, cp, open, readdir, readFile, rename, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type DatabaseSync, loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { contentOf } from '../fixtures/directory-content.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { call, entryForm, makeTempDir } from '../fixtures/service.js';
import { storedFiles } from '../fixtures/stored-files.js';

/** Effects of a start on a data directory of which a part is missing, replaced, older or damaged. */

const content = randomBytes(100_000);
const databaseFiles = ['logbook.sqlite', 'logbook.sqlite-wal', 'logbook.sqlite-shm'];

/** Two logbooks, each with one entry and its file. The tests work on copies of the first. */
let original: string;
let other: string;
let dataDir: string;
let running: LogbookProcess | undefined;
beforeAll(async () => {
  original = await makeTempDir();
  await createLogbook(original);
  other = await makeTempDir();
  await createLogbook(other);
});
afterAll(async () => {
  for (const dir of [original, other]) await rm(dir, { recursive: true });
});
beforeEach(async () => {
  dataDir = await makeTempDir();
  await cp(original, dataDir, { recursive: true });
});
afterEach(async () => {
  await running?.stop('SIGKILL');
  running = undefined;
  await rm(dataDir, { recursive: true, force: true });
});

const path = (...names: string[]) => join(dataDir, ...names);

async function start(): Promise<LogbookProcess> {
  running = await LogbookProcess.start(dataDir);
  return running;
}

async function stop(): Promise<void> {
  await running?.stop();
  running = undefined;
}

async function withDatabase<T>(use: (db: DatabaseSync) => T): Promise<T> {
  const Database = await loadSqlite();
  const db = new Database(path('logbook.sqlite'));
  try {
    return use(db);
  } finally {
    db.close();
  }
}

async function create(logbook: LogbookProcess, title: string): Promise<{ id: number; attachments: { id: string }[] }> {
  const entry = { title, logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.bin' }] };
  const body = entryForm(entry, [{ name: 'a.bin', content: Buffer.concat([content, Buffer.from(title)]) }]);
  const answer = await call(`${logbook.base}/logs/multipart`, { method: 'PUT', body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function createLogbook(dir: string): Promise<void> {
  const logbook = await LogbookProcess.start(dir);
  await create(logbook, 'first');
  await logbook.stop();
}

/** Starts the service, which must refuse, leave every file, and give this message. */
async function expectRefusal(message: RegExp): Promise<void> {
  const before = await contentOf(dataDir);
  const refused = LogbookProcess.spawn(dataDir);
  expect(await refused.exit()).toBe(1);
  expect(refused.errors).toMatch(/^Logbook cannot start: /);
  expect(refused.errors).toMatch(message);
  expect(refused.errors).toMatch(/main\.js (adopt|rebuild-index)|restore|open the database/i);
  expect(refused.errors).toContain(dataDir);
  const after = await contentOf(dataDir);
  // Another running process continues to write.
  expect(Object.keys(after)).toEqual(Object.keys(before));
  if (!running) expect(after).toEqual(before);
}

async function expectFirstEntry(): Promise<void> {
  const logbook = await start();
  const entry = await call(`${logbook.base}/logs/1`);
  expect(entry.body.title).toBe('first');
  const file = await fetch(`${logbook.base}/attachment/${entry.body.attachments[0].id}`);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(Buffer.concat([content, Buffer.from('first')]));
}

describe('a start is refused, and nothing is changed', () => {
  test.each([
    ['missing', async () => undefined, /logbook\.sqlite in \S+ is missing/],
    ['empty', () => writeFile(path('logbook.sqlite'), ''), /logbook\.sqlite in \S+ is empty/],
    ['no database', () => writeFile(path('logbook.sqlite'), randomBytes(8_192)), /not a readable database/],
  ])('when the database is %s; with the database back, all is there', async (_case, replace, message) => {
    await rename(path('logbook.sqlite'), path('saved'));
    for (const file of databaseFiles) await rm(path(file), { force: true });
    await replace();
    await expectRefusal(message);
    await expectRefusal(message);
    await rename(path('saved'), path('logbook.sqlite'));
    await expectFirstEntry();
  });

  test('when the database is that of another logbook', async () => {
    await cp(path('logbook.sqlite'), path('saved'));
    await cp(join(other, 'logbook.sqlite'), path('logbook.sqlite'));
    await expectRefusal(/belongs to the logbook \S+, but the directory belongs to the logbook/);
    await rename(path('saved'), path('logbook.sqlite'));
    await expectFirstEntry();
  });

  test('when the attachments are those of another logbook, or are not mounted', async () => {
    await rename(path('attachments'), path('saved'));
    await cp(join(other, 'attachments'), path('attachments'), { recursive: true });
    await expectRefusal(/attachments in \S+ belongs to the logbook/);
    await rm(path('attachments'), { recursive: true });
    const refused = LogbookProcess.spawn(dataDir);
    expect(await refused.exit()).toBe(1);
    expect(refused.errors).toMatch(/attachments in \S+ is missing/);
    await rename(path('saved'), path('attachments'));
    const id = await readFile(path('attachments', 'store-id'));
    await writeFile(path('attachments', 'store-id'), '');
    await expectRefusal(
      /attachments in \S+ is missing, or is not the folder of the logbook \S+\. .*lacks only the file store-id/,
    );
    await writeFile(path('attachments', 'store-id'), id);
    await expectFirstEntry();
  });

  /** Position of the schema version in the header of a database file, in bytes. */
  const schemaOffset = 60;
  const readSchema = async () => (await readFile(path('logbook.sqlite'))).readInt32BE(schemaOffset);
  // Reads the file itself: a connection would leave files, which vanish when it is garbage-collected.
  const writeSchema = async (version: number) => {
    const bytes = await readFile(path('logbook.sqlite'));
    bytes.writeInt32BE(version, schemaOffset);
    await writeFile(path('logbook.sqlite'), bytes);
  };
  const foreignIndex = /The search index search(-rebuilt)?\.sqlite in \S+ belongs to the logbook/;

  test.each([
    ['search.sqlite', 'rebuild-index'],
    ['search-rebuilt.sqlite', 'rebuild-index'],
    ['search.sqlite', 'adopt'],
    ['search-rebuilt.sqlite', 'adopt'],
  ])('when %s is that of another logbook, before a migration, until “logbook %s”', async (name, command) => {
    const version = await readSchema();
    // Every migration would be done, and fail.
    await writeSchema(0);
    if (name === 'search-rebuilt.sqlite') await rename(path('search.sqlite'), path('saved'));
    await cp(join(other, 'search.sqlite'), path(name));
    await expectRefusal(foreignIndex);
    await expectRefusal(foreignIndex);
    expect(await readSchema()).toBe(0);
    await writeSchema(version);
    expect((await runCommand([command, '--data-dir', dataDir])).code).toBe(0);
    await expectFirstEntry();
    const found = await call(`${running?.base}/logs/search?title=first`);
    expect(found.body.logs.map(({ id }: { id: number }) => id)).toEqual([1]);
  });

  test('when a newer version of the program wrote the database', async () => {
    await writeSchema(1_000);
    const message =
      /logbook\.sqlite in \S+ was written by a newer version of this program \(schema 1000; this version supports schemas up to \d+\)/;
    await expectRefusal(message);
    const before = await contentOf(dataDir);
    for (const command of ['adopt', 'rebuild-index']) {
      const { code, errors } = await runCommand([command, '--data-dir', dataDir]);
      expect([code, errors]).toEqual([1, expect.stringMatching(message)]);
    }
    expect(await contentOf(dataDir)).toEqual(before);
  });

  test('when there is nothing but a search index: no database is created next to it', async () => {
    for (const file of [...databaseFiles, 'lock.sqlite', 'entry-ids']) await rm(path(file), { force: true });
    await rm(path('attachments'), { recursive: true });
    for (let attempt = 0; attempt < 2; attempt++) {
      const refused = LogbookProcess.spawn(dataDir);
      expect(await refused.exit()).toBe(1);
      expect(refused.errors).toMatch(/logbook\.sqlite in \S+ is missing, but the directory belongs to the logbook/);
      expect(await readdir(dataDir)).not.toContain('logbook.sqlite');
    }
    expect((await runCommand(['adopt', '--new-logbook', '--data-dir', dataDir])).code).toBe(0);
    await create(await start(), 'new');
  });

  test('when the lock file is damaged, until it is moved away and the directory is adopted', async () => {
    await writeFile(path('lock.sqlite'), randomBytes(8_192));
    await expectRefusal(/lock\.sqlite in \S+ is damaged .* Make sure that no other process uses the directory/);
    await rename(path('lock.sqlite'), path('saved'));
    expect((await runCommand(['adopt', '--data-dir', dataDir])).code).toBe(0);
    await expectFirstEntry();
  });

  test('while another process runs, also when the lock file was removed', async () => {
    const first = await start();
    const second = LogbookProcess.spawn(dataDir);
    expect(await second.exit()).toBe(1);
    expect(second.errors).toMatch(/Another process is using/);
    await rm(path('lock.sqlite'));
    await expectRefusal(/lock\.sqlite in \S+ is missing/);
    await expectRefusal(/lock\.sqlite in \S+ is missing/);
    expect((await call(`${first.base}/logs/1`)).status).toBe(200);
    await create(first, 'second');
  });
});

describe('writes that are only in the write-ahead log', () => {
  const crash = async () => {
    const logbook = await start();
    for (let at = 0; at < 20; at++) await create(logbook, `in the log ${at}`);
    await cp(path('logbook.sqlite-wal'), path('log'));
    await logbook.stop('SIGKILL');
    await cp(path('log'), path('logbook.sqlite-wal'));
  };

  test('are not lost when the database file is missing, neither by a start nor by a new logbook', async () => {
    await crash();
    await rename(path('logbook.sqlite'), path('saved'));
    await expectRefusal(/logbook\.sqlite in \S+ is missing/);
    const adopted = await runCommand(['adopt', '--new-logbook', '--data-dir', dataDir]);
    expect(adopted).toMatchObject({ code: 1, errors: expect.stringContaining('holds writes of the database') });
    await rename(path('saved'), path('logbook.sqlite'));
    const logbook = await start();
    expect((await call(`${logbook.base}/logs/21`)).body.title).toBe('in the log 19');
  });
});

describe('the write-ahead log of a crash', () => {
  const warning = /write-ahead log of the last run is missing/;

  test('that is missing is a warning with what may be lost and what to do; once, and not after a stop', async () => {
    const crashing = await start();
    await create(crashing, 'second');
    await crashing.stop('SIGKILL');
    await rm(path('logbook.sqlite-wal'));
    const next = await start();
    await expect.poll(() => next.errors).toMatch(/"loss":"the latest entries[^"]+","advice":"check whether[^"]+"/);
    await expect.poll(() => next.errors).toMatch(warning);
    await stop();
    const last = await start();
    expect(last.errors).not.toMatch(warning);
    await last.stop('SIGKILL');
    // The database was not replaced, either.
    expect(next.errors + last.errors).not.toMatch(/database is not the one of the last run/);
    // The log is there, and then moved into the database by another command.
    expect((await runCommand(['rebuild-index', '--data-dir', dataDir])).code).toBe(0);
    expect((await start()).errors).not.toMatch(warning);
  });

  test('is not missed next to a copy that was restored from an earlier run', async () => {
    await cp(path('logbook.sqlite'), path('older'));
    const crashing = await start();
    await crashing.stop('SIGKILL');
    for (const file of databaseFiles) await rm(path(file), { force: true });
    await rename(path('older'), path('logbook.sqlite'));
    expect((await start()).errors).not.toMatch(warning);
  });
});

test('a journal of another program is left to that program, and no database is called empty for it', async () => {
  await writeFile(path('logbook.sqlite-journal'), randomBytes(5_000));
  await expectRefusal(/logbook\.sqlite-journal in \S+ shows that another program has changed logbook\.sqlite/);
  await rm(path('logbook.sqlite-journal'));
  expect((await call(`${(await start()).base}/logs/1`)).status).toBe(200);
});

test('a database behind a symbolic link has its log next to the file itself', async () => {
  const disk = await makeTempDir();
  await rename(path('logbook.sqlite'), join(disk, 'documents'));
  await symlink(join(disk, 'documents'), path('logbook.sqlite'));
  const crashing = await start();
  const second = await create(crashing, 'second');
  await crashing.stop('SIGKILL');
  const restored = await start();
  expect((await call(`${restored.base}/logs/${second.id}`)).body.title).toBe('second');
  expect(restored.errors).not.toContain('write-ahead log of the last run is missing');
  await stop();
  await rm(disk, { recursive: true });
});

describe('a search index that cannot be used at the start', () => {
  const indexFiles = ['search.sqlite', 'search.sqlite-wal', 'search.sqlite-shm'];
  const isRebuilt = async (logbook: LogbookProcess) => {
    await expect.poll(() => logbook.errors).toMatch(/search index was rebuilt/);
    expect((await call(`${logbook.base}/logs/search?title=first`)).body.hitCount).toBe(1);
    expect((await call(`${logbook.origin}/readyz`)).body.checks.integrity).toMatchObject({ 'search-index': 0 });
  };

  test.each([
    [
      'is no database',
      () => writeFile(path('search.sqlite'), randomBytes(8_192)),
      /SQLite reports: file is not a database/,
    ],
    [
      'was found damaged by an earlier run',
      () => writeFile(path('search.sqlite-damaged'), ''),
      /an earlier run of the service found damaged pages in it/,
    ],
  ])('because it %s is an error in the log, and rebuilt', async (_case, damage, reason) => {
    await damage();
    const logbook = await start();
    await expect
      .poll(() => logbook.errors)
      .toMatch(
        /"level":50.*"kind":"search-index","subject":"search\.sqlite","path":"search\.sqlite".*damaged data found/,
      );
    await expect.poll(() => logbook.errors).toMatch(reason);
    await isRebuilt(logbook);
  });

  test('because it is missing is named in the log, and built', async () => {
    for (const file of indexFiles) await rm(path(file), { force: true });
    const logbook = await start();
    await expect
      .poll(() => logbook.errors)
      .toMatch(/"level":30.*"reason":"there was none","consequence":"[^"]+".*search index is being built/);
    await isRebuilt(logbook);
  });
});

describe('an older copy of the database', () => {
  test('starts; no id is given twice, and no file is removed', async () => {
    await cp(path('logbook.sqlite'), path('older'));
    const second = await create(await start(), 'second');
    await stop();
    const before = await storedFiles(join(dataDir, 'attachments'));
    for (const file of databaseFiles) await rm(path(file), { force: true });
    await rename(path('older'), path('logbook.sqlite'));
    const logbook = await start();
    await expect
      .poll(() => logbook.errors)
      .toMatch(/"loss":"entries, edits[^"]+","advice":"[^"]+".*database is not the one of the last run/);
    expect((await call(`${logbook.base}/logs/${second.id}`)).status).toBe(404);
    const third = await create(logbook, 'third');
    expect(third.id).toBeGreaterThan(second.id);
    await expect.poll(() => logbook.errors).toMatch(/database is older than the ids already given/);
    await stop();
    expect((await storedFiles(join(dataDir, 'attachments'))).kept).toEqual(expect.arrayContaining(before.kept));
  });

  test('is not mixed with the log of a crash: neither the writes of the log nor those before it are lost', async () => {
    const source = async (logbook: LogbookProcess, id: number) =>
      (await call(`${logbook.base}/logs/${id}`)).body.source;
    const edit = (logbook: LogbookProcess, text: string) =>
      call(`${logbook.base}/logs/1`, {
        method: 'POST',
        body: JSON.stringify({ title: 'first', source: text, logbooks: [{ name: 'operations' }] }),
        headers: { 'content-type': 'application/json' },
      });
    await stop();
    await cp(path('logbook.sqlite'), path('older'));
    expect((await edit(await start(), 'edited')).status).toBe(200);
    await stop();
    const crashing = await start();
    const second = await create(crashing, 'second');
    await crashing.stop('SIGKILL');
    await rename(path('logbook.sqlite'), path('saved'));
    await cp(path('older'), path('logbook.sqlite'));
    await expectRefusal(/Nothing shows that logbook\.sqlite-wal in \S+ belongs to logbook\.sqlite/);
    await rename(path('saved'), path('logbook.sqlite'));
    const restored = await start();
    expect(await source(restored, 1)).toBe('edited');
    expect((await call(`${restored.base}/logs/${second.id}`)).body.title).toBe('second');
  });

  test('with the log of its own crash, it is used although the directory was used since: nothing acknowledged is lost', async () => {
    const crashing = await start();
    const second = await create(crashing, 'second');
    await crashing.stop('SIGKILL');
    const copied = ['logbook.sqlite', 'logbook.sqlite-wal'];
    for (const file of copied) await cp(path(file), path(`${file}.copy`));
    await (await start()).stop();
    for (const file of copied) await rename(path(`${file}.copy`), path(file));
    await rm(path('logbook.sqlite-shm'), { force: true });
    const restored = await start();
    expect((await call(`${restored.base}/logs/${second.id}`)).body.title).toBe('second');
  });

  test('of which nothing is known is kept with its log when the operator says that they belong together', async () => {
    const crashing = await start();
    const second = await create(crashing, 'second');
    await crashing.stop('SIGKILL');
    const lock = new (await loadSqlite())(path('lock.sqlite'));
    lock.exec('DELETE FROM run; UPDATE database_mark SET value = value + 1');
    lock.close();
    await expectRefusal(/run “\S* ?\S*main\.js adopt --keep-log --data-dir /);
    const adopted = await runCommand(['adopt', '--keep-log', '--data-dir', dataDir]);
    expect([adopted.code, adopted.errors]).toEqual([0, '']);
    const restored = await start();
    expect((await call(`${restored.base}/logs/${second.id}`)).body.title).toBe('second');
  });

  test('that was restored after kill -9 starts, too, and no id is given twice', async () => {
    await cp(path('logbook.sqlite'), path('older'));
    const logbook = await start();
    const ids = [await create(logbook, 'second'), await create(logbook, 'third')].map(({ id }) => id);
    await logbook.stop('SIGKILL');
    for (const file of databaseFiles) await rm(path(file), { force: true });
    await rename(path('older'), path('logbook.sqlite'));
    expect(ids).not.toContain((await create(await start(), 'fourth')).id);
  });

  test('without one, kill -9 leaves no gap in the ids', async () => {
    const logbook = await start();
    await create(logbook, 'second');
    await logbook.stop('SIGKILL');
    const next = await start();
    expect((await create(next, 'third')).id).toBe(3);
    expect(next.errors).not.toMatch(/older/);
  });
});

describe('a damaged file of an attachment', () => {
  async function download(
    change: (file: string) => Promise<unknown>,
  ): Promise<{ logbook: LogbookProcess; url: string }> {
    const [checksum = ''] = (await storedFiles(join(dataDir, 'attachments'))).kept;
    await change(path('attachments', checksum.slice(0, 2), checksum));
    const logbook = await start();
    const { body } = await call(`${logbook.base}/logs/1`);
    return { logbook, url: `${logbook.base}/attachment/${body.attachments[0].id}` };
  }

  const flip = async (file: string) => {
    const bytes = await readFile(file);
    bytes.writeUInt8(bytes.readUInt8(90_000) ^ 1, 90_000);
    await writeFile(file, bytes);
  };
  const lengthen = async (file: string) => writeFile(file, 'HTTP/1.1 200 OK\r\n\r\n', { flag: 'a' });

  test.each([
    ['with a flipped bit', flip],
    ['cut short', (file: string) => truncate(file, 50_000)],
    ['with more bytes', lengthen],
    ['that is missing', (file: string) => rm(file)],
  ])(
    '%s is never a complete download, and shows in the health check, the metrics and the log',
    async (_case, change) => {
      const { logbook, url } = await download(change);
      const outcome = await fetch(url)
        .then(
          async (answer) => (answer.ok ? answer.arrayBuffer().then(() => 'complete') : answer.status),
          () => 'no answer',
        )
        .catch(() => 'cut off');
      expect(['cut off', 500]).toContain(outcome);
      const ready = await call(`${logbook.origin}/readyz`);
      expect(ready).toMatchObject({
        status: 200,
        body: { status: 'degraded', checks: { integrity: { attachment: 1 } } },
      });
      expect((await call(`${logbook.origin}/metrics`)).text).toContain('logbook_damaged_data{kind="attachment"} 1');
      await expect
        .poll(() => logbook.errors)
        .toMatch(
          /"path":"attachments\/(\w\w)\/\1\w{62}","reason":"the (content of the )?file [^"]+","entryIds":\[1\].*damaged data found/,
        );
      await expect.poll(() => logbook.errors).toMatch(/restore the file from a backup/);
      // Everything else still works.
      await create(logbook, 'second');
    },
  );

  test('500 for HEAD and for every range once the damage is known, also of a large file; 200 once it is restored', async () => {
    const whole = randomBytes(3_000_000);
    const attachments = [{ id: 'large', filename: 'large.bin' }];
    const body = entryForm({ title: 'large', logbooks: [{ name: 'operations' }], attachments }, [
      { name: 'large.bin', content: whole },
    ]);
    const first = await start();
    expect((await call(`${first.base}/logs/multipart`, { method: 'PUT', body })).status).toBe(200);
    await stop();
    const checksum = createHash('sha256').update(whole).digest('hex');
    const file = path('attachments', checksum.slice(0, 2), checksum);
    await flip(file);
    const url = `${(await start()).base}/attachment/large`;
    await expect(fetch(url).then((answer) => answer.arrayBuffer())).rejects.toThrow();
    for (const [method, headers] of [
      ['HEAD', {}],
      ['GET', {}],
      ['GET', { range: 'bytes=0-9' }],
    ] as const) {
      expect((await fetch(url, { method, headers })).status, method).toBe(500);
    }
    await writeFile(file, whole);
    expect((await fetch(url, { method: 'HEAD' })).status).toBe(200);
    expect(Buffer.from(await (await fetch(url)).arrayBuffer())).toEqual(whole);
  });
});

describe('a damaged database', () => {
  const database = () => path('logbook.sqlite');
  const pageOf = (name: string) =>
    withDatabase((db) => {
      const row = db.prepare('SELECT rootpage AS page FROM sqlite_schema WHERE name = ?').get(name);
      return (row as { page: number }).page;
    });

  test('500 storage.damaged for an entry with a flipped bit; it shows in the health check and in the log', async () => {
    const bytes = await readFile(database());
    for (let at = bytes.indexOf('"title":"first"'); at >= 0; at = bytes.indexOf('"title":"first"', at + 1)) {
      bytes.write('"title":"girst"', at);
    }
    await writeFile(database(), bytes);
    const logbook = await start();
    expect(await call(`${logbook.base}/logs/1`)).toMatchObject({ status: 500, body: { code: 'storage.damaged' } });
    expect((await call(`${logbook.base}/logs/search`)).text).not.toContain('girst');
    const { body } = await call(`${logbook.origin}/readyz`);
    expect(body).toMatchObject({ status: 'degraded', checks: { integrity: { status: 'warning', document: 1 } } });
    await expect
      .poll(() => logbook.errors)
      .toMatch(
        /"subject":"entry 1","reason":"the stored document does not match its checksum","entryIds":\[1\],"path":"logbook\.sqlite".*damaged data found/,
      );
    await create(logbook, 'second');
  });

  test('is found by the check after the start, although nothing has read the damaged page', async () => {
    const page = await pageOf('audit_outcome');
    const file = await open(database(), 'r+');
    await file.write(randomBytes(4_096), 0, 4_096, (page - 1) * 4_096);
    await file.close();
    const logbook = await start();
    await expect
      .poll(async () => (await call(`${logbook.origin}/readyz`)).body.checks.integrity)
      .toMatchObject({ status: 'warning', database: 1 });
    await expect
      .poll(() => logbook.errors)
      .toMatch(/"path":"logbook\.sqlite","reason":"the check of its pages found: .*restore the database from a backup/);
  });
});

test.each([
  ['a new data directory', () => rm(dataDir, { recursive: true })],
  [
    'one that was opened to others before the start',
    async () => {
      for (const name of ['.', 'attachments', 'attachments/00']) await chmod(path(name), 0o755);
      await chmod(path('logbook.sqlite'), 0o644);
    },
  ],
])('the files of %s are for its owner alone', async (_case, prepare) => {
  await prepare();
  // Everything in it is the program's own, its certificate included.
  running = LogbookProcess.spawn(dataDir);
  await running.ready();
  await create(running, 'another');
  for (const name of ['.', 'attachments', 'attachments/00', 'attachments/quarantine', 'tls']) {
    expect((await stat(path(name))).mode & 0o777, name).toBe(0o700);
  }
  for (const name of ['logbook.sqlite', 'logbook.sqlite-wal', 'search.sqlite', 'lock.sqlite', 'entry-ids']) {
    expect((await stat(path(name))).mode & 0o777, name).toBe(0o600);
  }
});
