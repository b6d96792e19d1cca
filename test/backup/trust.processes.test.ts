import { execFileSync } from 'node:child_process';
import type { KeyObject } from 'node:crypto';
import { appendFile, cp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openBackupSigner } from '../../src/app/backup/backup-keys.js';
import { pruneTarget } from '../../src/app/backup/prune-target.js';
import { openSqliteSnapshot } from '../../src/engines/sqlite/backup/sqlite-snapshot.js';
import { createSigningKeys, fingerprintOf, readPrivateKey, readPublicKeys } from '../../src/kernel/signing-keys.js';
import {
  backUp,
  directory,
  embedded,
  forgeBackup,
  ownKeys,
  poolPath,
  readAll,
  restore,
  verifyTarget,
} from '../fixtures/backups.js';
import { filesWith } from '../fixtures/files-with.js';
import { silentLog } from '../fixtures/log.js';
import { runCommand } from '../fixtures/process.js';
import { copyDataDir, makeTempDir, TestService } from '../fixtures/service.js';

const admin = { as: 'admin:adminPass' };
const newestOnly = { newest: 1, daily: 0, weekly: 0, monthly: 0 };

let root: string;
let logbook: TestService;
/** A token of an administrator, and one that an attacker has made in a logbook of their own. */
let [genuineToken, attackersToken] = ['', ''];
let attackersRows: (string | number | null)[][];
let keys: readonly KeyObject[];
let genuine: string;
let nextDir = 0;
const at = (name: string) => join(root, name);
const backupTarget = () => directory(at('backups'));
/** A directory that does not exist yet. */
const target = () => {
  nextDir += 1;
  return at(`restored-${nextDir}`);
};

async function createToken(service: TestService): Promise<string> {
  const { body } = await service.call('/tokens', { method: 'POST', json: { name: 'x', rights: ['admin'] }, ...admin });
  return body.token;
}

/** The statuses of requests with the genuine and the attacker's token, and with the name and password of a user. */
async function signIns(dir: string): Promise<number[]> {
  const service = await TestService.start({}, dir);
  const statuses: number[] = [];
  for (const token of [genuineToken, attackersToken]) {
    const headers = { authorization: `Bearer ${token}` };
    statuses.push((await service.get('/me', { as: null, headers })).status);
  }
  statuses.push((await service.get('/me')).status);
  await service.stop({ keepData: true });
  return statuses;
}

beforeAll(async () => {
  root = await makeTempDir();
  const other = await TestService.start({}, at('other'));
  attackersToken = await createToken(other);
  await other.stop({ keepData: true });
  const rows = (await readAll(await openSqliteSnapshot(at('other')))).api_token ?? [];
  attackersRows = rows.map(([, ...values]) => ['zz-of-the-attacker', ...values]);
  logbook = await TestService.start({}, at('data'));
  genuineToken = await createToken(logbook);
  await logbook.create({ title: 'one' });
});

