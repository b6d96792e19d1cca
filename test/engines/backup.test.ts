import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBackupSigner } from '../../src/app/backup/backup-keys.js';
import { copyLogbook } from '../../src/app/backup/copy-logbook.js';
import type { Row } from '../../src/backup/backup-tables.js';
import { describeFinding } from '../../src/backup/data-finding.js';
import { openPostgresSnapshot } from '../../src/engines/postgres/backup/postgres-snapshot.js';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import { openSqliteSnapshot } from '../../src/engines/sqlite/backup/sqlite-snapshot.js';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import type { StorageOptions } from '../../src/engines/storage-options.js';
import { backUp, directory, embedded, ownKeys, readAll, restore, verify, verifyTarget } from '../fixtures/backups.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { filesWith } from '../fixtures/files-with.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

let root: string;
beforeEach(async () => {
  root = await makeTempDir();
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});
const at = (name: string) => join(root, name);

/** Writes what has rows in most tables; returns the id of an attachment with the content `one`. */
async function fill(logbook: TestService): Promise<string> {
  const entry = { title: 'one', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  const { body } = await logbook.sendForm('PUT', entry, [{ name: 'a.txt', content: 'one' }]);
  const edited = await logbook.post(`/logs/${body.id}`, { ...body, title: 'edited' });
  expect(edited.status, edited.text).toBe(200);
  for (let number = 0; number < 30; number += 1) await logbook.create({ title: `entry ${number}` });
  await logbook.create({ title: 'a reply' }, `?inReplyTo=${body.id}`);
  await logbook.call('/drafts', { method: 'POST', json: { title: 'a draft' } });
  return body.attachments[0].id;
}

/** The tables without the numbers of writes, which an engine may give again; the order of the writes instead. */
function comparable({ entry = [], audit: _audit, ...tables }: Record<string, Row[]>) {
  const order = [...entry].sort((one, other) => Number(one[2]) - Number(other[2]) || Number(one[0]) - Number(other[0]));
  const store = tables.store?.filter(([key]) => ['id', 'feed_secret'].includes(String(key)));
  return { ...tables, store, entry: entry.map((row) => row.toSpliced(2, 1)), order: order.map(([id]) => id) };
}

/** A service that runs stores audit records and extends the ledger in the background. */
async function ledgerIsComplete(logbook: TestService): Promise<void> {
  // Records of the audit log are stored by the time that it is read.
  expect((await logbook.call('/audit', { as: 'admin:adminPass' })).status).toBe(200);
  await logbook.service.storage.write((tx) => tx.audit.enterNewest());
  const readMetrics = async () => (await fetch(`${logbook.origin}/metrics`)).text();
  await expect.poll(readMetrics).toMatch(/^logbook_ledger_lag_seconds 0$/m);
}

describe.skipIf(!hasPostgres)('backups of storage=postgres (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(async () => {
    await engine.stop();
  });

  const shared = (name: string): StorageOptions & { kind: 'postgres' } => ({
    ...{ kind: 'postgres', dataDir: at(`${name}-data`), searchThreads: 2, attachmentsDir: at(`${name}-attachments`) },
    ...{ postgres: engine.newOptions(), blobs: { kind: 'files' }, index: { kind: 'embedded' } },
    snapshots: { intervalMs: 0, minFreeBytes: 0 },
  });

  const start = ({ postgres, attachmentsDir, dataDir }: StorageOptions & { kind: 'postgres' }) =>
    TestService.start(nodeSettings(postgres, attachmentsDir), dataDir);

  test('a logbook moves from PostgreSQL into an embedded one and back, and loses nothing', async () => {
    const first = shared('first');
    await migratePostgres(first.postgres, silentLog, undefined);
    const logbook = await start(first);
    const attachment = await fill(logbook);
    expect(await verify(first)).toEqual([]);
    await ledgerIsComplete(logbook);
    const pending = `SELECT checksum FROM ${first.postgres.schema}.pending_text_extraction`;
    await expect.poll(() => engine.query(pending)).toEqual([]);
    await backUp(first, directory(at('one')));
    const before = comparable(await readAll(await openPostgresSnapshot(first.postgres, silentLog)));
    await logbook.stop();

    await restore(embedded(at('embedded')), directory(at('one')));
    expect(comparable(await readAll(await openSqliteSnapshot(at('embedded'))))).toEqual(before);
    const middle = await TestService.start({}, at('embedded'));
    expect((await middle.call(`/attachment/${attachment}`)).text).toBe('one');
    expect((await middle.search('title=reply')).hitCount).toBe(1);
    const { id } = await middle.create({ title: 'written there' });
    expect(await verify(embedded(at('embedded')))).toEqual([]);
    await ledgerIsComplete(middle);
    // A version before checksums has stored them like this; these rows have no document.
    const DatabaseSync = await loadSqlite();
    const database = new DatabaseSync(join(at('embedded'), 'logbook.sqlite'), { timeout: 60_000 });
    database.exec('UPDATE change SET crc = NULL; UPDATE file_text SET crc = NULL');
    database.close();
    await backUp(embedded(at('embedded')), directory(at('two')));
    const between = comparable(await readAll(await openSqliteSnapshot(at('embedded'))));
    await middle.stop();

    const second = shared('second');
    await restore(second, directory(at('two')));
    expect(comparable(await readAll(await openPostgresSnapshot(second.postgres, silentLog)))).toEqual(between);
    const last = await start(second);
    const events = await firstEvent(last, 0);
    expect(events).toContain('"entryId":1,');
    const next = await last.create({ title: 'written last' });
    expect(next.id).toBeGreaterThan(id);
    await expect.poll(async () => (await last.search('title="written last"')).hitCount).toBe(1);
    expect(await verify(second)).toEqual([]);
    await last.stop();
  });

  test('positions that were given out after the backup are below those of what is written after the restore', async () => {
    const first = shared('first');
    await migratePostgres(first.postgres, silentLog, undefined);
    const logbook = await start(first);
    await logbook.create();
    await backUp(first, directory(at('backups')));
    for (let number = 0; number < 5; number += 1) await logbook.create();
    const position = await logbook.service.storage.committed.feed.newest();
    await logbook.stop();
    const second = shared('second');
    await restore(second, directory(at('backups')));
    const restored = await start(second);
    const { id } = await restored.create();
    expect(await firstEvent(restored, position)).toContain(`"entryId":${id},`);
    await restored.stop();
  });

  test('redactions that newer backups know are applied to a restored older one', async () => {
    const first = shared('first');
    await migratePostgres(first.postgres, silentLog, undefined);
    const logbook = await start(first);
    const attachment = await fill(logbook);
    const { manifest } = await backUp(first, directory(at('backups')));
    const json = { reason: 'A secret.', text: true, attachments: [attachment] };
    const answer = await logbook.call('/logs/1/redaction', { method: 'POST', json, as: 'admin:adminPass' });
    expect(answer.status, answer.text).toBe(200);
    await backUp(first, directory(at('backups')));
    await logbook.stop();
    const second = shared('second');
    const restored = await restore(second, directory(at('backups')), { backup: manifest.header.name });
    expect(restored).toMatchObject({ redactions: 1, findings: [] });
    const other = await start(second);
    expect((await other.get('/logs/1')).body.source).toMatch(/^Removed by admin on .*: A secret\.$/);
    expect((await other.call(`/attachment/${attachment}`)).text).toMatch(/^Removed by admin/);
    await other.stop();
    expect(await verify(second)).toEqual([]);
  });

  test('all nodes sign with one key, which is in no backup, and each node records its public half', async () => {
    const first = shared('first');
    await migratePostgres(first.postgres, silentLog, undefined);
    const nodes = ['one', 'two', 'three'].map((name) => ({ ...first, dataDir: at(name) }));
    const logbook = await start(first);
    await logbook.create();
    for (const { dataDir } of nodes) await mkdir(dataDir);
    const signers = await Promise.all(nodes.map((node) => openBackupSigner(node, ownKeys, silentLog)));
    expect(signers.filter(({ created }) => created)).toHaveLength(1);
    for (const node of nodes) await backUp(node, directory(at('backups')));
    for (const { dataDir } of nodes) expect(await verifyTarget(directory(at('backups')), dataDir)).toEqual([]);
    const [, secret = ''] = String(signers[0]?.privateKey.export({ type: 'pkcs8', format: 'pem' })).split('\n');
    expect(await filesWith(root, secret)).toEqual([]);
    await logbook.stop();
  });

  test('a database with a logbook is not overwritten', async () => {
    const first = shared('first');
    await migratePostgres(first.postgres, silentLog, undefined);
    const logbook = await start(first);
    await logbook.create();
    await backUp(first, directory(at('backups')));
    const target = { ...shared('second'), postgres: first.postgres };
    await expect(restore(target, directory(at('backups')))).rejects.toThrow('already has the logbook');
    await logbook.stop();
  });
});

