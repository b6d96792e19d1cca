import { createHash } from 'node:crypto';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyBackupTarget, verifyLogbook } from '../../src/app/backup/verify-logbook.js';
import { storeCheckpoint } from '../../src/app/ledger/store-checkpoint.js';
import { type DataFinding, describeFinding } from '../../src/backup/data-finding.js';
import { Connection, loadSqlite } from '../../src/engines/sqlite/database/connection.js';
import { appendRecord } from '../../src/engines/sqlite/tables/write-scope.js';
import { checksumOfText } from '../../src/engines/stored-rows.js';
import type { Entry } from '../../src/entries/entry.js';
import { currentUser } from '../../src/kernel/file-error.js';
import { createSigningKeys, readPrivateKey, readPublicKey } from '../../src/kernel/signing-keys.js';
import { hashAuditRow } from '../../src/ledger/audit-chain.js';
import { readCheckpoint, type SignedHead, signCheckpoint } from '../../src/ledger/checkpoint.js';
import { digestAnnotated, digestFormer, redigestEntry } from '../../src/ledger/entry-digest.js';
import { extendLedger } from '../../src/ledger/extend-ledger.js';
import { digestItem, noHash } from '../../src/ledger/ledger-record.js';
import { backUp, directory, embedded, sign } from '../fixtures/backups.js';
import { entryDraft } from '../fixtures/entries.js';
import { silentLog } from '../fixtures/log.js';
import { copyDataDir, makeTempDir, TestService } from '../fixtures/service.js';
import { ledgerOn } from '../fixtures/sqlite-ledger.js';

/**
 * Attempts of someone who can write to the database, to the files and to the backups, knows the program, and recomputes
 * everything except a signature. Each attempt is found with a checkpoint from before, or is in the list that `verify`
 * prints.
 */

const keys = createSigningKeys();
const publicKeys = [readPublicKey(keys.publicKey)];
const admin = 'admin:adminPass';
const never = new AbortController().signal;

let root: string;
let original: string;
/** A checkpoint that is kept elsewhere. */
let head: SignedHead;
/** The ids of an entry with a file and an archived version, of its reply, and of one that was redacted. */
let ids: { readonly entry: number; readonly reply: number; readonly redacted: number };

beforeAll(async () => {
  root = await makeTempDir();
  original = join(root, 'original');
  const logbook = await TestService.start({}, original);
  ids = await fill(logbook);
  const { storage } = logbook.service;
  // Records of the audit log are stored by the time that it is read.
  expect((await logbook.call('/audit', { as: admin })).status).toBe(200);
  await storage.write((tx) => tx.audit.enterNewest());
  // The job does so too, some time later.
  while ((await storage.write((tx) => tx.ledger.recordEarlier(100))) > 0);
  while ((await storage.write((tx) => extendLedger(tx.ledger))) > 0);
  await logbook.service.searchIndex.waitUntilIndexed();
  const first = await sign(embedded(original), keys.privateKey);
  head = { name: 'the checkpoint', ...first.checkpoint };
  // The service continues to run, and so does the chain of checkpoints.
  await storeCheckpoint(embedded(original), first.stored, silentLog);
  await logbook.create({ title: 'after the checkpoint' });
  await logbook.stop({ keepData: true });
  await storeCheckpoint(embedded(original), (await sign(embedded(original), keys.privateKey)).stored, silentLog);
});

afterAll(async () => {
  await rm(root, { recursive: true, force: true });
});

