import { randomBytes } from 'node:crypto';
import { cp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { contentOf } from '../fixtures/directory-content.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { call, entryForm, makeTempDir } from '../fixtures/service.js';
import { storedFiles } from '../fixtures/stored-files.js';

/** Data that the command `adopt` accepts and refuses, and its messages. */

const databaseFiles = ['logbook.sqlite', 'logbook.sqlite-wal', 'logbook.sqlite-shm'];

/** A logbook with two entries, each with a file. The tests work on copies. */
let original: string;
let dataDir: string;
let running: LogbookProcess | undefined;
beforeAll(async () => {
  original = await makeTempDir();
  const logbook = await LogbookProcess.start(original);
  for (const title of ['first', 'second']) await create(logbook, title);
  await logbook.stop();
});
afterAll(() => rm(original, { recursive: true }));
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
const adopt = (...flags: string[]) => runCommand(['adopt', ...flags, '--data-dir', dataDir]);

async function create(logbook: LogbookProcess, title: string): Promise<{ id: number }> {
  const entry = { title, logbooks: [{ name: 'operations' }], attachments: [{ filename: `${title}.bin` }] };
  const body = entryForm(entry, [{ name: `${title}.bin`, content: randomBytes(10_000) }]);
  const answer = await call(`${logbook.base}/logs/multipart`, { method: 'PUT', body });
  expect(answer.status).toBe(200);
  return answer.body;
}

async function start(): Promise<LogbookProcess> {
  running = await LogbookProcess.start(dataDir);
  return running;
}

/** Runs a command, which must fail with this message and leave every file. */
async function expectRefusal(flags: readonly string[], message: RegExp): Promise<string> {
  const before = await contentOf(dataDir);
  const { code, output, errors } = await adopt(...flags);
  expect([code, output]).toEqual([1, '']);
  expect(errors).toMatch(/^The data directory was not adopted: [^\n]+\n$/);
  expect(errors).toMatch(message);
  expect(await contentOf(dataDir)).toEqual(before);
  return errors;
}

test('accepts a directory whose lock file was removed, and says how to continue', async () => {
  await rm(path('lock.sqlite'));
  const { code, output } = await adopt();
  expect(output).toMatch(
    /^All parts of \S+ now belong to the logbook [-\w]+\.\nIts highest entry id is 2; it has 2 attachments, and their files are all there\.\n/,
  );
  expect(output).toMatch(new RegExp(`Start the service now: node \\S*main\\.js --data-dir ${dataDir}\\n$`));
  expect(code).toBe(0);
  expect((await call(`${(await start()).base}/logs/1`)).body.title).toBe('first');
});

test.each(['--config', 'LOGBOOK_CONFIG'])(
  'prints a start with the configuration that %s names, and it works',
  async (how) => {
    const config = path('site.properties');
    await writeFile(config, `dataDir = ${dataDir}\nrootPath = /Olog\n`);
    const { output } =
      how === '--config'
        ? await runCommand(['adopt', how, config])
        : await runCommand(['adopt'], undefined, { [how]: config });
    const [, printed = ''] = /Start the service now: node \S*main\.js (.*)\n$/.exec(output) ?? [];
    expect(printed).toBe(`--config ${config} --data-dir ${dataDir}`);
    running = await LogbookProcess.start(dataDir, { args: printed.split(' ') });
    expect((await call(`${running.origin}/Olog/logs/1`)).body.title).toBe('first');
  },
);

test('refuses when files of attachments are missing, names how many and which, and accepts that with a flag', async () => {
  await rm(path('attachments'), { recursive: true });
  await rm(path('lock.sqlite'));
  const errors = await expectRefusal([], /2 files of 2 attachments are missing in \S+\/attachments: /);
  expect(errors).toMatch(/attachments\/(\w\w)\/\1\w{62} \(“(first|second)\.bin” of entry [12]\)/);
  expect(errors).toMatch(new RegExp(`main\\.js adopt --accept-missing-files --data-dir ${dataDir}\\n$`));
  const refused = LogbookProcess.spawn(dataDir);
  expect(await refused.exit()).toBe(1);
  expect(refused.errors).toContain('adopt --accept-missing-files');
  const accepted = await adopt('--accept-missing-files');
  expect(accepted.output).toContain('it has 2 attachments, of which 2 have no files and cannot be downloaded.');
  expect(accepted.code).toBe(0);
  expect((await call(`${(await start()).base}/logs/1`)).body.title).toBe('first');
});

test('refuses when one file of several is missing; a file in quarantine is not missing', async () => {
  const [first = '', second = ''] = (await storedFiles(join(dataDir, 'attachments'))).kept;
  await cp(path('attachments', first.slice(0, 2), first), path('attachments', 'quarantine', first));
  for (const checksum of [first, second]) await rm(path('attachments', checksum.slice(0, 2), checksum));
  const errors = await expectRefusal([], /1 file of 2 attachments is missing/);
  expect(errors).toContain(second);
  expect(errors).not.toContain(first);
});

test('refuses a directory that does not exist, or has no logbook, and creates nothing in it', async () => {
  const mistyped = path('mistyped');
  for (const flags of [[], ['--new-logbook']]) {
    const { code, errors } = await runCommand(['adopt', ...flags, '--data-dir', mistyped]);
    expect([code, errors]).toEqual([
      1,
      expect.stringContaining(`not adopted: ${mistyped} does not exist. Nothing was changed.`),
    ]);
  }
  await expect(stat(mistyped)).rejects.toThrow('ENOENT');
  await mkdir(mistyped);
  for (const command of ['adopt', 'rebuild-index']) {
    const { code, errors } = await runCommand([command, '--data-dir', mistyped]);
    expect([code, errors]).toEqual([1, expect.stringContaining(`There is no logbook in ${mistyped}`)]);
    expect(errors).toMatch(/^The (data directory was not adopted|search index was not rebuilt): /);
  }
  expect(await readdir(mistyped)).toEqual([]);
});

test('refuses a copy of an earlier run next to the log of a crash, as the start does', async () => {
  await cp(path('logbook.sqlite'), path('older'));
  const crashing = await start();
  await create(crashing, 'third');
  await crashing.stop('SIGKILL');
  running = undefined;
  await cp(path('older'), path('logbook.sqlite'));
  await expectRefusal([], /Nothing shows that logbook\.sqlite-wal in \S+ belongs to logbook\.sqlite/);
});

test('begins a new logbook only where it is asked to, and never gives the old ids again', async () => {
  for (const file of databaseFiles) await rm(path(file), { force: true });
  await expectRefusal([], new RegExp(`main\\.js adopt --new-logbook --data-dir ${dataDir}\\n$`));
  const before = await storedFiles(join(dataDir, 'attachments'));
  const begun = await adopt('--new-logbook');
  expect(begun.output).toMatch(
    /now contains the new, empty logbook [-\w]+\.\n.*\nThe search index \S+\/search\.sqlite of another logbook was removed; the start builds a new one\.\n2 files in \S+\/attachments are not of this logbook: .*removes them 30 days later/,
  );
  expect(begun.code).toBe(0);
  await expectRefusal(['--new-logbook'], /already contains the logbook/);
  const logbook = await start();
  expect((await call(`${logbook.base}/logs/1`)).status).toBe(404);
  expect((await create(logbook, 'new')).id).toBe(3);
  await logbook.stop();
  running = undefined;
  expect((await storedFiles(join(dataDir, 'attachments'))).kept).toEqual(expect.arrayContaining(before.kept));
});
