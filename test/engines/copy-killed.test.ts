import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import type { S3Options } from '../../src/engines/s3/s3-options.js';
import { productDir } from '../../src/kernel/product.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const fileCount = 40;
const stopShim = pathToFileURL(join(productDir, 'test', 'fixtures', 'stop-at-output.mjs')).href;
const proved = `is equal: ${fileCount} entries, `;

/** A place to which a logbook is copied, with the configuration that names it. */
interface CopyTarget {
  readonly config: string;
  readonly dataDir: string;
}

interface ClusterCopyTarget extends CopyTarget {
  readonly postgres: PostgresOptions;
  readonly s3: S3Options;
  readonly settings: Readonly<Record<string, string>>;
}

describe.skipIf(!hasPostgres || !hasS3Server)('copies that are killed (needs PostgreSQL and versitygw)', () => {
  let engine: PostgresEngine;
  let server: S3Server;
  let source: string;
  let root: string;
  beforeAll(async () => {
    [engine, server] = await Promise.all([PostgresEngine.start(), S3Server.start()]);
    source = await makeTempDir();
    const logbook = await TestService.start({}, join(source, 'data'));
    for (let number = 0; number < fileCount; number += 1) {
      const entry = { title: `${number}`, logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a' }] };
      await logbook.sendForm('PUT', entry, [{ name: 'a', content: `content ${number}` }]);
    }
    await logbook.stop({ keepData: true });
  });
  afterAll(async () => {
    await Promise.all([engine.stop(), server.stop(), rm(source, { recursive: true, force: true })]);
  });
  beforeEach(async () => {
    root = await makeTempDir();
  });
  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  async function configure(name: string, settings: Readonly<Record<string, string>>): Promise<CopyTarget> {
    const config = join(root, `${name}.properties`);
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}`);
    await writeFile(config, `${lines.join('\n')}\n`);
    return { config, dataDir: settings.dataDir ?? '' };
  }
  const embedded = (name: string, dataDir = join(root, name)) => configure(name, { dataDir });
  async function cluster(name: string): Promise<ClusterCopyTarget> {
    const [postgres, s3] = [engine.newOptions(), await server.newBucket()];
    const { attachmentsDir: _, ...database } = nodeSettings(postgres, '');
    const settings = {
      ...{ ...database, blobs: 's3', s3Endpoints: server.endpoint, s3Bucket: s3.bucket },
      ...{ s3AccessKey: s3.accessKey, s3SecretKey: s3.secretKey },
    };
    const place = await configure(name, { ...settings, dataDir: join(root, name) });
    return { ...place, postgres, s3, settings };
  }

  const argsOf = (from: CopyTarget, to: CopyTarget) => [
    ...['copy', '--from', from.config, '--to', to.config],
    ...['--via', join(root, 'via')],
  ];
  const copy = (from: CopyTarget, to: CopyTarget) => runCommand(argsOf(from, to));
  async function expectCopied(from: CopyTarget, to: CopyTarget): Promise<string> {
    const { code, output, errors } = await copy(from, to);
    expect({ code, errors }, output).toEqual({ code: 0, errors: '' });
    expect(output).toContain(proved);
    return output;
  }

  type Condition = (copying: LogbookProcess) => boolean | Promise<boolean>;
  const lastStep = 'Comparing both';
  /** Starts a copy, which stops once it has printed `stopAt`, and kills it as soon as the condition is met. */
  async function killWhen(from: CopyTarget, to: CopyTarget, isMet: Condition, stopAt = lastStep): Promise<void> {
    const env = { NODE_OPTIONS: `--import ${stopShim}`, STOP_AT_OUTPUT: stopAt };
    const copying = LogbookProcess.spawn(to.dataDir, { args: argsOf(from, to), env });
    try {
      await expect.poll(() => isMet(copying), { interval: 1 }).toBe(true);
    } finally {
      copying.signal('SIGKILL');
    }
    expect(await copying.exit(), `it had ended: ${copying.output}${copying.errors}`).toBeNull();
  }
  const killAt = (from: CopyTarget, to: CopyTarget, text: string) =>
    killWhen(from, to, ({ output }) => output.includes(text), text);
  const keysIn = ({ s3 }: ClusterCopyTarget) => server.keysOf(s3.bucket);
  const hasKey =
    (to: ClusterCopyTarget, pattern: RegExp): Condition =>
    async ({ output }) =>
      output.includes('Restoring it') && (await keysIn(to)).some((key) => pattern.test(key));

  /** Kills a copy while its documents are in a transaction that is not committed. */
  async function killInDocuments(from: CopyTarget, to: ClusterCopyTarget): Promise<void> {
    const client = await engine.server.connect();
    // The restore has removed the initial rows, and inserts those of the backup.
    const restores = "state = 'idle in transaction' AND query ~ '^TRUNCATE|json_populate_recordset'";
    const findSession = async () =>
      (await client.query<{ pid: number }>(`SELECT pid FROM pg_stat_activity WHERE ${restores}`)).rows[0]?.pid;
    let session: number | undefined;
    try {
      await killWhen(from, to, async () => {
        session ??= await findSession();
        // It commits nothing from now on.
        if (session !== undefined) process.kill(session, 'SIGSTOP');
        return session !== undefined && (await keysIn(to)).includes('store-id');
      });
    } finally {
      if (session !== undefined) process.kill(session, 'SIGCONT');
      await client.end();
    }
  }

  const clusterStages: readonly [string, (from: CopyTarget, to: ClusterCopyTarget) => Promise<void>][] = [
    ['the backup is made', (from, to) => killAt(from, to, 'Making a backup')],
    ['the restore begins', (from, to) => killAt(from, to, 'Restoring it')],
    ['the bucket is marked', (from, to) => killWhen(from, to, hasKey(to, /^restore-incomplete$/))],
    ['files are restored', (from, to) => killWhen(from, to, hasKey(to, /[0-9a-f]{64}$/))],
    ['documents are restored', killInDocuments],
    ['both are compared', (from, to) => killAt(from, to, lastStep)],
  ];

  test.each(clusterStages)('from an embedded one, killed while %s: the same command completes it', async (_, kill) => {
    const [from, to] = [await embedded('from', join(source, 'data')), await cluster('to')];
    await kill(from, to);
    await kill(from, to);
    await expectCopied(from, to);
    expect((await readdir(to.dataDir)).sort()).toEqual(['backup-key.pub', 'lock.sqlite']);
    expect((await keysIn(to)).filter((key) => !/^[0-9a-f]{2}\/[0-9a-f]{64}$/.test(key))).toEqual(['store-id']);
    expect(await engine.query(`SELECT 1 FROM ${to.postgres.schema}.store WHERE key = 'restore-incomplete'`)).toEqual(
      [],
    );
    const again = await copy(from, to);
    expect(again).toMatchObject({ code: 1, errors: expect.stringContaining('A restore overwrites nothing') });
  });

  type Kill = (from: CopyTarget, to: CopyTarget) => Promise<void>;
  const embeddedStages: readonly [string, Kill][] = [
    ['the backup is made', (from, to) => killAt(from, to, 'Making a backup')],
    ['the restore begins', (from, to) => killAt(from, to, 'Restoring it')],
    [
      'files are restored',
      (from, to) => {
        const attachments = join(to.dataDir, 'attachments');
        return killWhen(
          from,
          to,
          async ({ output }) => output.includes('Restoring it') && (await filesIn(attachments)) > 0,
        );
      },
    ],
    [
      'documents are restored',
      (from, to) => {
        const log = join(to.dataDir, 'restoring.sqlite-wal');
        // On a busy machine, the test may see too late that the file was there.
        return killWhen(
          from,
          to,
          ({ output }) => output.includes('Restoring it') && (existsSync(log) || output.includes(lastStep)),
        );
      },
    ],
    ['both are compared', (from, to) => killAt(from, to, lastStep)],
  ];

  describe('back', () => {
    let from: ClusterCopyTarget;
    beforeEach(async () => {
      from = await cluster('from');
      await expectCopied(await embedded('original', join(source, 'data')), from);
      await rm(join(root, 'via'), { recursive: true });
    });

    test.each(embeddedStages)(
      'into an embedded one, killed while %s: the same command completes it',
      async (_, kill) => {
        const to = await embedded('to');
        await kill(from, to);
        await kill(from, to);
        await expectCopied(from, to);
        expect(await readdir(to.dataDir)).not.toContain('restore-incomplete');
        const last = await TestService.start({}, to.dataDir);
        expect((await last.search('title=7')).hitCount).toBe(1);
        await last.stop();
      },
    );
  });

  test('a copy that was complete is compared immediately, and no service starts on it before', async () => {
    const [from, to] = [await embedded('from', join(source, 'data')), await cluster('to')];
    await killAt(from, to, lastStep);
    await expect(TestService.start(to.settings, to.dataDir)).rejects.toThrow('is not yet proved equal');
    await expect(TestService.start(to.settings, join(root, 'node'))).rejects.toThrow('is not yet proved equal');
    expect(await expectCopied(from, to)).not.toContain('Restoring');
    const node = await TestService.start(to.settings, join(root, 'node'));
    expect((await node.get('/logs/7')).body.title).toBe('6');
    await node.stop();
  });

  /** Kills a copy, and returns the mark that it has left in the target. */
  async function killCompared(from: CopyTarget, to: ClusterCopyTarget): Promise<string> {
    await killAt(from, to, lastStep);
    return readFile(join(to.dataDir, 'restore-incomplete'), 'utf8');
  }

  test('a copy that was complete, and not recorded as such, is restored again', async () => {
    const [from, to] = [await embedded('from', join(source, 'data')), await cluster('to')];
    const mark = await killCompared(from, to);
    await writeFile(join(to.dataDir, 'restore-incomplete'), mark.replace('restored\n', ''));
    expect(await expectCopied(from, to)).toContain('Restoring');
  });

  test('a copy that was about to be released is compared again, and refused once a service has used it', async () => {
    const [from, to] = [await embedded('from', join(source, 'data')), await cluster('to')];
    const mark = await killCompared(from, to);
    await rm(server.pathOf(to.s3.bucket, 'restore-incomplete'));
    await engine.query(`DELETE FROM ${to.postgres.schema}.store WHERE key = 'restore-incomplete'`);
    expect(await expectCopied(from, to)).not.toContain('Restoring');

    const node = await TestService.start(to.settings, join(root, 'node'));
    const { id } = await node.create({ title: 'written there' });
    await writeFile(join(to.dataDir, 'restore-incomplete'), mark);
    const { code, errors } = await copy(from, to);
    expect({ code, errors }).toMatchObject({
      code: 1,
      errors: expect.stringContaining('A restore overwrites nothing'),
    });
    expect((await node.get(`/logs/${id}`)).body.title).toBe('written there');
    await node.stop();
  });

  test('what the copy of another logbook has left is refused, and so is a bucket without a mark', async () => {
    const [from, to] = [await embedded('from', join(source, 'data')), await cluster('to')];
    await killCompared(from, to);
    const logbook = await TestService.start({}, join(root, 'other'));
    await logbook.create();
    await logbook.stop({ keepData: true });
    const other = await embedded('other');
    const via = ['--via', join(root, 'other-via')];
    const refused = await runCommand(['copy', '--from', other.config, '--to', to.config, ...via]);
    expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('was not completed') });
    // A copy with another data directory finds the marks of the bucket and of the database.
    const elsewhere = await configure('elsewhere', { ...to.settings, dataDir: join(root, 'elsewhere') });
    const marked = await runCommand(['copy', '--from', other.config, '--to', elsewhere.config, ...via]);
    expect(marked).toMatchObject({
      code: 1,
      errors: expect.stringContaining(`s3://${to.s3.bucket}/ was not completed`),
    });
    await rm(server.pathOf(to.s3.bucket, 'restore-incomplete'));
    for (let times = 0; times < 2; times += 1) {
      const unmarked = await runCommand(['copy', '--from', other.config, '--to', elsewhere.config, ...via]);
      expect(unmarked).toMatchObject({ code: 1, errors: expect.stringContaining('has the files of the logbook') });
    }
    expect(await engine.query(`SELECT id FROM ${to.postgres.schema}.entry`)).toHaveLength(fileCount);
  });
});

async function filesIn(dir: string): Promise<number> {
  const names = await readdir(dir, { recursive: true }).catch((): string[] => []);
  return names.filter((name) => /[0-9a-f]{64}$/.test(name)).length;
}
