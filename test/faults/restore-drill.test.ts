import { createHash, randomBytes } from 'node:crypto';
import { copyFile, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { call, entryForm, makeTempDir } from '../fixtures/service.js';

/** `npm run drill:restore` restores 20,000 entries with 2,000 files. */
const entryCount = Number(process.env.LOGBOOK_TEST_DRILL_ENTRIES ?? '1000');
const fileCount = entryCount / 10;
const timeout = 600_000;
const quiet = { env: { LOGBOOK_LOG_LEVEL: 'warn', LOGBOOK_MAX_WAITING_PER_CLIENT: '1000' } };

/** An entry as it was acknowledged. */
interface Acknowledged {
  readonly text: string;
  readonly files: readonly { readonly id: string; readonly checksum: string }[];
}

/**
 * Maximum number of entries that are written during a backup. A restore leaves a gap of 10,000 ids, which fast writes
 * during a slow backup would exceed.
 */
const maxWrittenMeanwhile = 5_000;

/** Acknowledged entries, by id. */
const ledger = new Map<number, Acknowledged>();
let dir: string;
let logbook: LogbookProcess;
const dataDir = () => join(dir, 'data');
const place = () => join(dir, 'backups');
/** Copy of the public key that an operator keeps elsewhere. */
const publicKey = () => join(dir, 'kept.pub');

beforeAll(async () => {
  dir = await makeTempDir();
});

afterAll(async () => {
  await logbook?.stop('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

test('what was acknowledged before a backup began is restored, every entry and every byte', { timeout }, async () => {
  logbook = await LogbookProcess.start(dataDir(), quiet);
  await inLanes(entryCount, (number) => write(number, number % (entryCount / fileCount) === 0));
  await edit(1);
  const { acknowledged, position } = await backUpWhileWriting();
  const highestBefore = Math.max(...ledger.keys());
  await logbook.stop('SIGKILL');
  await copyFile(join(dataDir(), 'backup-key.pub'), publicKey());
  await rm(dataDir(), { recursive: true });

  const restored = await runCommand(['restore', place(), '--data-dir', dataDir(), '--backup-public-key', publicKey()]);
  expect(restored, restored.errors).toMatchObject({ code: 0 });
  logbook = await LogbookProcess.start(dataDir(), quiet);
  await expectAll(acknowledged);
  expect((await call(`${logbook.base}/logs/archived/1`)).body.hitCount).toBe(1);

  // No id is given twice, and a client that was connected before misses nothing that is written now.
  const next = await write(entryCount * 10, false);
  expect(next).toBeGreaterThan(highestBefore);
  expect(await firstEventAfter(position)).toContain(`"entryId":${next},`);

  await waitUntilFound(entryCount * 10);
  const verified = await runCommand(['verify', '--data-dir', dataDir()]);
  expect(verified, verified.output + verified.errors).toMatchObject({ code: 0 });
});

test('verify names a flipped bit, a missing file and an altered row of the logbook', { timeout }, async () => {
  const [flipped, missing, altered] = await damage(join(dataDir(), 'attachments'), async (id) => {
    await logbook.stop();
    const DatabaseSync = await loadSqlite();
    const db = new DatabaseSync(join(dataDir(), 'logbook.sqlite'));
    db.exec(`UPDATE entry SET document = replace(document, 'Entry', 'Entri') WHERE id = ${id}`);
    db.close();
  });
  const { code, output } = await runCommand(['verify', '--data-dir', dataDir()]);
  expect(code, output).toBe(1);
  const problems = problemsIn(output);
  const expected = [
    `entry ${altered}: what is stored does not match`,
    `version 1 of entry ${altered}: it is not what was recorded`,
    `${flipped} \\(.*match`,
    `${missing} \\(.*missing`,
  ];
  for (const line of expected) expect(problems).toContainEqual(expect.stringMatching(line));
  expect(problems).toHaveLength(expected.length);
});

test('verify names a flipped bit, a missing file and an altered row of a backup', { timeout }, async () => {
  const before = await runCommand(['verify', place(), '--data-dir', dataDir()]);
  expect(before, before.output).toMatchObject({ code: 0 });
  const [flipped, missing, altered] = await damage(join(place(), 'pool'), async (id) => {
    for (const file of await poolFiles()) {
      const text = await readFile(file, 'latin1');
      const line = new RegExp(`^[0-9a-f]{8} \\[${id},1,.*$`, 'm').exec(text)?.[0];
      if (line === undefined || !line.includes('Entry')) continue;
      await writeFile(file, text.replace(line, line.replace('Entry', 'Entri')), 'latin1');
    }
  });
  const { code, output } = await runCommand(['verify', place(), '--data-dir', dataDir()]);
  expect(code, output).toBe(1);
  const problems = problemsIn(output);
  expect(problems.some((line) => line.includes(`entry ${altered} in the backup`) && line.includes('altered'))).toBe(
    true,
  );
  expect(problems.some((line) => line.includes(flipped) && line.includes('does not match its SHA-256'))).toBe(true);
  expect(problems.some((line) => line.includes(missing) && line.includes('is missing'))).toBe(true);

  const target = join(dir, 'other');
  const refused = await runCommand(['restore', place(), '--data-dir', target, '--backup-public-key', publicKey()]);
  expect(refused.code).toBe(1);
  expect(refused.errors).toContain('nothing was written');
  expect(await readdir(dir)).not.toContain('other');
});

/** Writes an entry, records what was acknowledged, and returns its id. */
async function write(number: number, hasFile: boolean): Promise<number> {
  const entry = { title: `Entry ${number}`, description: `word${number} measured`, logbooks: [{ name: 'operations' }] };
  const url = `${logbook.base}/logs`;
  const content = randomBytes(20_000);
  const answer = hasFile
    ? await call(`${url}/multipart`, {
        method: 'PUT',
        body: entryForm({ ...entry, attachments: [{ filename: `${number}.bin` }] }, [
          { name: `${number}.bin`, content },
        ]),
      })
    : await call(url, { method: 'PUT', json: entry });
  expect(answer.status, answer.text).toBe(200);
  const checksum = createHash('sha256').update(content).digest('hex');
  const files = hasFile ? [{ id: answer.body.attachments[0].id as string, checksum }] : [];
  ledger.set(answer.body.id, { text: answer.text, files });
  return answer.body.id;
}

async function edit(id: number): Promise<void> {
  const { body } = await call(`${logbook.base}/logs/${id}`);
  const answer = await call(`${logbook.base}/logs/${id}`, {
    method: 'POST',
    json: { ...body, title: 'Entry, edited' },
  });
  expect(answer.status, answer.text).toBe(200);
  ledger.set(id, { text: answer.text, files: ledger.get(id)?.files ?? [] });
}

/** Makes a backup while entries are written; returns what was acknowledged before it began. */
async function backUpWhileWriting() {
  const acknowledged = new Map(ledger);
  let isDone = false;
  let written = 0;
  const writing = inLanes(
    maxWrittenMeanwhile,
    async (number) => {
      if (isDone) return false;
      await write(entryCount + number, number % 10 === 0);
      written += 1;
      return true;
    },
    4,
  );
  const { code, errors } = await runCommand(['backup', place(), '--data-dir', dataDir()]);
  isDone = true;
  await writing;
  expect(code, errors).toBe(0);
  expect(written).toBeGreaterThan(0);
  const position = /"sequence":(\d+)/.exec(await firstEventAfter(undefined))?.[1];
  return { acknowledged, position: Number(position) };
}

/** The first event after a position; undefined: that of the next entry, which is written now. */
async function firstEventAfter(position: number | undefined): Promise<string> {
  const stop = new AbortController();
  const query = position === undefined ? '' : `?lastEventId=${position}`;
  const headers = { authorization: `Basic ${Buffer.from('admin:adminPass').toString('base64')}` };
  const response = await fetch(`${logbook.base}/changes${query}`, { headers, signal: stop.signal });
  expect(response.status).toBe(200);
  if (position === undefined) await write(entryCount * 20, false);
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    if (/^data:.*\n/m.test(text)) break;
  }
  stop.abort();
  return text;
}

async function expectAll(acknowledged: ReadonlyMap<number, Acknowledged>): Promise<void> {
  const all = [...acknowledged];
  await inLanes(all.length, async (number) => {
    const [id, { text, files }] = all[number - 1] ?? [0, { text: '', files: [] }];
    const answer = await call(`${logbook.base}/logs/${id}`);
    expect(answer.body, `entry ${id}`).toEqual(JSON.parse(text));
    for (const { id: fileId, checksum } of files) {
      const response = await fetch(`${logbook.base}/attachment/${fileId}`);
      const content = new Uint8Array(await response.arrayBuffer());
      expect(createHash('sha256').update(content).digest('hex'), `file of entry ${id}`).toBe(checksum);
    }
    return true;
  });
}

async function waitUntilFound(number: number): Promise<void> {
  await expect.poll(async () => (await call(`${logbook.base}/logs/search?text=word${number}`)).body?.hitCount).toBe(1);
}

/** Damages two files and a row; returns their checksums and the id of the entry. */
async function damage(root: string, alter: (id: number) => Promise<void>): Promise<[string, string, number]> {
  const checksums = [...ledger.values()].slice(0, entryCount).flatMap(({ files }) => files.map((one) => one.checksum));
  const [flipped = '', missing = ''] = checksums;
  const path = (checksum: string) => join(root, checksum.slice(0, 2), checksum);
  const content = await readFile(path(flipped));
  content[100] = (content[100] ?? 0) ^ 1;
  await writeFile(path(flipped), content);
  await rm(path(missing));
  await alter(7);
  return [flipped, missing, 7];
}

function problemsIn(output: string): string[] {
  return output.split('\n').filter((line) => line.startsWith('PROBLEM'));
}

async function poolFiles(): Promise<string[]> {
  const names = await readdir(join(place(), 'pool'), { recursive: true });
  return names.filter((name) => /[0-9a-f]{64}$/.test(name)).map((name) => join(place(), 'pool', name));
}

/** Does the work for the numbers from 1, a few at a time, until it returns false. */
async function inLanes(count: number, work: (number: number) => Promise<unknown>, lanes = 16): Promise<void> {
  let next = 1;
  const lane = async () => {
    while (next <= count) if ((await work(next++)) === false) return;
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}