afterAll(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

beforeEach(async () => {
  await rm(at('backups'), { recursive: true, force: true });
  const { manifest, signer } = await backUp(embedded(at('data')), backupTarget());
  genuine = manifest.header.name;
  keys = signer.keys;
});

const attackersKey = readPrivateKey(createSigningKeys().privateKey);

describe('a backup to which someone has added a token of an administrator', () => {
  const addToken = { table: 'api_token', rows: [] as (string | number | null)[][] };
  test.each([
    ['without a signature', { signature: 'none' as const }, 'it has no signature'],
    ['signed with their own key', { signature: attackersKey }, `signed with the key ${fingerprintOf(attackersKey)}`],
    ['with the signature of the original', {}, 'was changed after it was signed'],
  ])('%s is refused, and with --accept-unsigned no token works', async (_how, signature, reason) => {
    await forgeBackup(at('backups'), genuine, { rows: { ...addToken, rows: attackersRows }, ...signature });
    const refused = target();
    await expect(restore(embedded(refused), backupTarget(), { keys })).rejects.toThrow(reason);
    await expect(readdir(refused)).rejects.toThrow('ENOENT');
    expect(await verifyTarget(backupTarget(), at('data'))).toEqual([expect.stringMatching(`^PROBLEM .*${reason}`)]);
    expect(await verifyTarget(backupTarget(), at('data'), false, true)).toEqual([
      expect.stringMatching(`^notice .*${reason}`),
    ]);
    const accepted = target();
    const { omitted } = await restore(embedded(accepted), backupTarget(), { keys, acceptUnsigned: true });
    expect(omitted).toBe(2);
    expect(await signIns(accepted)).toEqual([401, 401, 200]);
    const secretOf = async (dir: string) =>
      (await readAll(await openSqliteSnapshot(dir))).store?.find(([key]) => key === 'feed_secret')?.[1];
    expect(await secretOf(accepted)).not.toBe(await secretOf(at('data')));
  });
});

test('tokens are restored only on request, and never with --accept-unsigned', async () => {
  const [without, withThem] = [target(), target()];
  expect((await restore(embedded(without), backupTarget(), { keys })).omitted).toBe(1);
  expect(await signIns(without)).toEqual([401, 401, 200]);
  expect((await restore(embedded(withThem), backupTarget(), { keys, withCredentials: true })).omitted).toBe(0);
  expect(await signIns(withThem)).toEqual([200, 401, 200]);
  const flags = ['--with-credentials', '--accept-unsigned'];
  const { code, errors } = await runCommand(['restore', at('backups'), '--data-dir', target(), ...flags]);
  expect([code, errors]).toEqual([1, expect.stringContaining('would let the maker of the backup sign in')]);
});

test('on another machine, restore and verify say which key is missing, and accept it', async () => {
  await logbook.create({ title: 'two' });
  const dir = target();
  const restoring = ['restore', at('backups'), '--data-dir', dir];
  const refused = await runCommand(restoring);
  expect(refused.code).toBe(1);
  const [fingerprint] = keys.map(fingerprintOf);
  for (const part of [fingerprint, '--backup-public-key FILE', '--accept-unsigned'])
    expect(refused.errors).toContain(part);
  const verifying = ['verify', at('backups'), '--data-dir', at('nothing')];
  const key = ['--backup-public-key', at('data/backup-key.pub')];
  expect(await runCommand([...verifying, ...key])).toMatchObject({ code: 0 });
  const restored = await runCommand([...restoring, ...key]);
  expect(restored).toMatchObject({ code: 0, errors: '' });
  expect(restored.output).toContain('1 API token of the backup was left out');
  // The restored logbook trusts the earlier backups.
  expect(await verifyTarget(backupTarget(), dir)).toEqual([]);
  // The configuration of the service is enough on its machine.
  const beside = await runCommand(['restore', at('backups'), '--data-dir', target()], undefined, {
    LOGBOOK_DATA_DIR: at('data'),
  });
  expect(beside).toMatchObject({ code: 0, errors: '' });
});

test('the private key is in no backup, and many that create it at the same time agree', async () => {
  const pem = await readFile(at('data/backup-key.pem'), 'utf8');
  const [, secret = ''] = pem.split('\n');
  expect(await filesWith(at('data'), secret)).toEqual([at('data/backup-key.pem')]);
  expect(await filesWith(at('backups'), secret)).toEqual([]);
  const dir = target();
  await copyDataDir(at('data'), dir);
  for (const name of ['backup-key.pem', 'backup-key.pub']) await rm(join(dir, name));
  const open = () => openBackupSigner(embedded(dir), ownKeys, silentLog);
  const signers = await Promise.all(Array.from({ length: 8 }, open));
  expect(new Set(signers.map(({ privateKey }) => fingerprintOf(privateKey))).size).toBe(1);
  expect(signers.filter(({ created }) => created)).toHaveLength(1);
  expect((await readdir(dir)).filter((name) => name.startsWith('backup-key'))).toHaveLength(2);
});

test('after a change of the key, the backups of both are trusted, also when the operator signs', async () => {
  const dir = target();
  await copyDataDir(at('data'), dir);
  await rm(join(dir, 'backup-key.pem'));
  await backUp(embedded(dir), backupTarget());
  const signingKeyFile = at('operator.pem');
  await writeFile(signingKeyFile, createSigningKeys().privateKey);
  await backUp(embedded(dir), backupTarget(), { keys: { ...ownKeys, signingKeyFile } });
  expect(readPublicKeys(await readFile(join(dir, 'backup-key.pub'), 'utf8'))).toHaveLength(3);
  expect(await verifyTarget(backupTarget(), dir)).toEqual([]);
  expect(await verifyTarget(backupTarget(), at('data'))).toHaveLength(2);
});

test('an older backup under a newer name is refused, and another one is named', async () => {
  const [newer, manifests] = ['29991231T235959Z', join(at('backups'), 'backups')];
  await cp(join(manifests, `${genuine}.manifest`), join(manifests, `${newer}.manifest`));
  await expect(restore(embedded(target()), backupTarget(), { keys })).rejects.toThrow(
    `is that of the backup ${genuine}`,
  );
  await forgeBackup(at('backups'), genuine, { name: newer });
  await expect(restore(embedded(target()), backupTarget(), { keys })).rejects.toThrow(`--backup ${genuine}`);
});

test('newer backups that are not signed say neither which ids were given nor what to redact, and are named', async () => {
  const { body } = await logbook.get('/logs?title=one');
  const redaction = {
    entryId: body[0]?.id,
    by: 'admin',
    atMs: Date.now(),
    reason: 'no',
    parts: ['title'],
    versions: [],
  };
  const rows = [[999, JSON.stringify(redaction), null]];
  await forgeBackup(at('backups'), genuine, {
    ...{ name: '29991231T235959Z', signature: 'none', rows: { table: 'redaction', rows } },
    header: { highestEntryId: 1_000_000_000_000 },
  });
  const dir = target();
  const { findings, highestEntryId, redactions } = await restore(embedded(dir), backupTarget(), {
    keys,
    backup: genuine,
  });
  expect(findings).toMatchObject([{ kind: 'problem', subject: 'the backup 29991231T235959Z' }]);
  expect(redactions).toBe(0);
  expect(highestEntryId).toBeLessThan(1_000_000);
});

test('rows of a piece that was altered are not restored with --accept-damage alone', async () => {
  const { manifest } = await backUp(embedded(at('data')), backupTarget());
  const piece = manifest.pieces.find(({ table }) => table === 'catalog_item');
  await appendFile(poolPath(at('backups'), String(piece?.checksum)), '00000000 ["tags","forged"]\n');
  const dir = target();
  const restoring = restore(embedded(dir), backupTarget(), { keys, acceptDamage: true });
  await expect(restoring).rejects.toThrow('no signature covers its intact rows');
  await expect(readdir(dir)).rejects.toThrow('ENOENT');
  await restore(embedded(dir), backupTarget(), { keys, acceptDamage: true, acceptUnsigned: true });
});

test('backups without a valid signature displace no others, and expire when signed ones cover them', async () => {
  const manifests = join(at('backups'), 'backups');
  const names = async () => (await readdir(manifests)).map((name) => name.replace('.manifest', '')).sort();
  const forged = ['29991231T235959Z', '29991231T235959Z-2'];
  const forge = async (from: string, name: string, takenMs = Date.now()) =>
    forgeBackup(at('backups'), from, { name, signature: attackersKey, header: { takenMs } });
  for (const name of forged) await forge(genuine, name);
  await forge(genuine, '20200101T000000Z', Date.parse('2020-01-01'));
  const prune = (acceptUnsigned = false) =>
    pruneTarget({
      ...{ target: backupTarget(), retention: newestOnly, trust: { keys, acceptUnsigned }, dataDir: at('data') },
      ...{ log: silentLog, signal: new AbortController().signal },
    });
  // The newest one is kept, as if the forged ones were not there.
  expect(await prune()).toMatchObject({ backups: ['20200101T000000Z'], kept: 3, untrusted: forged });
  expect(await names()).toEqual([genuine, ...forged]);
  const { manifest } = await backUp(embedded(at('data')), backupTarget(), { retention: newestOnly });
  const { name } = manifest.header;
  expect(await names()).toEqual([name]);
  // Nothing is removed if no backup is signed.
  const more = [`${name}0`, `${name}1`];
  for (const one of more) await forge(name, one);
  await rm(join(manifests, `${name}.manifest`));
  await expect(prune()).rejects.toThrow('--accept-unsigned');
  expect(await names()).toEqual(more);
  expect(await prune(true)).toMatchObject({ backups: more.slice(0, 1), kept: 1, untrusted: [] });
});

test('anything but a file in a backup target is named, and no command hangs on it', async () => {
  const { manifest } = await backUp(embedded(at('data')), backupTarget());
  const path = poolPath(at('backups'), String(manifest.pieces[0]?.checksum));
  await rename(path, `${path}.kept`);
  execFileSync('mkfifo', [path]);
  await expect(restore(embedded(target()), backupTarget(), { keys })).rejects.toThrow();
  await rm(path);
  await writeFile(path, '');
  await rename(`${path}.kept`, path);
  expect(await verifyTarget(backupTarget(), at('data'))).toEqual([]);
});
