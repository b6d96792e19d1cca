import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { verifyLogbook } from '../../src/app/backup/verify-logbook.js';
import { proveVersion } from '../../src/app/ledger/prove-version.js';
import { storeCheckpoint } from '../../src/app/ledger/store-checkpoint.js';
import { type DataFinding, describeFinding } from '../../src/backup/data-finding.js';
import type { PostgresOptions } from '../../src/engines/postgres/postgres-options.js';
import { migratePostgres, openPostgresStorage } from '../../src/engines/postgres/postgres-storage.js';
import type { StorageOptions } from '../../src/engines/storage-options.js';
import { createSigningKeys, readPublicKey } from '../../src/kernel/signing-keys.js';
import { checkProof } from '../../src/ledger/check-proof.js';
import { openCheckpoint, type SignedHead } from '../../src/ledger/checkpoint.js';
import { redigestEntry } from '../../src/ledger/entry-digest.js';
import { extendLedger } from '../../src/ledger/extend-ledger.js';
import { noHash } from '../../src/ledger/ledger-record.js';
import { sign } from '../fixtures/backups.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { entryDraft } from '../fixtures/entries.js';
import { silentIntegrity, silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

/** Attempts of someone who can write to the database, like those in the suite for the embedded engine. */

const keys = createSigningKeys();
const never = new AbortController().signal;
const schema = 'logbook_1';

let root: string;
let engine: PostgresEngine;
let head: SignedHead;
let signed: string;
let ids: { readonly entry: number; readonly reply: number };
let forgeries = 0;

const optionsOf = (database: string): PostgresOptions => ({ ...engine.newOptions(), database, schema });

const storageOf = (database: string): StorageOptions & { kind: 'postgres' } => ({
  ...{ kind: 'postgres', dataDir: join(root, 'data'), searchThreads: 2, attachmentsDir: join(root, 'attachments') },
  ...{ postgres: optionsOf(database), blobs: { kind: 'files' }, index: { kind: 'embedded' } },
  snapshots: { intervalMs: 0, minFreeBytes: 0 },
});

/** The database in the hands of a forger. */
class Forgery {
  constructor(
    private readonly client: pg.Client,
    private readonly database: string,
  ) {}

  async run(sql: string, ...values: unknown[]): Promise<void> {
    expect((await this.client.query(sql, values)).rowCount).toBeGreaterThan(0);
  }

  /** Changes definitions. */
  async define(sql: string): Promise<void> {
    await this.client.query(sql);
  }

  async alter(table: string, where: string, change: (document: Record<string, unknown>) => object): Promise<void> {
    const { rows } = await this.client.query<{ document: string }>(
      `SELECT document FROM ${table} WHERE ${where} LIMIT 1`,
    );
    const document = JSON.stringify(change(JSON.parse(rows[0]?.document ?? '')));
    await this.run(`UPDATE ${table} SET document = $1, crc = $2 WHERE ${where}`, document, crc32(document));
  }

  /** Like `alter`, but keeps the salts, which a trigger drops for the sake of earlier versions of the program. */
  async alterEntry(id: number, change: (document: Record<string, unknown>) => object): Promise<void> {
    const { rows } = await this.client.query<{ salts: string }>('SELECT salts FROM entry WHERE id = $1', [id]);
    await this.alter('entry', `id = ${id}`, change);
    await this.run('UPDATE entry SET salts = $1 WHERE id = $2', rows[0]?.salts, id);
  }

  /** Computes the digests of the current versions and the tree again. */
  async recompute(): Promise<void> {
    const { rows } = await this.client.query<{
      id: string;
      version: number;
      document: string;
      salts: string;
      link: string;
    }>('SELECT id, version, document, salts, in_reply_to AS link FROM entry');
    for (const { id, version, document, salts, link } of rows) {
      const digest = redigestEntry(JSON.parse(document), salts, link === null ? null : Number(link));
      const sql = 'UPDATE ledger_record SET digest = $1 WHERE entry_id = $2 AND version = $3';
      await this.run(sql, digest, Number(id), version);
    }
    await this.replant();
  }

  /** Builds the tree again from the records. */
  async replant(): Promise<void> {
    await this.client.query('DELETE FROM ledger_tile');
    const storage = await openPostgresStorage(optionsOf(this.database), {
      log: silentLog,
      integrity: silentIntegrity(),
    });
    while ((await storage.write((tx) => extendLedger(tx.ledger))) > 0);
    await storage.close();
  }
}

async function connect(database: string): Promise<pg.Client> {
  const client = new pg.Client({ host: '127.0.0.1', port: engine.server.port, user: 'postgres', database });
  await client.connect();
  await client.query(`SET search_path TO ${schema}`);
  return client;
}

/** Forges a copy of the logbook, and verifies it; returns the problems. */
async function forge(edit: (forgery: Forgery) => unknown): Promise<string> {
  forgeries += 1;
  const database = `forged_${forgeries}`;
  await engine.query(`CREATE DATABASE ${database} TEMPLATE original`);
  const client = await connect(database);
  try {
    await edit(new Forgery(client, database));
  } finally {
    await client.end();
  }
  const findings: DataFinding[] = [];
  await verifyLogbook(storageOf(database), false, {
    ...{ heads: [head], keys: [readPublicKey(keys.publicKey)], log: silentLog, signal: never },
    onFinding: (finding) => findings.push(finding),
  });
  return findings
    .filter(({ kind }) => kind === 'problem')
    .map(describeFinding)
    .join('\n');
}

async function fill(logbook: TestService): Promise<typeof ids> {
  // An import stores entry 0 like this.
  await logbook.service.storage.write((tx) => tx.entries.insertGiven({ ...entryDraft({ title: 'the first' }), id: 0 }));
  const form = { title: 'With a file', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  const { body } = await logbook.sendForm('PUT', form, [{ name: 'a.txt', content: 'what was measured' }]);
  const next = { title: 'Beam lost', logbooks: [{ name: 'operations' }], attachments: body.attachments };
  expect((await logbook.post(`/logs/${body.id}`, next)).status).toBe(200);
  const reply = await logbook.create({ title: 'A reply' }, `?inReplyTo=${body.id}`);
  const { status } = await logbook.call('/tags/Vacuum', {
    ...{ method: 'PUT', json: { name: 'Vacuum', state: 'Active' }, as: 'admin:adminPass' },
  });
  expect(status).toBe(200);
  // Records of the audit log are stored by the time that it is read.
  expect((await logbook.call('/audit', { as: 'admin:adminPass' })).status).toBe(200);
  const { storage } = logbook.service;
  await storage.write((tx) => tx.audit.enterNewest());
  while ((await storage.write((tx) => tx.ledger.recordEarlier(100))) > 0);
  const { ledger } = storage.committed;
  const pending = async () =>
    (await ledger.listRecordsAfter((await ledger.findNewestTile())?.lastSequence ?? 0, 1)).length;
  // Records get their place once all transactions before them have ended.
  while ((await pending()) > 0) await storage.write((tx) => extendLedger(tx.ledger));
  return { entry: Number(body.id), reply: Number(reply.id) };
}

const rewritten = /the first \d+ records are not those that the checkpoint covers/;

const found: readonly (readonly [name: string, finding: RegExp, edit: (forgery: Forgery) => unknown])[] = [
  ['nothing', /^$/, () => undefined],
  [
    'the name of a file',
    /stored with another name/,
    (it) => it.alter('attachment', 'true', (one) => ({ ...one, filename: 'b' })),
  ],
  [
    'the owner',
    /its owner is stored as “mallory”/,
    (it) => it.run(`UPDATE entry SET owner = 'mallory' WHERE id = ${ids.entry}`),
  ],
  [
    'the date',
    /the table and the document have different creation dates/,
    (it) => it.run(`UPDATE entry SET created_ms = 5 WHERE id = ${ids.entry}`),
  ],
  [
    'the reply link',
    /it is not what was recorded/,
    (it) => it.run(`UPDATE entry SET in_reply_to = 0 WHERE id = ${ids.reply}`),
  ],
  ['a text', /it is not what was recorded/, (it) => it.alterEntry(ids.entry, (one) => ({ ...one, title: 'x' }))],
  [
    'the text of entry 0',
    /of entry 0: it is not what was recorded/,
    (it) => it.alterEntry(0, (one) => ({ ...one, title: 'x' })),
  ],
  [
    'a text, with the digests and the tree',
    rewritten,
    async (it) => {
      await it.alterEntry(ids.entry, (one) => ({ ...one, title: 'x' }));
      await it.recompute();
    },
  ],
  ['an archived version', /it is recorded, but not stored/, (it) => it.run('DELETE FROM archived_entry')],
  [
    'the logbooks of a file',
    /the table of its files and its versions disagree/,
    (it) => it.run(`UPDATE logbook_set SET names = '["x"]'`),
  ],
  ['the files of an entry', /the tables by which its files are found lack/, (it) => it.run('DELETE FROM entry_file')],
  [
    'access rules',
    /“logbooks\/operations”: it is not what was recorded/,
    (it) =>
      it.alter('catalog_item', "kind = 'logbooks' AND name = 'operations'", (one) => ({ ...one, readers: ['all'] })),
  ],
  [
    'an item',
    /“tags\/Vacuum”: it is recorded, but not stored/,
    (it) => it.run("DELETE FROM catalog_item WHERE name = 'Vacuum'"),
  ],
  [
    'an audit record',
    /audit \d+: it does not follow/,
    (it) => it.run("UPDATE audit SET user_name = 'bob' WHERE id = 2"),
  ],
  ['a removed audit record', /audit \d+: it does not follow/, (it) => it.run('DELETE FROM audit WHERE id = 2')],
  ['the newest audit records', /the audit log: its newest record is/, (it) => it.run('DELETE FROM audit WHERE id > 2')],
  [
    'a hash in the tree',
    /the tile 0\/0 of the tree/,
    (it) => it.run(`UPDATE ledger_tile SET hashes = '${noHash}' || substr(hashes, 65)`),
  ],
  [
    'a stored checkpoint',
    /the stored checkpoint 2: the one before it/,
    (it) => it.run('DELETE FROM ledger_checkpoint WHERE number = 1'),
  ],
  [
    'the newest records',
    /there are \d+ records, but the checkpoint covers/,
    async (it) => {
      await it.run(
        'DELETE FROM ledger_record WHERE sequence > (SELECT sequence FROM ledger_record ORDER BY sequence LIMIT 1 OFFSET 2)',
      );
      await it.replant();
    },
  ],
  [
    'the whole history',
    rewritten,
    async (it) => {
      await it.run('UPDATE ledger_record SET at_ms = 0');
      await it.run('DELETE FROM ledger_checkpoint');
      await it.replant();
    },
  ],
  [
    'a trigger',
    /the trigger quiet: this program does not create it/,
    (it) =>
      it.define(`CREATE FUNCTION quiet() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER quiet BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION quiet()`),
  ],
];

describe.skipIf(!hasPostgres)('forgers in a PostgreSQL database (needs PostgreSQL)', () => {
  beforeAll(async () => {
    root = await makeTempDir();
    engine = await PostgresEngine.start();
    await engine.query('CREATE DATABASE original');
    const storage = storageOf('original');
    await migratePostgres(storage.postgres, silentLog, undefined);
    const settings = nodeSettings(storage.postgres, storage.attachmentsDir);
    const logbook = await TestService.start(settings, storage.dataDir);
    ids = await fill(logbook);
    const first = await sign(storage, keys.privateKey);
    ({ signed } = first);
    head = { name: 'the checkpoint', ...openCheckpoint(signed, readPublicKey(keys.publicKey)) };
    await storeCheckpoint(storage, first.stored, silentLog);
    await logbook.stop({ keepData: true });
    await storeCheckpoint(storage, (await sign(storage, keys.privateKey)).stored, silentLog);
  });
  afterAll(async () => {
    await engine.stop();
    await rm(root, { recursive: true, force: true });
  });

  test.each(found)('%s: found', async (_name, finding, edit) => {
    expect(await forge(edit)).toMatch(finding);
  });

  test('entry 0 is proven like every other', async () => {
    const checkpoint = { text: signed, content: openCheckpoint(signed, readPublicKey(keys.publicKey)) };
    const proof = await proveVersion(storageOf('original'), { id: 0, version: undefined, checkpoint }, silentLog);
    expect(checkProof(Buffer.from(JSON.stringify(proof)), keys.publicKey)[0]).toMatch(
      /^Proven: entry 0, version 1, of /,
    );
  });
});
