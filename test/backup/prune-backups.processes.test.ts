import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readBackupKeys } from '../../src/app/backup/backup-keys.js';
import { pruneTarget } from '../../src/app/backup/prune-target.js';
import { backUp, directory, embedded, ownKeys, poolPath, restore, verifyTarget } from '../fixtures/backups.js';
import { silentLog } from '../fixtures/log.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

let root: string;
let logbook: TestService;
const at = (name: string) => join(root, name);
const target = () => directory(at('backups'));
const prune = async (acceptUnsigned = false) =>
  pruneTarget({
    trust: { keys: await readBackupKeys(ownKeys, [at('data')]), acceptUnsigned },
    ...{ target: target(), retention: { newest: 1, daily: 0, weekly: 0, monthly: 0 }, dataDir: at('data') },
    ...{ log: silentLog, signal: new AbortController().signal },
  });

beforeEach(async () => {
  root = await makeTempDir();
  logbook = await TestService.start({}, at('data'));
});

afterEach(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

/** Makes a backup with a piece that is in no other backup. */
async function makeBackup() {
  await logbook.create();
  return (await backUp(embedded(at('data')), target())).manifest;
}

const listed = async () => (await readdir(at('backups/backups'))).map((name) => name.replace('.manifest', '')).sort();

test('backups that are no longer kept are removed without a new one, and what is left is whole', async () => {
  const [first, second, third] = [await makeBackup(), await makeBackup(), await makeBackup()];
  const { objects, bytes, ...pruned } = await prune();
  expect(pruned).toEqual({ backups: [first.header.name, second.header.name], kept: 1, untrusted: [] });
  expect(objects).toBeGreaterThan(1);
  expect(bytes).toBeGreaterThan(1);
  expect(await listed()).toEqual([third.header.name]);
  expect(await verifyTarget(target(), at('data'))).toEqual([]);
  expect(await prune()).toEqual({ backups: [], objects: 0, bytes: 0, kept: 1, untrusted: [] });
});

test('the last complete backup stays: nothing is removed when a newer one lacks an object', async () => {
  const [first, second] = [await makeBackup(), await makeBackup()];
  const shared = new Set(first.pieces.map(({ checksum }) => checksum));
  const own = second.pieces.find(({ checksum }) => !shared.has(checksum));
  await rm(poolPath(at('backups'), String(own?.checksum)));
  await expect(prune()).rejects.toThrow('none is complete');
  expect(await listed()).toEqual([first.header.name, second.header.name]);
  await restore(embedded(at('restored')), target(), { backup: first.header.name });
});

test('nothing is removed while a manifest is damaged, or without any backup', async () => {
  const [first] = [await makeBackup(), await makeBackup()];
  const manifest = at(`backups/backups/${first.header.name}.manifest`);
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replace('"entry"', '"entrY"'));
  await expect(prune()).rejects.toThrow(`The manifest of the backup ${first.header.name}`);
  expect(await listed()).toHaveLength(2);
  await rm(at('backups'), { recursive: true });
  await expect(prune()).rejects.toThrow('does not exist');
});