async function fill(logbook: TestService) {
  const form = { title: 'With a file', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  const sent = await logbook.sendForm('PUT', form, [{ name: 'a.txt', content: 'what was measured' }]);
  expect(sent.status, sent.text).toBe(200);
  const { id, attachments } = sent.body;
  const next = { title: 'Beam lost', logbooks: [{ name: 'operations' }], attachments };
  expect((await logbook.post(`/logs/${id}`, next)).status).toBe(200);
  const reply = await logbook.create({ title: 'A reply' }, `?inReplyTo=${id}`);
  const redacted = await logbook.create({ title: 'secret' });
  const json = { reason: 'It was a password.', title: true };
  const removed = await logbook.call(`/logs/${redacted.id}/redaction`, { method: 'POST', json, as: admin });
  expect(removed.status, removed.text).toBe(200);
  // An import can leave versions with different owners and descriptions of files.
  await logbook.service.storage.write(async (tx) => {
    const file = await tx.attachments.find(attachments[0].id);
    if (!file) throw new Error('the file is not stored');
    const { entry } = await tx.entries.insert(entryDraft({ owner: 'first', attachments: [file] }));
    const described = { ...file, fileMetadataDescription: 'described at the source' };
    await tx.entries.edit({ ...entry, owner: 'second', attachments: [described] });
  });
  for (const name of ['Vacuum', 'Beam/loss']) {
    const call = { method: 'PUT', json: { name, state: 'Active' }, as: admin };
    expect((await logbook.call(`/tags/${encodeURIComponent(name)}`, call)).status).toBe(200);
  }
  return { entry: Number(id), reply: Number(reply.id), redacted: Number(redacted.id) };
}

interface Version {
  readonly version: number;
  readonly document: string;
  readonly salts: string;
  readonly link: number | null;
}

/** A copy of the logbook in the hands of a forger. */
class Forgery {
  constructor(
    readonly dir: string,
    readonly database: Connection,
  ) {}

  run(sql: string, ...values: (string | number | null)[]): void {
    expect(this.database.run(sql, ...values)).toBeGreaterThan(0);
  }

  alter(table: string, where: string, change: (document: never) => object | string): void {
    const row = this.database.get<{ document: string }>(`SELECT document FROM ${table} WHERE ${where} LIMIT 1`);
    const changed = change(JSON.parse(String(row?.document)) as never);
    const document = typeof changed === 'string' ? changed : JSON.stringify(changed);
    this.run(`UPDATE ${table} SET document = ?, crc = ? WHERE ${where}`, document, crc32(document));
  }

  alterEntry(id: number, change: (entry: Entry) => object | string): void {
    this.alter('entry', `id = ${id}`, change as never);
  }

  /** Computes the digests of the records, the chain of the audit log, and the tree again. */
  async recompute(): Promise<void> {
    this.rechain();
    const versions = new Map<string, Version>();
    for (const row of this.database.all<Version & { id: number }>(
      `SELECT id, version, document, salts, in_reply_to AS link FROM entry
       UNION ALL SELECT entry_id, archived_entry.version, archived_entry.document, archived_entry.salts, in_reply_to
         FROM archived_entry JOIN entry ON id = entry_id`,
    )) {
      versions.set(`${row.id}/${row.version}`, row);
    }
    const records = 'SELECT sequence, entry_id, version, subject FROM ledger_record ORDER BY sequence';
    for (const row of this.database.all<{ sequence: number; entry_id: number; version: number; subject: string }>(
      records,
    )) {
      const digest =
        row.version > 0 ? digestOf(versions, row.entry_id, row.version) : this.digestOfSubject(row.subject);
      if (digest !== undefined) {
        this.run('UPDATE ledger_record SET digest = ? WHERE sequence = ?', digest, row.sequence);
      }
    }
    await this.replant();
  }

  /** Builds the tree again from the records. */
  async replant(): Promise<void> {
    this.database.exec('DELETE FROM ledger_tile');
    while ((await extendLedger(ledgerOn(this.database))) > 0);
  }

  rechain(): void {
    let hash = noHash;
    let newest = 0;
    const rows = this.database.all<Record<string, never> & { id: number }>('SELECT * FROM audit ORDER BY id');
    for (const { id, at_ms: atMs, user_name: userName, action, outcome, document } of rows) {
      hash = hashAuditRow(hash, { id, atMs, userName, action, outcome, document } as never);
      newest = id;
      this.run('UPDATE audit SET hash = ? WHERE id = ?', hash, id);
    }
    this.run("UPDATE audit_chain SET id = ?, hash = ? WHERE part = 'head'", newest, hash);
  }

  /** Adds a record and enters it. */
  async record(
    kind: 'audit' | 'catalog' | 'recorded' | 'redacted',
    of: { entryId?: number; version?: number; subject?: string },
    digest: string,
  ) {
    const about = { entryId: 0, version: 0, subject: '', ...of };
    appendRecord(this.database, { kind, ...about, atMs: Date.now(), digest });
    while ((await extendLedger(ledgerOn(this.database))) > 0);
  }

  private digestOfSubject(subject: string): string | undefined {
    const [kind, name = ''] = [subject.slice(0, subject.indexOf('/')), subject.slice(subject.indexOf('/') + 1)];
    const sql = {
      redaction: 'SELECT document FROM redaction WHERE number = ?',
      audit: 'SELECT hash FROM audit WHERE id = ?',
    }[kind];
    const row = sql
      ? this.database.get<{ document?: string; hash?: string }>(sql, name)
      : this.database.get<{ document: string; hash?: string }>(
          'SELECT document FROM catalog_item WHERE kind = ? AND name = ?',
          kind,
          name,
        );
    return row && (row.hash ?? digestItem(String(row.document)));
  }
}

function digestOf(versions: ReadonlyMap<string, Version>, id: number, version: number): string | undefined {
  const stored = versions.get(`${id}/${version}`);
  if (stored) return redigestEntry(JSON.parse(stored.document), stored.salts, stored.link);
  // The next one has only joined a group.
  const next = versions.get(`${id}/${version + 1}`);
  return next && digestFormer(JSON.parse(next.document), next.salts, next.link);
}

async function forge(name: string, work: (forgery: Forgery) => unknown, from = original): Promise<string> {
  const dir = join(root, name);
  // The index may be in the middle of a change, and is not covered.
  await copyDataDir(from, dir, (file) => !basename(file).startsWith('search'));
  const DatabaseSync = await loadSqlite();
  const database = new Connection(new DatabaseSync(join(dir, 'logbook.sqlite')));
  await work(new Forgery(dir, database));
  database.close();
  return dir;
}

const isAboutIndex = ({ subject }: DataFinding) => subject.includes('search');

/** Verifies a logbook; returns the problems, and what is not covered. */
async function check(dataDir: string, heads: readonly SignedHead[] = [head]) {
  const findings: DataFinding[] = [];
  const run = {
    heads,
    keys: publicKeys,
    log: silentLog,
    signal: never,
    onFinding: (one: DataFinding) => findings.push(one),
  };
  const { uncovered } = await verifyLogbook(embedded(dataDir), false, run);
  return { found: problemsOf(findings), uncovered: uncovered.join('\n') };
}

/** Like `check`, for a backup of the forged logbook: all its hashes, and its manifest, follow from the forged data. */
async function checkBackup(dataDir: string) {
  const findings: DataFinding[] = [];
  const target = directory(`${dataDir}-backups`);
  // Anyone who can edit the data directory has the key of its backups.
  const { signer } = await backUp(embedded(dataDir), target);
  const trust = { keys: signer.keys, acceptUnsigned: false };
  const run = {
    heads: [head],
    keys: publicKeys,
    log: silentLog,
    signal: never,
    onFinding: (one: DataFinding) => findings.push(one),
  };
  const { uncovered } = await verifyBackupTarget({ target, backup: undefined, repair: false, trust, dataDir }, run);
  return { found: problemsOf(findings), uncovered: uncovered.join('\n') };
}

const problemsOf = (findings: readonly DataFinding[]): string =>
  findings
    .filter((one) => one.kind === 'problem' && !isAboutIndex(one))
    .map((one) => describeFinding(one).replace(/ in the backup \S+Z/, ''))
    .join('\n');

const rewritten = /the first \d+ records are not those that the checkpoint covers/;

/** Attempts, with the problem that names each, live and in a backup. */
const found: readonly (readonly [name: string, finding: RegExp, edit: (forgery: Forgery) => unknown])[] = [
  [
    'the name under which a file is served',
    /its attachment \S+ is stored with another name/,
    (it) => it.alter('attachment', 'true', (file: object) => ({ ...file, filename: 'b.txt' })),
  ],
  [
    'the media type with which a file is served',
    /its attachment \S+ is stored with another name/,
    (it) => it.alter('attachment', 'true', (file: object) => ({ ...file, contentType: 'text/html' })),
  ],
  [
    'a key more in what is stored of a file',
    /another attachment is stored under its id/,
    (it) => it.alter('attachment', 'true', (file: object) => ({ ...file, comment: 'b' })),
  ],
  [
    'the owner of an entry, by which its rights are decided',
    /its owner is stored as “mallory”/,
    (it) => it.run(`UPDATE entry SET owner = 'mallory' WHERE id = ${ids.entry}`),
  ],
  [
    'the owner of an entry that has no earlier version',
    /its owner is stored as “mallory”/,
    (it) => it.run(`UPDATE entry SET owner = 'mallory' WHERE id = ${ids.reply}`),
  ],
  [
    'the owner of an entry that was imported',
    /its owner is stored as “second”/,
    (it) => it.run("UPDATE entry SET owner = 'second' WHERE owner = 'first'"),
  ],
  [
    'the date by which an entry is sorted',
    /the table and the document have different creation dates/,
    (it) => it.run(`UPDATE entry SET created_ms = 5 WHERE id = ${ids.entry}`),
  ],
  [
    'the reply link',
    /the version \d of entry \d+: it is not what was recorded/,
    (it) => it.run(`UPDATE entry SET in_reply_to = ${ids.redacted} WHERE id = ${ids.reply}`),
  ],
  [
    'a reply link that was none',
    /the version \d of entry \d+: it is not what was recorded/,
    (it) => it.run(`UPDATE entry SET in_reply_to = ${ids.entry} WHERE id = ${ids.redacted}`),
  ],
  [
    'the reply link, with the digests',
    rewritten,
    (it) => {
      it.run(`UPDATE entry SET in_reply_to = ${ids.redacted} WHERE id = ${ids.reply}`);
      return it.recompute();
    },
  ],
  [
    'the text of an entry',
    /it is not what was recorded/,
    (it) => it.alterEntry(ids.entry, (entry) => ({ ...entry, title: 'Nothing happened' })),
  ],
  [
    'the text of an entry, with the digests and the tree',
    rewritten,
    (it) => {
      it.alterEntry(ids.entry, (entry) => ({ ...entry, title: 'Nothing happened' }));
      return it.recompute();
    },
  ],
  [
    'the owner of an entry, in both places and with the digests',
    rewritten,
    (it) => {
      it.alterEntry(ids.entry, (entry) => ({ ...entry, owner: 'mallory' }));
      it.run(`UPDATE entry SET owner = 'mallory' WHERE id = ${ids.entry}`);
      return it.recompute();
    },
  ],
  [
    'the group of an entry, with the digests',
    rewritten,
    (it) => {
      it.alterEntry(ids.reply, (entry) => JSON.stringify(entry).replace(/("name":"id","value":")[^"]+/, '$1other'));
      return it.recompute();
    },
  ],
  [
    'a key that no entry has',
    /its document has content that is not part of an entry/,
    (it) => it.alterEntry(ids.entry, (entry) => ({ ...entry, comment: 'Nothing happened' })),
  ],
  [
    'a key that occurs twice',
    /its document has content that is not part of an entry/,
    (it) => it.alterEntry(ids.entry, (entry) => JSON.stringify(entry).replace('{', '{"title":"Nothing happened",')),
  ],
  [
    'an archived version, with the digests',
    rewritten,
    (it) => {
      it.alter('archived_entry', `entry_id = ${ids.entry}`, (entry: object) => ({ ...entry, title: 'other' }));
      return it.recompute();
    },
  ],
  [
    'an archived version that is removed',
    /it is recorded, but not stored/,
    (it) => it.run(`DELETE FROM archived_entry WHERE entry_id = ${ids.entry}`),
  ],
  [
    'an entry that is replaced, and recorded again',
    /it was replaced after a checkpoint that covers it, by 2/,
    (it) => rerecord(it),
  ],
  [
    'an entry without a record',
    /no record of it is in the ledger/,
    (it) =>
      it.run(
        `INSERT INTO entry (id, version, sequence, created_ms, in_order, owner, document, crc, salts)
         SELECT 0, 1, 0, created_ms, in_order, owner, replace(document, '"id":${ids.reply}', '"id":0'), NULL, NULL
         FROM entry WHERE id = ${ids.reply}`,
      ),
  ],
  [
    'the set of logbooks of a file',
    /the table of its files and its versions disagree/,
    (it) => it.run(`UPDATE logbook_set SET names = '["open"]' WHERE names <> '[]'`),
  ],
  [
    'the name by which a file is found',
    /the table of its files and its versions disagree/,
    (it) => it.run(`UPDATE entry_file SET filename = 'b'`),
  ],
  [
    'a file that is no longer found',
    /the tables by which its files are found lack/,
    (it) => it.run('DELETE FROM entry_file'),
  ],
  [
    'the entries of a file',
    /the tables by which its files are found lack/,
    (it) => it.run('DELETE FROM attachment_entry'),
  ],
  [
    'a file that is found in another entry',
    /a table says that it shows the attachment/,
    (it) => it.run(`INSERT INTO attachment_entry SELECT id, ${ids.reply} FROM attachment`),
  ],
  [
    'the content of a file, under a new checksum in all places',
    rewritten,
    async (it) => {
      const [content, former] = ['what was not', await findFile(it.dir)];
      const checksum = createHash('sha256').update(content).digest('hex');
      await writeFile(former.path.replaceAll(former.checksum, checksum), content).catch(() => undefined);
      const replace = (document: object) => JSON.stringify(document).replaceAll(former.checksum, checksum);
      for (const [table, where] of [
        ['attachment', 'true'],
        ['entry', `id = ${ids.entry}`],
        ['entry', "document LIKE '%described at%'"],
        ['archived_entry', `entry_id = ${ids.entry}`],
        ['archived_entry', 'document LIKE \'%"first"%\''],
      ] as const) {
        it.alter(table, where, replace);
      }
      it.run('UPDATE attachment SET checksum = ?', checksum);
      return it.recompute();
    },
  ],
  [
    'the sentence of a redaction',
    /it is not what was recorded/,
    (it) => it.alter('redaction', 'true', (one: object) => ({ ...one, by: 'bob' })),
  ],
  [
    'the sentence of a redaction, with the digests',
    rewritten,
    (it) => {
      it.alter('redaction', 'true', (one: object) => ({ ...one, by: 'bob' }));
      return it.recompute();
    },
  ],
  [
    'an item of the catalogue without a record',
    /no record of it is in the ledger/,
    (it) =>
      it.run(
        `INSERT INTO catalog_item SELECT kind, 'Other', replace(document, 'Vacuum', 'Other'), NULL FROM catalog_item WHERE name = 'Vacuum'`,
      ),
  ],
  [
    'the access rules of a logbook',
    /“logbooks\/operations”: it is not what was recorded/,
    (it) =>
      it.alter('catalog_item', "kind = 'logbooks' AND name = 'operations'", (one: object) => ({
        ...one,
        readers: ['all'],
      })),
  ],
  [
    'the access rules of a logbook, with the digests',
    rewritten,
    (it) => {
      it.alter('catalog_item', "kind = 'logbooks' AND name = 'operations'", (one: object) => ({
        ...one,
        readers: ['all'],
      }));
      return it.recompute();
    },
  ],
  [
    'an audit record',
    /audit \d+: it does not follow the record before it/,
    (it) => it.run("UPDATE audit SET user_name = 'bob' WHERE id = 2"),
  ],
  [
    'an audit record that is removed',
    /audit \d+: it does not follow/,
    (it) => it.run('DELETE FROM audit WHERE id = 2'),
  ],
  [
    'an audit record, with the hashes of the chain',
    /its hash is not that in the ledger/,
    (it) => {
      it.run("UPDATE audit SET user_name = 'bob' WHERE id = 2");
      it.rechain();
    },
  ],
  [
    'an audit record, with the hashes of the chain, and entered again',
    /audit \d+: the ledger names it twice, with different hashes/,
    async (it) => {
      it.run("UPDATE audit SET user_name = 'bob' WHERE id = 2");
      it.rechain();
      const rows = `SELECT subject, hash FROM ledger_record JOIN audit ON subject = 'audit/' || audit.id`;
      for (const { subject, hash } of it.database.all<{ subject: string; hash: string }>(rows)) {
        await it.record('audit', { subject }, hash);
      }
    },
  ],
  [
    'the sentence of a redaction, in all places and recorded again',
    /“redaction\/1”: it is recorded twice/,
    async (it) => {
      it.alter('redaction', 'true', (one: object) => ({ ...one, by: 'bob' }));
      const where = `entry_id = ${ids.redacted}`;
      it.alter('archived_entry', where, (one: object) =>
        JSON.stringify(one).replaceAll('Removed by admin', 'Removed by bob'),
      );
      const row = it.database.get<{ document: string }>('SELECT document FROM redaction');
      await it.record('redacted', { subject: 'redaction/1' }, digestItem(String(row?.document)));
    },
  ],
  [
    'an item whose record is that of another kind',
    /the catalogue has no items of this kind/,
    (it) =>
      it.run("UPDATE catalog_item SET kind = 'tags/Beam', name = 'loss' WHERE kind = 'tags' AND name = 'Beam/loss'"),
  ],
  [
    'a level of the tree',
    /the level \d of the tree has/,
    (it) => it.run(`INSERT INTO ledger_tile VALUES (7, 0, 0, '${noHash}')`),
  ],
  [
    'invalid attachments',
    /the stored document is not JSON/,
    (it) => it.alterEntry(ids.reply, (entry) => ({ ...entry, attachments: [null] })),
  ],
  [
    'an invalid checkpoint',
    /the stored checkpoint 2: it is not a checkpoint/,
    (it) => it.alter('ledger_checkpoint', 'number = 2', () => 'null'),
  ],
  [
    'an audit record that is removed, with the hashes of the chain and in the ledger',
    rewritten,
    (it) => {
      it.run('DELETE FROM audit WHERE id = 2');
      return it.recompute();
    },
  ],
  ['the newest audit records', /the audit log: its newest record is/, (it) => it.run('DELETE FROM audit WHERE id > 2')],
  [
    'an audit record without a hash',
    /it has no hash, although earlier/,
    (it) => it.run('UPDATE audit SET hash = NULL WHERE id = 3'),
  ],
  [
    'a hash in the tree',
    /the tile 0\/0 of the tree/,
    (it) => it.run(`UPDATE ledger_tile SET hashes = '${noHash}' || substr(hashes, 65)`),
  ],
  [
    'a time in the ledger, with the tree',
    rewritten,
    (it) => {
      it.run('UPDATE ledger_record SET at_ms = at_ms + 1 WHERE sequence = 2');
      return it.replant();
    },
  ],
  [
    'a stored checkpoint that is removed',
    /the stored checkpoint 2: the one before it/,
    (it) => it.run('DELETE FROM ledger_checkpoint WHERE number = 1'),
  ],
  [
    'the size in a stored checkpoint',
    /the stored checkpoint 2: it is not signed by the given key/,
    (it) =>
      it.alter('ledger_checkpoint', 'number = 2', (one: { checkpoint: string }) =>
        JSON.stringify(one).replace(/time 2\d/, 'time 19'),
      ),
  ],
  [
    'the newest entries and their records',
    /there are \d+ records, but the checkpoint covers/,
    async (it) => {
      it.run('DELETE FROM ledger_record WHERE sequence > 3');
      await it.replant();
    },
  ],
  [
    'the whole history',
    rewritten,
    async (it) => {
      it.run('UPDATE ledger_record SET at_ms = 0');
      it.run('DELETE FROM ledger_checkpoint');
      await it.replant();
    },
  ],
  [
    'the records of two entries, exchanged, with the tree',
    rewritten,
    (it) => {
      it.run(
        `UPDATE ledger_record SET entry_id = CASE entry_id WHEN ${ids.entry} THEN ${ids.reply} ELSE ${ids.entry} END
         WHERE entry_id IN (${ids.entry}, ${ids.reply}) AND version = 1`,
      );
      return it.replant();
    },
  ],
  [
    'the kind of a record, with the tree',
    rewritten,
    (it) => {
      it.run("UPDATE ledger_record SET kind = 'redacted' WHERE sequence = 2");
      return it.replant();
    },
  ],
  [
    'the salts of an entry',
    /its salts do not match its stored content/,
    (it) =>
      it.run(`UPDATE entry SET salts = (SELECT salts FROM entry WHERE id = ${ids.reply}) WHERE id = ${ids.entry}`),
  ],
  [
    'a text whose letters are written with combining characters',
    /it is not what was recorded/,
    (it) => it.alterEntry(ids.entry, (entry) => ({ ...entry, title: `${entry.title}\u0301` })),
  ],
  [
    'an invisible character in the name of a file',
    /its attachment \S+ is stored with another name/,
    (it) => it.alter('attachment', 'true', (file: object) => ({ ...file, filename: 'a\u200b.txt' })),
  ],
  [
    'a removed item of the catalogue',
    /“tags\/Vacuum”/,
    (it) => it.run("DELETE FROM catalog_item WHERE name = 'Vacuum'"),
  ],
  [
    'an item of the catalogue under a name that looks the same',
    /“tags\/Vacuum\u200b”: no record of it is in the ledger/,
    (it) => it.run("UPDATE catalog_item SET name = 'Vacuum\u200b' WHERE name = 'Vacuum'"),
  ],
  ['a removed redaction', /“redaction\/1”/, (it) => it.run('DELETE FROM redaction')],
  [
    'the end of the audit log, with its chain',
    /audit \d+: the ledger names it, and it is not stored/,
    (it) => {
      it.run('DELETE FROM audit WHERE id > 2');
      it.rechain();
    },
  ],
  [
    'the time of an audit record, with the chain and in the ledger',
    rewritten,
    (it) => {
      it.run('UPDATE audit SET at_ms = at_ms + 60000 WHERE id = 2');
      return it.recompute();
    },
  ],
  [
    'an archived version of another entry',
    /./,
    (it) => it.run(`UPDATE archived_entry SET entry_id = ${ids.reply} WHERE entry_id = ${ids.entry}`),
  ],
  [
    'a text as bytes',
    /./,
    (it) =>
      it.run(
        `UPDATE entry SET document = CAST(replace(document, 'Beam lost', 'Beam well') AS BLOB) WHERE id = ${ids.entry}`,
      ),
  ],
  ['a text behind a NUL', /./, (it) => it.alterEntry(ids.entry, (entry) => `${JSON.stringify(entry)}\0`)],
  [
    'the version by which a file is found',
    /the table of its files and its versions disagree|the tables by which its files are found lack/,
    (it) => it.run('UPDATE entry_file SET version = version + 90'),
  ],
  [
    'the checksum by which a file is served',
    /./,
    (it) => it.run(`UPDATE attachment SET checksum = '${'0'.repeat(64)}'`),
  ],
  [
    'the size of a file',
    /attachment \S+: another attachment is stored under its id/,
    (it) => it.run('UPDATE attachment SET size = size + 1'),
  ],
  [
    'the logbook to which the history belongs',
    /./,
    (it) => it.run("UPDATE store SET value = '00000000-0000-4000-8000-000000000000' WHERE key = 'id'"),
  ],
  [
    'checkpoints that another key signs',
    /the stored checkpoint 1: it is not signed by the given key/,
    (it) => {
      const { privateKey } = createSigningKeys();
      it.alter('ledger_checkpoint', 'number = 1', (one: { checkpoint: string }) => ({
        ...one,
        checkpoint: signCheckpoint(readCheckpoint(one.checkpoint), readPrivateKey(privateKey)),
      }));
    },
  ],
  [
    'a stored checkpoint that is replaced by the one before it',
    /the stored checkpoint 2: it repeats the previous checkpoint/,
    (it) =>
      it.run(
        `UPDATE ledger_checkpoint SET (document, crc) = (SELECT document, crc FROM ledger_checkpoint WHERE number = 1) WHERE number = 2`,
      ),
  ],
];

/** Attempts like those in `found`, which only the live store allows, or which the backup refuses. */
const foundLive: typeof found = [
  [
    'an entry that is not found by its date',
    /its place in the order of dates is wrong/,
    (it) => it.run(`UPDATE entry SET in_order = 0 WHERE id = ${ids.reply}`),
  ],
  [
    'another date by which an entry is found',
    /its place in the order of dates is wrong/,
    (it) => it.run(`INSERT INTO backdated_entry (id, created_ms, place) VALUES (${ids.reply}, 5, 0)`),
  ],
  [
    'a trigger that changes what is stored from now on',
    /the trigger quiet: this program does not create it: CREATE TRIGGER quiet .* DELETE FROM audit/,
    (it) =>
      it.database.exec('CREATE TRIGGER quiet AFTER INSERT ON audit BEGIN DELETE FROM audit WHERE id = new.id; END'),
  ],
  [
    'a view in place of a table, which hides rows',
    /the table unreferenced_file: it is missing[\s\S]*the view unreferenced_file: this program does not create it/,
    (it) =>
      it.database.exec(
        `ALTER TABLE unreferenced_file RENAME TO shown; CREATE VIEW unreferenced_file AS SELECT * FROM shown WHERE false`,
      ),
  ],
  [
    'a table with another default',
    /the table api_token: it differs from the one that this program creates/,
    (it) => it.database.exec("ALTER TABLE api_token ADD COLUMN rights TEXT DEFAULT 'admin'"),
  ],
  [
    'the definition of an index, by hand',
    /the index entry_created: it differs from the one that this program creates/,
    (it) =>
      it.database.exec(
        'DROP INDEX entry_created; CREATE INDEX entry_created ON entry (created_ms, id) WHERE in_order = 1 AND id > 3',
      ),
  ],
  [
    'an index that is removed',
    /the index draft_modified: it is missing/,
    (it) => it.database.exec('DROP INDEX draft_modified'),
  ],
];

const listed: readonly (readonly [name: string, phrase: string, edit: (forgery: Forgery) => unknown])[] = [
  [
    'the description of a file that later edits would show',
    'descriptions of files',
    (it) => it.alter('attachment', 'true', (file: object) => ({ ...file, fileMetadataDescription: 'forged' })),
  ],
  [
    'a file that no entry shows',
    'files that no entry shows',
    (it) =>
      it.run(
        `INSERT INTO attachment SELECT 'other', checksum, replace(document, id, 'other'), NULL, size FROM attachment`,
      ),
  ],
  ['a template', 'templates', (it) => it.run("INSERT INTO template VALUES ('a', 'a', '{\"a\":1}', NULL)")],
  [
    'settings of a user',
    'settings, saved searches',
    (it) =>
      it.run(
        `INSERT INTO user_settings (user_name, scheme, version, document, crc) VALUES ('a', 'b', 1, '{}', ${crc32('{}')})`,
      ),
  ],
  [
    'the newest entry, with its record and the newest checkpoint, as an older copy of the database has it',
    'everything newer than the newest checkpoint',
    async (it) => {
      it.run("DELETE FROM entry WHERE document LIKE '%after the checkpoint%'");
      it.run('DELETE FROM ledger_record WHERE sequence > ?', head.size);
      it.run('DELETE FROM ledger_checkpoint WHERE number = 2');
      await it.replant();
    },
  ],
  [
    'an API token',
    'API tokens',
    (it) =>
      it.run(
        `INSERT INTO api_token (id, token_hash, created_ms, user_name, document, crc) VALUES ('a', 'b', 0, 'admin', '{}', ${crc32('{}')})`,
      ),
  ],
  [
    'the order of the last writes',
    'the order in which entries',
    (it) => it.run('UPDATE entry SET sequence = 100 - id'),
  ],
  [
    'a change that clients are notified of',
    'the change feed',
    (it) => it.run('UPDATE change SET notify = 0, crc = NULL'),
  ],
  [
    'the extracted text of a file',
    'texts extracted from files',
    (it) =>
      it.run(
        "INSERT OR REPLACE INTO file_text SELECT checksum, 'nothing', NULL, ? FROM attachment",
        checksumOfText('nothing', null),
      ),
  ],
  [
    'the newest checkpoint of the logbook',
    'the newest stored checkpoints',
    (it) => it.run('DELETE FROM ledger_checkpoint WHERE number = 2'),
  ],
  [
    'audit records, removed as if they had expired',
    'the oldest audit records: they can be removed as if',
    (it) => {
      it.run("INSERT INTO audit_chain SELECT 'base', id, hash FROM audit WHERE id = 2");
      it.run('DELETE FROM audit WHERE id <= 2');
    },
  ],
  [
    'an audit record that is appended',
    'everything newer than the newest checkpoint',
    (it) => {
      it.run(
        "INSERT INTO audit SELECT id + 1, at_ms, 'bob', action, outcome, document, crc, hash FROM audit ORDER BY id DESC LIMIT 1",
      );
      it.rechain();
    },
  ],
  [
    'access rules, with a record after the checkpoint',
    'everything newer than the newest checkpoint',
    async (it) => {
      it.alter('catalog_item', "kind = 'logbooks' AND name = 'operations'", (one: object) => ({
        ...one,
        readers: ['all'],
      }));
      const where = "kind = 'logbooks' AND name = 'operations'";
      const row = it.database.get<{ document: string }>(`SELECT document FROM catalog_item WHERE ${where}`);
      await it.record('catalog', { subject: 'logbooks/operations' }, digestItem(String(row?.document)));
    },
  ],
];

/** Replaces an entry, under the next number and with a record as a node of an earlier version of the program leaves it. */
async function rerecord(it: Forgery): Promise<void> {
  const sql = 'SELECT document, salts FROM entry WHERE id = ? AND version = 1';
  const row = it.database.get<{ document: string; salts: string }>(sql, ids.reply);
  const entry = { ...(JSON.parse(String(row?.document)) as Entry), title: 'Nothing happened' };
  const { salts, digest } = digestAnnotated(entry, ids.entry, String(row?.salts));
  it.alterEntry(entry.id, () => entry);
  it.run('UPDATE entry SET version = 2, salts = ? WHERE id = ?', salts, entry.id);
  await it.record('recorded', { entryId: entry.id, version: 2 }, digest);
}

async function findFile(dir: string): Promise<{ readonly path: string; readonly checksum: string }> {
  const names = await readdir(join(dir, 'attachments'), { recursive: true });
  const name = names.find((one) => /[0-9a-f]{64}$/.test(one)) ?? '';
  return { path: join(dir, 'attachments', name), checksum: name.slice(-64) };
}

test('a logbook without a forgery has no problems, live and in a backup', async () => {
  const untouched = await forge('untouched', () => undefined);
  expect(await check(untouched)).toMatchObject({ found: '' });
  expect(await checkBackup(untouched)).toMatchObject({ found: '' });
});

test.each(found)('%s: found', async (name, finding, edit) => {
  const dir = await forge(`found-${name.replaceAll(/\W/g, '-')}`, edit);
  expect((await check(dir)).found).toMatch(finding);
  expect((await checkBackup(dir)).found).toMatch(finding);
});

test.each(foundLive)('%s: found', async (name, finding, edit) => {
  const dir = await forge(`live-${name.replaceAll(/\W/g, '-')}`, edit);
  expect((await check(dir)).found).toMatch(finding);
});

test.each(listed)('%s: in the list', async (name, phrase, edit) => {
  const dir = await forge(`listed-${name.replaceAll(/\W/g, '-')}`, edit);
  for (const { found: problems, uncovered } of [await check(dir), await checkBackup(dir)]) {
    expect(uncovered).toContain(phrase);
    expect(problems).toBe('');
  }
});

test('the content of a file: found, live and in a backup', async () => {
  const dir = await forge('content', () => undefined);
  await backUp(embedded(dir), directory(`${dir}-backups`));
  const { path, checksum } = await findFile(dir);
  // Another file of the same size, as when two are exchanged.
  await writeFile(path, 'what was neasured');
  expect((await check(dir)).found).toMatch(/the content of the file does not match its SHA-256/);
  await writeFile(path, 'what was not measured');
  await writeFile(join(`${dir}-backups`, 'pool', checksum.slice(0, 2), checksum), 'what was not measured');
  expect((await check(dir)).found).toMatch(/the file has \d+ bytes instead of/);
  const findings: DataFinding[] = [];
  const target = directory(`${dir}-backups`);
  const run = { log: silentLog, signal: never, onFinding: (one: DataFinding) => findings.push(one) };
  const trust = { keys: [], acceptUnsigned: true };
  await verifyBackupTarget({ target, backup: undefined, repair: false, trust, dataDir: dir }, run);
  expect(problemsOf(findings)).toContain('the content of the file does not match its SHA-256');
});

test('a forgery is not signed, and one that was signed is found by any earlier checkpoint, and by those in the logbook', async () => {
  const dir = await forge('signed', rerecord);
  await expect(sign(embedded(dir), keys.privateKey)).rejects.toThrow(/Nothing was signed[\s\S]*it was replaced/);
  const { checkpoint, stored } = await sign(embedded(dir), keys.privateKey, { despiteProblems: true });
  const takesPlace = storeCheckpoint(embedded(dir), { ...stored, number: stored.number - 1 }, silentLog);
  await expect(takesPlace).rejects.toThrow('Another checkpoint was stored at the same time.');
  const second = { ...checkpoint, name: 'the second checkpoint' };
  const problem = /it was replaced after a checkpoint that covers it/;
  for (const heads of [[head], [head, second], [second]]) expect((await check(dir, heads)).found).toMatch(problem);
  // Then only an earlier checkpoint that is kept elsewhere shows the forgery.
  const without = await forge('signed-without', (it) => it.run('DELETE FROM ledger_checkpoint'), dir);
  expect((await check(without, [second])).found).toBe('');
});

test('after the newest records were lost, a checkpoint is signed only with despiteProblems, and does not continue the earlier ones', async () => {
  const dir = await forge('lost', async (it) => {
    it.run('DELETE FROM ledger_record WHERE sequence > 3');
    await it.replant();
  });
  await expect(sign(embedded(dir), keys.privateKey)).rejects.toThrow(/Nothing was signed/);
  const { checkpoint, stored } = await sign(embedded(dir), keys.privateKey, { despiteProblems: true });
  expect(checkpoint.size).toBe(3);
  await storeCheckpoint(embedded(dir), stored, silentLog);
  expect((await check(dir, [])).found).toMatch(/the stored checkpoint 3: nothing proves that it continues/);
});

test('a stored checkpoint that is lost is accepted once, with a reason, and is named from then on', async () => {
  const dir = await forge('accepted', (it) => {
    it.run('DELETE FROM ledger_checkpoint WHERE number = 1');
    it.run("UPDATE ledger_checkpoint SET document = 'lost' WHERE number = 2");
  });
  const noticesOf = async (heads: readonly SignedHead[] = [head]) => {
    const findings: DataFinding[] = [];
    const onFinding = (one: DataFinding) => findings.push(one);
    await verifyLogbook(embedded(dir), false, { heads, keys: publicKeys, log: silentLog, signal: never, onFinding });
    return { problems: problemsOf(findings), all: findings.map(describeFinding).join('\n') };
  };
  expect((await check(dir)).found).toMatch(/checkpoint 2: it is not a checkpoint/);
  await expect(sign(embedded(dir), keys.privateKey)).rejects.toThrow(/accept the loss with --accept-loss REASON/);
  const made = await sign(embedded(dir), keys.privateKey, { acceptLoss: 'the disk failed' });
  await storeCheckpoint(embedded(dir), made.stored, silentLog);
  expect(made.stored.number).toBe(3);
  const { problems, all } = await noticesOf();
  expect(problems).toBe('');
  expect(all).toMatch(/notice.*checkpoint 2: the one before it, 1, is missing.*“the disk failed”/);
  expect(all).toMatch(/notice.*checkpoint 2: what is stored does not match its checksum/);
  const accepted = new RegExp(
    `${currentUser()} on ${hostname()} accepted it at \\d{4}-\\d\\d-\\d\\dT\\d\\d:.*Then: .*the one before it, 1, is missing; it is not`,
  );
  expect(all).toMatch(accepted);
  // The next one needs nothing of that kind, and there is nothing to accept.
  await storeCheckpoint(embedded(dir), (await sign(embedded(dir), keys.privateKey)).stored, silentLog);
  await expect(sign(embedded(dir), keys.privateKey, { acceptLoss: 'x' })).rejects.toThrow(
    /No stored checkpoint is lost/,
  );
  // An accepted loss excuses neither another loss nor an acceptance without a signature.
  const more = await forge(
    'accepted-more',
    (it) => it.run("UPDATE ledger_checkpoint SET document = 'other' WHERE number = 2"),
    dir,
  );
  expect((await check(more)).found).toMatch(/checkpoint 2: it is not a checkpoint/);
  const unsigned = await forge(
    'accepted-unsigned',
    (it) =>
      it.alter('ledger_checkpoint', 'number = 3', (one: object) =>
        JSON.stringify(one).replace('the disk failed', 'all is well'),
      ),
    dir,
  );
  const { found } = await check(unsigned);
  expect(found).toContain('checkpoint 3: its statement of an accepted loss is not signed');
  expect(found).toMatch(/checkpoint 2: /);
});

test('a changed newest checkpoint is accepted once; a rewritten history is no loss of a checkpoint', async () => {
  const dir = await forge('accepted-changed', (it) =>
    it.alter('ledger_checkpoint', 'number = 2', (one: { checkpoint: string }) => ({
      ...one,
      checkpoint: one.checkpoint.replace(/^(.*\n.*\n)(.)/, (_all, lines, first) => lines + (first === 'A' ? 'B' : 'A')),
    })),
  );
  expect((await check(dir)).found).toMatch(/checkpoint 2: it is not signed/);
  const made = await sign(embedded(dir), keys.privateKey, { keys: publicKeys, acceptLoss: 'a bit of the disk' });
  await storeCheckpoint(embedded(dir), made.stored, silentLog);
  expect((await check(dir)).found).toBe('');
  await storeCheckpoint(
    embedded(dir),
    (await sign(embedded(dir), keys.privateKey, { keys: publicKeys })).stored,
    silentLog,
  );
  expect((await check(dir)).found).toBe('');
  const rewritten = await forge('accepted-rewritten', rerecord, dir);
  await expect(sign(embedded(rewritten), keys.privateKey, { keys: publicKeys, acceptLoss: 'nothing' })).rejects.toThrow(
    /Nothing was signed/,
  );
});

test('audit records that are removed as if they had expired are named while they cannot have', async () => {
  const dir = await forge('expired', (it) => {
    it.run("INSERT INTO audit_chain SELECT 'base', id, hash FROM audit WHERE id = 2");
    it.run('DELETE FROM audit WHERE id <= 2');
  });
  const findingsOf = async (auditRetentionMs: number) => {
    const findings: DataFinding[] = [];
    const onFinding = (one: DataFinding) => findings.push(one);
    await verifyLogbook(embedded(dir), false, {
      heads: [head],
      auditRetentionMs,
      log: silentLog,
      signal: never,
      onFinding,
    });
    return findings.map(describeFinding).join('\n');
  };
  const named =
    /notice.*the audit log: the records up to 2 were removed as expired, although the newest of them was stored/;
  expect(await findingsOf(365 * 86_400_000)).toMatch(named);
  expect(await findingsOf(0)).not.toMatch(named);
});