describe.skipIf(!hasS3Server)('backups and object storage (needs versitygw)', () => {
  let server: S3Server;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(async () => {
    await server.stop();
  });

  test('a logbook is backed up to a bucket, and restored from there with its files into another', async () => {
    const logbook = await TestService.start({}, at('data'));
    const attachment = await fill(logbook);
    const target = { kind: 's3', s3: await server.newBucket({ prefix: 'site/backups/' }) } as const;
    const first = await backUp(embedded(at('data')), target);
    const { added } = await backUp(embedded(at('data')), target, {
      retention: { newest: 1, daily: 0, weekly: 0, monthly: 0 },
    });
    // Jobs of the service change parts of the database in the meantime.
    expect(added).toBeLessThan(first.added);
    expect(await verifyTarget(target, at('data'))).toEqual([]);
    const keys = await server.keysOf(target.s3.bucket);
    expect(keys.filter((key) => key.endsWith('.manifest'))).toHaveLength(1);
    expect(keys.filter((key) => key.includes('unfinished'))).toEqual([]);
    await logbook.stop();

    const s3 = await server.newBucket();
    const storage: StorageOptions = { ...embedded(at('restored')), blobs: { kind: 's3', s3 } };
    await restore(storage, target);
    const settings = {
      ...{ blobs: 's3', s3Endpoints: server.endpoint, s3Bucket: s3.bucket },
      ...{ s3AccessKey: s3.accessKey, s3SecretKey: s3.secretKey },
    };
    const other = await TestService.start(settings, at('restored'));
    expect((await other.call(`/attachment/${attachment}`)).text).toBe('one');
    expect(await verify(storage)).toEqual([]);
    await expect(restore({ ...storage, dataDir: at('third') }, target)).rejects.toThrow('A restore overwrites nothing');
    expect(await readdir(at('third'))).not.toContain('restore-incomplete');
    await other.stop();
  });

  test('of two backups to one bucket at the same time, one is refused', async () => {
    const logbook = await TestService.start({}, at('data'));
    await fill(logbook);
    // Takes two minutes at the rate of the first one.
    const large = { title: 'large', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'b.txt' }] };
    await logbook.sendForm('PUT', large, [{ name: 'b.txt', content: '8 bytes '.repeat(1_048_576) }]);
    const target = { kind: 's3', s3: await server.newBucket() } as const;
    const stop = new AbortController();
    let first: Promise<unknown> | undefined;
    await new Promise<void>((onProgress) => {
      const run = { bytesPerSecond: 65_536, signal: stop.signal, onProgress: () => onProgress() };
      first = backUp(embedded(at('data')), target, run).catch((error: Error) => error.message);
    });
    await expect(backUp(embedded(at('data')), target)).rejects.toThrow('Another process is writing a backup');
    stop.abort(new Error('enough'));
    expect(await first).toBe('enough');
    await logbook.stop();
  });
});

