import { execFile, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { proveVersion } from '../../src/app/ledger/prove-version.js';
import { readPublicKeys, readSignedHead } from '../../src/cli/ledger.js';
import { Connection, loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import type { Entry } from '../../src/entries/entry.js';
import { createSigningKeys, readPublicKey } from '../../src/kernel/signing-keys.js';
import { checkProof } from '../../src/ledger/check-proof.js';
import { openCheckpoint, readCheckpoint } from '../../src/ledger/checkpoint.js';
import { digestFormer, redigestEntry } from '../../src/ledger/entry-digest.js';
import { extendLedger } from '../../src/ledger/extend-ledger.js';
import { backUp, directory, embedded, restore, sign, verify } from '../fixtures/backups.js';
import { downgradeToVersion6 } from '../fixtures/earlier-schema.js';
import { stopComplete } from '../fixtures/ledger-records.js';
import { silentLog } from '../fixtures/log.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';
import { ledgerOn } from '../fixtures/sqlite-ledger.js';

const run = promisify(execFile);
const keys = createSigningKeys();
/** Skips a test if a program is missing; in CI, the test fails. */
const needs = (...programs: readonly string[]) =>
  test.skipIf(!process.env.CI && programs.some((program) => spawnSync(program, ['--help']).error !== undefined));

let root: string;
let logbook: TestService;
const dataDir = () => join(root, 'data');

beforeEach(async () => {
  root = await makeTempDir();
  logbook = await TestService.start({}, dataDir());
});

afterEach(async () => {
  await logbook.stop();
  await rm(root, { recursive: true, force: true });
});

/** Some entries with an edit, a reply and a file; returns the id of the one that was edited. */
async function fill(): Promise<number> {
  const { id } = await logbook.create({ title: 'Beam lost', description: 'The *first* text, with ü and 🔬.' });
  await logbook.post(`/logs/${id}`, {
    title: 'Beam lost',
    description: 'The second text.',
    logbooks: [{ name: 'operations' }],
  });
  await logbook.create({ title: 'A reply' }, `?inReplyTo=${id}`);
  const withFile = { title: 'With a file', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  expect((await logbook.sendForm('PUT', withFile, [{ name: 'a.txt', content: 'content' }])).status).toBe(200);
  return id;
}

async function change<T>(work: (database: Connection) => T | Promise<T>): Promise<T> {
  const DatabaseSync = await loadSqlite();
  const database = new DatabaseSync(join(dataDir(), 'logbook.sqlite'), { timeout: 60_000 });
  try {
    return await work(new Connection(database));
  } finally {
    database.close();
  }
}

/** Changes the title in the stored document of an entry, with its checksum. */
function alter(database: Connection, id: number, title: string): Entry {
  const { document } = database.get<{ document: string }>('SELECT document FROM entry WHERE id = ?', id) ?? {
    document: '',
  };
  const altered = { ...(JSON.parse(document) as Entry), title };
  const json = JSON.stringify(altered);
  database.run('UPDATE entry SET document = ?, crc = ? WHERE id = ?', json, crc32(json), id);
  return altered;
}

const signed = () => sign(embedded(dataDir()), keys.privateKey);

test('a logbook with edits, replies and files matches its ledger, also in a restored backup', async () => {
  await fill();
  await logbook.call('/tags/Vacuum', {
    method: 'PUT',
    json: { name: 'Vacuum', state: 'Active' },
    as: 'admin:adminPass',
  });
  await logbook.call('/tags/Vacuum', { method: 'DELETE', as: 'admin:adminPass' });
  await stopComplete(logbook);
  expect(await verify(embedded(dataDir()))).toEqual([]);
  const { checkpoint } = await signed();
  expect(checkpoint.size).toBeGreaterThan(5);
  await backUp(embedded(dataDir()), directory(join(root, 'backups')));
  const restored = embedded(join(root, 'restored'));
  await restore(restored, directory(join(root, 'backups')));
  expect((await verify(restored)).filter((line) => /ledger|record/.test(line))).toEqual([]);
  expect((await sign(restored, keys.privateKey)).checkpoint).toMatchObject({
    size: checkpoint.size,
    root: checkpoint.root,
  });
});

test('a run that grows and is redacted matches its ledger, and no block can be changed afterwards', async () => {
  const runs: number[] = [];
  for (const title of ['Open', 'Closed', 'Redacted']) {
    const { id } = await logbook.create({ title, source: 'Opened.' }, '?run=true');
    runs.push(id);
    for (const [at, text] of ['one', 'two', 'three'].entries()) {
      await logbook.call(`/logs/${id}/blocks/${at + 1}`, { method: 'PUT', json: { text } });
      if (at === 1) await logbook.create({ title: 'A reply' }, `?inReplyTo=${id}`);
    }
    if (title !== 'Open') await logbook.call(`/logs/${id}/close`, { method: 'POST', json: { status: 'done' } });
  }
  const reason = { reason: 'private', text: true, properties: true };
  await logbook.call(`/logs/${runs[2]}/redaction`, { method: 'POST', json: reason, as: 'admin:adminPass' });
  await stopComplete(logbook);
  expect(await verify(embedded(dataDir()))).toEqual([]);
  await change((database) => {
    const sql = 'SELECT document FROM archived_entry WHERE entry_id = ?';
    const { document = '' } = database.get<{ document: string }>(sql, runs[1] ?? 0) ?? {};
    const json = document.replaceAll('two', 'six');
    database.run('UPDATE archived_entry SET document = ?, crc = ? WHERE entry_id = ?', json, crc32(json), runs[1] ?? 0);
  });
  const found = (await verify(embedded(dataDir()))).join('\n');
  expect(found).toContain(`the version 3 of entry ${runs[1]}: it is recorded, but not stored`);
});

test('changes in the database without the service are named', async () => {
  const id = await fill();
  await stopComplete(logbook);
  await change((database) => {
    alter(database, id, 'Nothing happened');
    database.run('DELETE FROM archived_entry WHERE entry_id = ?', id);
    database.run(
      'UPDATE ledger_record SET at_ms = at_ms + 1 WHERE sequence = (SELECT max(sequence) FROM ledger_record)',
    );
  });
  const found = (await verify(embedded(dataDir()))).join('\n');
  expect(found).toContain(`of entry ${id}: it is not what was recorded`);
  expect(found).toContain(`the version 1 of entry ${id}: it is recorded, but not stored`);
  expect(found).toContain('the ledger: the tile 0/0 of the tree does not match the records');
});

test('an item of the catalogue that a node without a ledger changed is named, until it is saved once more', async () => {
  await fill();
  const json = { name: 'Vacuum', state: 'Active' };
  const save = () => logbook.call('/tags/Vacuum', { method: 'PUT', json, as: 'admin:adminPass' });
  expect((await save()).status).toBe(200);
  await stopComplete(logbook);
  await change((database) => {
    const where = "WHERE kind = 'tags' AND name = 'Vacuum'";
    const { document } = database.get<{ document: string }>(`SELECT document FROM catalog_item ${where}`) ?? {
      document: '',
    };
    const changed = document.replace('Active', 'Inactive');
    database.run(`UPDATE catalog_item SET document = ?, crc = ? ${where}`, changed, crc32(changed));
  });
  expect(await verify(embedded(dataDir()))).toEqual([
    expect.stringMatching(
      /“tags\/Vacuum”: it is not what was recorded\. If someone changed it through a node .* once more/,
    ),
  ]);
  logbook = await TestService.start({}, dataDir());
  expect((await save()).status).toBe(200);
  await stopComplete(logbook);
  expect(await verify(embedded(dataDir()))).toEqual([]);
});

test('an entry that was changed, with all hashes computed again, is found by the checkpoint and by nothing else', async () => {
  const id = await fill();
  await stopComplete(logbook);
  const { checkpoint } = await signed();
  await change(async (database) => {
    const { version, salts } = database.get<{ version: number; salts: string }>(
      'SELECT version, salts FROM entry WHERE id = ?',
      id,
    ) ?? { version: 0, salts: '' };
    const altered = alter(database, id, 'Nothing happened');
    // Before the reply, it was not in a group.
    const digests = [redigestEntry(altered, salts, null) ?? '', digestFormer(altered, salts, null) ?? ''];
    const sql = 'UPDATE ledger_record SET digest = ? WHERE entry_id = ? AND version = ?';
    for (const [back, digest] of digests.entries()) database.run(sql, digest, id, version - back);
    database.exec('DELETE FROM ledger_tile');
    while ((await extendLedger(ledgerOn(database))) > 0);
  });
  expect((await verify(embedded(dataDir()))).filter((line) => !line.includes('index'))).toEqual([]);
  const found = await verify(embedded(dataDir()), false, [{ name: 'the checkpoint', ...checkpoint }]);
  expect(found.join('\n')).toContain(`the first ${checkpoint.size} records are not those that the checkpoint covers`);
});

test('records that were removed from the end are found by the checkpoint', async () => {
  await fill();
  await stopComplete(logbook);
  const { checkpoint } = await signed();
  await change(async (database) => {
    const { id } = database.get<{ id: number }>('SELECT max(id) AS id FROM entry') ?? { id: 0 };
    for (const table of ['entry_file', 'attachment_entry', 'ledger_record']) {
      database.run(`DELETE FROM ${table} WHERE entry_id = ?`, id);
    }
    database.exec(
      `DELETE FROM entry WHERE id = ${id}; DELETE FROM change WHERE entry_id = ${id}; DELETE FROM ledger_tile`,
    );
    while ((await extendLedger(ledgerOn(database))) > 0);
  });
  const found = (await verify(embedded(dataDir()), false, [{ name: 'the checkpoint', ...checkpoint }])).join('\n');
  expect(found).toContain(`but the checkpoint covers ${checkpoint.size}`);
});

test('entries of an earlier version of the program are recorded when this one starts, and are as recorded then', async () => {
  await fill();
  await stopComplete(logbook);
  await change((database) => downgradeToVersion6(database));
  logbook = await TestService.start({}, dataDir());
  const { ledger } = logbook.service.storage.committed;
  const recorded = async () => (await ledger.listRecordsAfter(0, 100)).filter(({ kind }) => kind === 'recorded').length;
  await expect.poll(recorded).toBe(4);
  await stopComplete(logbook);
  expect(await verify(embedded(dataDir()))).toEqual([]);
});

test('a checkpoint that was changed, or that another key has signed, is refused', async () => {
  await fill();
  await stopComplete(logbook);
  const made = await signed();
  const key = readPublicKey(keys.publicKey);
  expect(openCheckpoint(made.signed, key)).toEqual(made.checkpoint);
  // A mail changes the ends of the lines.
  const [note, pem] = [join(dataDir(), 'note'), join(dataDir(), 'key')];
  await writeFile(note, made.signed.replaceAll('\n', '\r\n'));
  await writeFile(pem, keys.publicKey);
  expect(await readSignedHead(note, await readPublicKeys([pem]))).toMatchObject({ size: made.checkpoint.size });
  const changed = made.signed.replace(`\n${made.checkpoint.size}\n`, `\n${made.checkpoint.size - 1}\n`);
  expect(() => openCheckpoint(changed, key)).toThrow('changed after it was signed');
  const other = readPublicKey(createSigningKeys().publicKey);
  expect(() => openCheckpoint(made.signed, other)).toThrow('not signed with this key');
  expect(() => readCheckpoint('nothing')).toThrow('not a checkpoint');
  expect(() => readPublicKey('nothing')).toThrow('no public Ed25519 key');
});

test('each version of an entry is proven to anyone who has the key, with the entry to which it replies', async () => {
  const id = await fill();
  await stopComplete(logbook);
  const made = await signed();
  const checkpoint = { text: made.signed, content: made.checkpoint };
  const prove = (entryId: number, version: number) =>
    proveVersion(embedded(dataDir()), { id: entryId, version, checkpoint }, silentLog);
  for (const [entryId, version, shown] of [
    [id, 1, 'The first text'],
    [id, 2, 'The second text'],
    [id + 1, 1, `"inReplyTo":${id},`],
  ] as const) {
    const proof = JSON.stringify(await prove(entryId, version));
    expect(proof).toContain(shown);
    expect(checkProof(Buffer.from(proof), keys.publicKey)[0]).toContain(`Proven: entry ${entryId}, version`);
  }
  await expect(prove(id, 4)).rejects.toThrow('no version 4');
  await expect(prove(99, 1)).rejects.toThrow('no record of an entry 99');
});

test('checkpoints are made and stored while the service runs, and each is verified against those before', async () => {
  const id = await fill();
  const path = (name: string) => join(root, name);
  await writeFile(path('key'), keys.privateKey);
  await writeFile(path('key.pub'), keys.publicKey);
  const checkpoint = (out: string, ...more: readonly string[]) =>
    runCommand(['checkpoint', '--data-dir', dataDir(), '--key', path('key'), '--out', path(out), ...more]);
  await expect.poll(async () => (await checkpoint('first')).code).toBe(0);
  const created = await logbook.create({ title: 'while it runs' });
  expect(await checkpoint('second', '--previous', path('first'))).toMatchObject({ code: 0, errors: '' });
  expect((await logbook.get(`/logs/${created.id}`)).status).toBe(200);
  await stopComplete(logbook);
  const verifyFiles = [
    'verify',
    '--data-dir',
    dataDir(),
    '--checkpoint',
    path('first'),
    '--public-key',
    path('key.pub'),
  ];
  const verified = await runCommand(verifyFiles);
  expect(verified, verified.output).toMatchObject({ code: 0 });
  expect(verified.output).toContain('compared with 1 checkpoint given and 2 stored (with their signatures)');
  expect(verified.output).toMatch(/Not covered by the ledger:\n {2}- everything newer than the newest checkpoint/);
  expect((await checkpoint('third')).code).toBe(0);
  await change((database) => alter(database, id, 'Nothing happened'));
  const refused = await checkpoint('fourth');
  expect(refused).toMatchObject({ code: 1, errors: expect.stringContaining('Nothing was signed') });
  expect(refused.output).toContain(`entry ${id}: it is not what was recorded`);
  expect(existsSync(path('fourth'))).toBe(false);
  expect(await checkpoint('first')).toMatchObject({ code: 1, errors: expect.stringContaining('exists') });
  expect((await checkpoint('fourth', '--despite-problems')).code).toBe(0);
});

needs('openssl')(
  'a checkpoint is written and stamped; without the authority it is still written, and stamped later',
  async () => {
    await fill();
    await stopComplete(logbook);
    const authority = await startAuthority(root);
    const path = (name: string) => join(root, name);
    await writeFile(path('key'), keys.privateKey);
    const make = (out: string, query = '') => {
      const files = ['--key', path('key'), '--out', path(out)];
      const url = `${authority.url}/${query}`;
      return runCommand(['checkpoint', '--data-dir', dataDir(), ...files, '--timestamp', url]);
    };
    const isStamped = async (name: string) => {
      const files = ['-data', path(name), '-in', path(`${name}.tsr`), '-CAfile', path('tsa.pem')];
      return (await run('openssl', ['ts', '-verify', ...files])).stdout.includes('OK');
    };
    expect((await make('stamped')).code).toBe(0);
    expect(await isStamped('stamped')).toBe(true);
    const reasons = { refused: 'did not grant', other: 'for something else', down: 'answered 503' };
    for (const [as, reason] of Object.entries(reasons)) {
      const { code, output, errors } = await make(as, `?as=${as}`);
      expect([code, output]).toEqual([3, expect.stringContaining('The checkpoint in')]);
      expect(errors).toContain(reason);
      const text = await readFile(path(as), 'utf8');
      expect(openCheckpoint(text, readPublicKey(keys.publicKey)).size).toBeGreaterThan(0);
    }
    const stamp = (name: string) => runCommand(['stamp', path(name), '--timestamp', authority.url]);
    expect(await stamp('down')).toMatchObject({ code: 0, errors: '' });
    expect(await isStamped('down')).toBe(true);
    expect(await stamp('down')).toMatchObject({ code: 1, errors: expect.stringContaining('has its time stamp') });
    expect(await stamp('key')).toMatchObject({ code: 1 });
    await authority.stop();
    const away = await stamp('other');
    expect([away.code, away.errors]).toEqual([
      1,
      expect.stringMatching(/No time stamp was obtained from 127.*ECONNREFUSED/),
    ]);
  },
);

/** A time-stamping authority: openssl behind an HTTP server. */
async function startAuthority(dir: string) {
  const path = (name: string) => join(dir, name);
  await writeFile(path('tsa.cnf'), authorityConfig(dir));
  const subject = ['-subj', '/CN=Test TSA', '-addext', 'extendedKeyUsage=critical,timeStamping'];
  await run('openssl', [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    ...subject,
    '-keyout',
    path('tsa.key'),
    '-out',
    path('tsa.pem'),
  ]);
  const other = Buffer.concat([
    Buffer.from('30430201013031300d060960864801650304020105000420', 'hex'),
    hash('sha256', 'other', 'buffer'),
    Buffer.from('0208400102030405060701 01ff'.replace(' ', ''), 'hex'),
  ]);
  const answer = async (query: Buffer, as: string | null) => {
    // PKIStatus 2: rejection.
    if (as === 'refused') return Buffer.from('30053003020102', 'hex');
    await writeFile(path('query'), as === 'other' ? other : query);
    const files = ['-config', path('tsa.cnf'), '-queryfile', path('query'), '-out', path('reply')];
    await run('openssl', ['ts', '-reply', ...files]);
    return readFile(path('reply'));
  };
  const server = createServer((request, response) => {
    const as = new URL(request.url ?? '', 'http://tsa').searchParams.get('as');
    response.writeHead(as === 'down' ? 503 : 200, { 'content-type': 'application/timestamp-reply' });
    buffer(request)
      .then((query) => answer(query, as))
      .then((reply) => response.end(reply))
      .catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

const authorityConfig = (dir: string) => `
[tsa]
default_tsa = test
[test]
dir = ${dir}
serial = ${dir}/serial
signer_cert = ${dir}/tsa.pem
certs = ${dir}/tsa.pem
signer_key = ${dir}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4
digests = sha256
ess_cert_id_alg = sha256
`;
