import { createReadStream, rmSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runBackupTask } from '../../src/app/backup/backup-task.js';
import { verifyBackupPlace } from '../../src/app/backup/verify-logbook.js';
import { type BackupHeader, encodeManifest, type Manifest, readManifest } from '../../src/backup/manifest.js';
import { verify as verifyCommand } from '../../src/cli/verify.js';
import { loadConfig } from '../../src/config/load-config.js';
import { loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { backUp, directory, embedded, poolPath, restore, verify, verifyPlace } from '../fixtures/backups.js';
import { silentLog } from '../fixtures/log.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const keepOne = { newest: 1, daily: 0, weekly: 0, monthly: 0 };
const never = new AbortController().signal;

let root: string;
let logbook: TestService;
const dataDir = () => join(root, 'data');
const place = () => join(root, 'backups');
const pathOf = (name: string) => join(place(), 'backups', `${name}.manifest`);

beforeEach(async () => {
  root = await makeTempDir();
  logbook = await TestService.start({}, dataDir());
});

afterEach(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

/** Returns the SHA-256 of the file. */
async function createWithFile(content: string): Promise<string> {
  const entry = { title: content, logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  const answer = await logbook.sendForm('PUT', entry, [{ name: 'a.txt', content }]);
  expect(answer.status, answer.text).toBe(200);
  return String(answer.body.attachments[0]?.checksum);
}

async function make(retention?: typeof keepOne): Promise<string> {
  const made = await backUp(embedded(dataDir()), directory(place()), retention && { retention });
  return made.manifest.header.name;
}

/** Adds a backup that has what an existing one has. */
async function addLike(name: string, header: Partial<BackupHeader>): Promise<void> {
  const manifest = await readManifest(createReadStream(pathOf(name)));
  const added: Manifest = { ...manifest, header: { ...manifest.header, ...header } };
  await writeFile(pathOf(added.header.name), [...encodeManifest(added)].join(''));
}

test('a directory whose folders only have the names of those of backups is refused and unchanged', async () => {
  for (const folder of ['incoming', 'backups', 'pool']) {
    const dir = join(root, `has-${folder}`);
    await mkdir(join(dir, folder), { recursive: true });
    await writeFile(join(dir, folder, 'thesis.tex'), 'mine');
    await expect(backUp(embedded(dataDir()), directory(dir)), folder).rejects.toThrow('has other files and no backups');
    expect(await readFile(join(dir, folder, 'thesis.tex'), 'utf8')).toBe('mine');
  }
});

test('a place that has lost its mark is refused to other logbooks, and marked again by its own', async () => {
  await make();
  await rm(join(place(), 'logbook-backups'));
  const other = await TestService.start({}, join(root, 'other'));
  await expect(backUp(embedded(join(root, 'other')), directory(place()))).rejects.toThrow('has the backups of');
  await other.stop();
  await make();
  expect(await readdir(place())).toContain('logbook-backups');
});

test('a backup of another logbook that was copied into the place is not removed, nor what it has', async () => {
  const foreign = await make();
  await addLike(foreign, { storeId: 'another', name: '20200101T000000Z', takenMs: Date.parse('2020-01-01') });
  await createWithFile('one');
  await make(keepOne);
  await make(keepOne);
  expect(await readdir(join(place(), 'backups'))).toContain('20200101T000000Z.manifest');
  const { pieces } = await readManifest(createReadStream(pathOf('20200101T000000Z')));
  for (const { checksum } of pieces) await readFile(poolPath(place(), checksum));
});

test('backups from the future neither replace the scheduled one, nor are restored as the newest', async () => {
  const first = await make();
  for (const year of ['2088', '2089', '2090']) {
    await addLike(first, { name: `${year}0101T000000Z`, takenMs: Date.parse(`${year}-01-01`) });
  }
  const request = { storage: embedded(dataDir()), target: directory(place()), retention: keepOne, mayCreate: false };
  const result = await runBackupTask({ ...request, dueMs: Date.now() }, silentLog);
  expect(result.kind).toBe('made');
  // The three, and the new one.
  expect(await readdir(join(place(), 'backups'))).toHaveLength(4);
  const restored = embedded(join(root, 'restored'));
  await expect(restore(restored, directory(place()))).rejects.toThrow('is from the future');
});

test('while a manifest has another name, nothing is removed, and the backup says so', async () => {
  await createWithFile('one');
  const first = await make();
  const kept = join(place(), 'backups', `keep-${first}.manifest`);
  await rename(pathOf(first), kept);
  await createWithFile('two');
  await make();
  const files = await readdir(join(place(), 'pool'), { recursive: true });
  const { removed } = await backUp(embedded(dataDir()), directory(place()), { retention: keepOne });
  expect(removed).toMatchObject({ backups: [], findings: [{ kind: 'problem', subject: kept }] });
  expect(await readdir(join(place(), 'pool'), { recursive: true })).toEqual(expect.arrayContaining(files));
});

test('a manifest that was copied to the name of another backup is damaged, and nothing is removed', async () => {
  const first = await make();
  await copyFile(pathOf(first), pathOf('20200101T000000Z'));
  await createWithFile('one');
  const { removed } = await backUp(embedded(dataDir()), directory(place()), { retention: keepOne });
  expect(removed).toMatchObject({ backups: [], findings: [{ subject: pathOf('20200101T000000Z') }] });
  expect(await verifyPlace(directory(place()), dataDir())).toEqual([expect.stringContaining('under another name')]);
});

test('a backup is complete although the place has one of a newer version, beside which nothing is removed', async () => {
  const first = await make();
  await addLike(first, { name: '20200101T000000Z', format: 2 });
  const { removed, manifest } = await backUp(embedded(dataDir()), directory(place()), { retention: keepOne });
  expect(removed.findings.map(({ what }) => what)).toEqual([expect.stringContaining('has the format 2')]);
  expect((await readdir(join(place(), 'backups'))).sort()).toEqual(
    ['20200101T000000Z', first, manifest.header.name].map((name) => `${name}.manifest`).sort(),
  );
});

test('a file that the disk cannot give back prevents neither a backup nor the verification of the others', async () => {
  const [unreadable, damaged] = [await createWithFile('one'), await createWithFile('two')];
  const stored = (checksum: string) => join(dataDir(), 'attachments', checksum.slice(0, 2), checksum);
  await make();
  for (const path of [stored(unreadable), poolPath(place(), unreadable)]) {
    // Reading a directory fails as reading a bad sector does.
    await rm(path);
    await mkdir(path);
  }
  await writeFile(stored(damaged), 'twO');
  await writeFile(poolPath(place(), damaged), 'twO');
  const both = [expect.stringContaining(unreadable), expect.stringContaining(damaged)];
  const problems = (lines: string[]) => lines.filter((line) => line.startsWith('PROBLEM'));
  expect(problems(await verify(embedded(dataDir())))).toEqual(expect.arrayContaining(both));
  expect(problems(await verifyPlace(directory(place()), dataDir()))).toEqual(expect.arrayContaining(both));
  const elsewhere = directory(join(root, 'elsewhere'));
  const { findings, manifest } = await backUp(embedded(dataDir()), elsewhere);
  expect(findings.map(({ what }) => what)).toEqual(
    expect.arrayContaining([expect.stringContaining('cannot be read (EISDIR')]),
  );
  expect(manifest.files.map(({ state }) => state)).toEqual(['damaged', 'damaged']);
});

test('the newest backup is not whole when it lacks a file or an entry that the logbook had lost before', async () => {
  const checksum = await createWithFile('one');
  const lost = await logbook.create();
  await logbook.stop({ keepData: true });
  await rm(join(dataDir(), 'attachments', checksum.slice(0, 2), checksum));
  const DatabaseSync = await loadSqlite();
  const documents = new DatabaseSync(join(dataDir(), 'logbook.sqlite'));
  documents.exec(`DELETE FROM entry WHERE id = ${lost.id}`);
  documents.close();
  const name = await make();
  expect(await verifyPlace(directory(place()), dataDir())).toEqual([
    expect.stringMatching(`PROBLEM  entry ${lost.id} in the backup ${name}: it is missing, although change \\d+`),
    expect.stringMatching(/PROBLEM .*the file was missing when the backup was made/),
  ]);
  // It is restored nevertheless, as it was.
  const { findings } = await restore(embedded(join(root, 'restored')), directory(place()));
  expect(findings).toHaveLength(2);
});

test('backups that are removed while a place is verified are not reported as damaged', async () => {
  const first = await make();
  await createWithFile('one');
  const [second, third] = [await make(), await make()];
  const { pieces } = await readManifest(createReadStream(pathOf(first)));
  await writeFile(poolPath(place(), String(pieces[0]?.checksum)), 'damaged');
  const subjects: string[] = [];
  const { backups } = await verifyBackupPlace(
    { target: directory(place()), backup: undefined, repair: false, dataDir: dataDir() },
    {
      log: silentLog,
      signal: never,
      onFinding({ subject }) {
        subjects.push(subject);
        rmSync(pathOf(second), { force: true });
      },
    },
  );
  expect(backups).toEqual([first, third]);
  expect(subjects.join()).toContain(`backup ${first})`);
  expect(subjects.join()).not.toContain(`backup ${second})`);
});

test('verify --backup without a place does not verify the logbook instead', async () => {
  const config = loadConfig({ flags: { dataDir: dataDir() }, properties: {}, configFile: undefined }, {});
  const flags = { isOfBackups: true, backup: '20260101T000000Z', json: true };
  await expect(verifyCommand(config, flags, never)).rejects.toThrow('No place of backups is given');
});

test('backups are not made in the data directory itself', async () => {
  for (const dir of [dataDir(), join(dataDir(), 'backups')]) {
    await expect(backUp(embedded(dataDir()), directory(dir))).rejects.toThrow('is in the data directory');
  }
  expect(await readdir(dataDir())).not.toContain('backups');
  expect(await make()).toMatch(/^\d{8}T/);
});

test('a backup whose manifest is damaged is not restored, and the error names it and what to do', async () => {
  const name = await make();
  await writeFile(pathOf(name), '');
  await expect(restore(embedded(join(root, 'restored')), directory(place()))).rejects.toThrow(
    `The backup ${name} cannot be used: the manifest has no end. Nothing was written. Name an earlier one`,
  );
});