describe.skipIf(!hasPostgres || !hasS3Server)('copying a logbook (needs PostgreSQL and versitygw)', () => {
  let engine: PostgresEngine;
  let server: S3Server;
  beforeAll(async () => {
    [engine, server] = await Promise.all([PostgresEngine.start(), S3Server.start()]);
  });
  afterAll(async () => {
    await Promise.all([engine.stop(), server.stop()]);
  });

  const cluster = async (name: string) => ({
    ...({ kind: 'postgres', dataDir: at(name), searchThreads: 2, attachmentsDir: at(`${name}-attachments`) } as const),
    ...{ postgres: engine.newOptions(), blobs: { kind: 's3', s3: await server.newBucket() } as const },
    snapshots: { intervalMs: 0, minFreeBytes: 0 },
    index: { kind: 'embedded' } as const,
  });

  function copy(from: StorageOptions, to: StorageOptions, onStep: (step: string) => void = () => undefined) {
    const stop = new AbortController();
    const signal = stop.signal;
    const via = directory(at('via'));
    const callbacks = { onStep, onProgress: () => undefined, onEqual: () => undefined };
    const run = copyLogbook({ from, to, via, log: silentLog, signal, ...callbacks });
    return { run, stop };
  }

  test('from an embedded one to PostgreSQL and S3 and back, both are equal', async () => {
    const logbook = await TestService.start({}, at('data'));
    const attachment = await fill(logbook);
    const position = await logbook.service.storage.committed.feed.newest();
    await expect(copy(embedded(at('data')), await cluster('refused')).run).rejects.toThrow('Another process');
    await logbook.stop({ keepData: true });
    const to = await cluster('cluster');
    const copied = await copy(embedded(at('data')), to).run;
    expect(copied).toMatchObject({ entries: 32, files: 1, findings: [] });
    const back = await copy(to, embedded(at('back'))).run;
    expect(back).toMatchObject({ entries: 32, rows: copied.rows, findings: [] });
    const last = await TestService.start({}, at('back'));
    expect((await last.call(`/attachment/${attachment}`)).text).toBe('one');
    const { id } = await last.create({ title: 'the next one' });
    expect(await firstEvent(last, position)).toContain(`"entryId":${id},`);
    await last.stop();
  });

  test('an interrupted copy is continued, and a target that is not empty is refused', async () => {
    const logbook = await TestService.start({}, at('data'));
    await fill(logbook);
    await logbook.stop({ keepData: true });
    const to = embedded(at('copy'));
    for (const interrupted of ['restore', 'compare']) {
      const { run, stop } = copy(
        embedded(at('data')),
        interrupted === 'restore' ? to : embedded(at('other')),
        (step) => {
          if (step === interrupted) stop.abort(new Error('interrupted'));
        },
      );
      await expect(run).rejects.toThrow('interrupted');
    }
    expect(await copy(embedded(at('data')), to).run).toMatchObject({ entries: 32, findings: [] });
    await expect(copy(embedded(at('data')), to).run).rejects.toThrow('is not empty');
  });

  test('a restore into PostgreSQL and S3 is repeated only with --start-over, and only where it is marked', async () => {
    const [from, to, via] = [await filledLogbook(), await cluster('restored'), directory(at('via'))];
    await backUp(from, via);
    const stop = new AbortController();
    const onProgress = (_done: number, _all: number, what: string) => {
      if (what === 'pieces') stop.abort(new Error('interrupted'));
    };
    await expect(restore(to, via, { signal: stop.signal, onProgress })).rejects.toThrow('interrupted');
    expect(await server.keysOf(to.blobs.s3.bucket)).toContain('store-id');
    await expect(restore(to, via)).rejects.toThrow('--start-over');
    await expect(copy(from, to).run).rejects.toThrow('The restore of the backup');
    expect(await restore(to, via, { startOver: true })).toMatchObject({ findings: [] });
    expect(await verify(to)).toEqual([]);

    // The state that a kill leaves after the documents are committed.
    const mark = '20260101T000000Z\n';
    await writeFile(join(to.dataDir, 'restore-incomplete'), mark);
    await expect(restore(to, via, { startOver: true })).rejects.toThrow('A restore overwrites nothing');
    await writeFile(server.pathOf(to.blobs.s3.bucket, 'restore-incomplete'), mark);
    await expect(restore(to, via, { startOver: true })).rejects.toThrow('A restore overwrites nothing');
    await engine.query(`INSERT INTO ${to.postgres.schema}.store VALUES ('restore-incomplete', '${mark}')`);
    expect(await restore(to, via, { startOver: true })).toMatchObject({ findings: [] });
    expect(await verify(to)).toEqual([]);

    // A refused restore leaves no mark: the next one, into another database, needs no --start-over.
    const s3 = await server.newBucket();
    const used: StorageOptions = { ...to, dataDir: at('used'), blobs: { kind: 's3', s3 } };
    await expect(restore(used, via)).rejects.toThrow('A restore overwrites nothing');
    expect(await server.keysOf(s3.bucket)).toEqual([]);
    expect(await readdir(used.dataDir)).not.toContain('restore-incomplete');
  });

  test('a restore that ended while it removed its marks is completed by --start-over, and empties nothing', async () => {
    const [from, to, via] = [await filledLogbook(), await cluster('restored'), directory(at('via'))];
    const { manifest } = await backUp(from, via);
    await restore(to, via);
    // The bucket and the database may be in use by another node.
    await engine.query(`INSERT INTO ${to.postgres.schema}.store VALUES ('since', 'then')`);
    const mark = join(to.dataDir, 'restore-incomplete');
    await writeFile(mark, `${manifest.header.name}\nrestored\n`);
    // This backup is made before the marks are noticed.
    await backUp(from, via);
    const restored = `only its marks have to be removed: run the command again with “--backup ${manifest.header.name} --start-over”`;
    await expect(restore(to, via, { startOver: true })).rejects.toThrow(restored);
    const again = { startOver: true, backup: manifest.header.name };
    expect(await restore(to, via, again)).toMatchObject({ findings: [] });
    await expect(stat(mark)).rejects.toThrow('ENOENT');
    expect(await engine.query(`SELECT value FROM ${to.postgres.schema}.store WHERE key = 'since'`)).toHaveLength(1);
    expect(await verify(to)).toEqual([]);
  });

  test('nothing is restored next to tables of another program', async () => {
    const [from, to, via] = [await filledLogbook(), await cluster('restored'), directory(at('via'))];
    await backUp(from, via);
    await migratePostgres(to.postgres, silentLog, undefined);
    await engine.query(`CREATE TABLE ${to.postgres.schema}.measurement AS SELECT 1 AS value`);
    await expect(restore(to, via)).rejects.toThrow('do not belong to a logbook: measurement. Nothing was changed');
    expect(await engine.query(`SELECT value FROM ${to.postgres.schema}.measurement`)).toHaveLength(1);
  });

  test('a copy that is continued sends no file again that is there', async () => {
    const [from, to] = [await filledLogbook(), await cluster('copy')];
    const { run, stop } = copy(from, to, (step) => {
      if (step === 'compare') stop.abort(new Error('interrupted'));
    });
    await expect(run).rejects.toThrow('interrupted');
    const mark = join(to.dataDir, 'restore-incomplete');
    await writeFile(mark, (await readFile(mark, 'utf8')).replace('restored\n', ''));
    const [file = ''] = (await server.keysOf(to.blobs.s3.bucket)).filter((key) => /[0-9a-f]{64}$/.test(key));
    const path = server.pathOf(to.blobs.s3.bucket, file);
    const before = await stat(path);
    expect(await copy(from, to).run).toMatchObject({ files: 1, findings: [] });
    expect((await stat(path)).mtimeMs).toBe(before.mtimeMs);
  });

  /** Lets a copy end when it is restored, alters it, and returns what the comparison then finds. */
  async function findAltered(from: StorageOptions, to: StorageOptions, alter: () => unknown): Promise<string[]> {
    const { run, stop } = copy(from, to, (step) => {
      if (step === 'compare') stop.abort(new Error('interrupted'));
    });
    await expect(run).rejects.toThrow('interrupted');
    await alter();
    return (await copy(from, to).run).findings.map(describeFinding);
  }

  async function filledLogbook(): Promise<StorageOptions> {
    const logbook = await TestService.start({}, at('data'));
    await fill(logbook);
    await logbook.stop({ keepData: true });
    return embedded(at('data'));
  }

  test('what differs in an embedded copy is named, no service starts on it, and the next copy replaces it', async () => {
    const [from, to] = [await filledLogbook(), embedded(at('copy'))];
    const DatabaseSync = await loadSqlite();
    const altered = (sql: string) =>
      findAltered(from, to, () => {
        const database = new DatabaseSync(join(at('copy'), 'logbook.sqlite'));
        database.exec(sql);
        database.close();
      });
    for (const [sql, finding] of [
      ["UPDATE entry SET idempotency_key = 'mallory' WHERE id = 7", /^PROBLEM {2}entry 7: it differs[.] Copy again/],
      ['UPDATE entry SET sequence = sequence + 1000 WHERE id = 7', /the order in which they were written differs/],
      [
        "DELETE FROM sqlite_sequence WHERE name = 'change'",
        /the next number in the column change.sequence: it would be 0/,
      ],
      ["INSERT INTO store VALUES ('extra', '1')", /row extra of the table store: only the copy has it/],
    ] as const) {
      expect(await altered(sql), sql).toEqual([expect.stringMatching(finding)]);
    }
    await expect(TestService.start({}, at('copy'))).rejects.toThrow('is not yet proved equal');
    expect(await copy(from, to).run).toMatchObject({ entries: 32, findings: [] });
  });

  test('what differs in a copy on PostgreSQL and S3 is named, and the next copy replaces it', async () => {
    const [from, to] = [await filledLogbook(), await cluster('copy')];
    const feed = /the next number in the column change.sequence/;
    for (const [sql, finding] of [
      ['DELETE FROM incarnation', feed],
      ['UPDATE incarnation SET xid_offset = 0', feed],
      ["SELECT setval('entry_id', 20)", /the next number in the column entry.id: it would be 21, but must be above 32/],
      ["SELECT setval(pg_get_serial_sequence('audit', 'id'), 1)", /the next number in the column audit.id/],
      ["INSERT INTO store VALUES ('extra', '1')", /row extra of the table store: only the copy has it/],
      ["UPDATE store SET value = 'other' WHERE key = 'id'", /row id of the table store: it differs/],
      ['UPDATE entry SET write_xid = write_xid + 1000 WHERE id = 7', /the order in which they were written differs/],
    ] as const) {
      const alter = () => engine.query(`SET search_path TO ${to.postgres.schema}; ${sql}`);
      expect(await findAltered(from, to, alter), sql).toContainEqual(expect.stringMatching(finding));
    }
    const owner = server.pathOf(to.blobs.s3.bucket, 'store-id');
    expect(await findAltered(from, to, () => writeFile(owner, 'other\n'))).toEqual([
      expect.stringMatching(/store-id: it names other instead of/),
    ]);
    const unused = server.pathOf(to.blobs.s3.bucket, `aa/${'a'.repeat(64)}`);
    const addUnused = async () => {
      await mkdir(dirname(unused), { recursive: true });
      await writeFile(unused, 'no entry refers to it');
    };
    const [file = ''] = (await server.keysOf(to.blobs.s3.bucket)).filter((key) => /[0-9a-f]{64}$/.test(key));
    const damageFile = () => writeFile(server.pathOf(to.blobs.s3.bucket, file), 'two');
    expect(await findAltered(from, to, damageFile)).toEqual([expect.stringMatching(/does not match its SHA-256/)]);
    expect(await findAltered(from, to, addUnused)).toEqual([]);
  });
});

/** The first event after a position in the change feed, as it arrives. */
async function firstEvent(logbook: TestService, position: number): Promise<string> {
  const stop = new AbortController();
  const headers = { authorization: `Basic ${Buffer.from('admin:adminPass').toString('base64')}` };
  const url = `${logbook.base}/changes?lastEventId=${position}`;
  const response = await fetch(url, { headers, signal: stop.signal });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (/data:.*\n/.test(text)) break;
  }
  stop.abort();
  return text;
}
