import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { putDraft, removeDraft } from '../../src/drafts/edit-draft.js';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { documentsFile } from '../../src/engines/sqlite/inspect-documents.js';
import { openSqliteStorage, type SqliteStorage } from '../../src/engines/sqlite/sqlite-storage.js';
import type { Integrity } from '../../src/kernel/integrity.js';
import { silentIntegrity, silentJobs, silentLog } from '../fixtures/log.js';
import { makeTempDir } from '../fixtures/service.js';

let dataDir: string;
let opened: SqliteStorage | undefined;
let integrity: Integrity;
beforeEach(async () => {
  dataDir = await makeTempDir();
  integrity = silentIntegrity();
});
afterEach(async () => {
  await opened?.storage.close();
  await rm(dataDir, { recursive: true });
});

/** Time after that of every attempt. */
const latestMs = Number.MAX_SAFE_INTEGER;
const open = async () => {
  opened = await openSqliteStorage({
    ...{ dataDir, log: silentLog, jobs: silentJobs(), integrity },
    searchThreads: 0,
  });
  return opened.storage;
};

const clock = { nowMs: () => 1 };
const account = { scheme: 'ldap', userName: 'jane', roles: ['user'], groups: [] };
const session = {
  ...{ id: 's', tokenHash: 'session hash', account, from: '', createdMs: 1 },
  ...{ expiresMs: Number.MAX_SAFE_INTEGER, endsMs: Number.MAX_SAFE_INTEGER },
};
const token = {
  ...{ id: 't', tokenHash: 'token hash', name: 'script', account, rights: [], createdMs: 1 },
  expiresMs: Number.MAX_SAFE_INTEGER,
};
const record = (target: string) => ({
  ...{ atMs: 1, userName: 'jane', action: 'sign-in', target, from: '', outcome: 'done', detail: '' },
});
const state = {
  ...{ name: 'hook', sequence: 41, sinceMs: 1, lastSuccessMs: null, lastErrorMs: null, lastError: '' },
  pending: { id: 'p', changes: [], upTo: 42, attempts: 0, failingSinceMs: null, nextAttemptMs: 0 },
};
const deadLetter = (deliveryId: string) => ({
  ...{ deliveryId, changes: [], attempts: 1, reason: 'refused', atMs: 1, retryRequested: true },
});
const deferred = (deliveryId: string, nextAttemptMs: number) => ({
  ...{ deliveryId, recipient: 'jane@example.org', changes: [], attempts: 1, failingSinceMs: 1 },
  ...{ nextAttemptMs, reason: 'greylisted' },
});

/** Changes one byte of the documents of a table, as a disk does. */
async function damage(table: string, from: string, to: string): Promise<void> {
  await opened?.storage.close();
  opened = undefined;
  const connection = await openDatabase(join(dataDir, documentsFile), 'writer');
  const changed = connection.run(
    `UPDATE ${table} SET document = replace(document, ?, ?) WHERE instr(document, ?) > 0`,
    ...[from, to, from],
  );
  connection.close();
  expect(changed).toBe(1);
}

async function store(): Promise<void> {
  await (await open()).write(async (tx) => {
    await tx.sessions.put(session as never);
    await tx.tokens.put(token as never);
    await tx.audit.append([record('first'), record('second')] as never);
    await tx.subscribers.put(state);
    for (const id of ['one', 'two']) await tx.subscribers.addDeadLetter('hook', deadLetter(id));
    await tx.subscribers.addDeferred('hook', deferred('one', 1));
    await tx.subscribers.addDeferred('hook', deferred('two', 2));
  });
}

test('documents that are whole are read as they were stored', async () => {
  await store();
  const { sessions, tokens, audit, subscribers } = opened?.storage.committed ?? expect.fail();
  expect(await sessions.find('session hash')).toEqual(session);
  expect(await tokens.find('token hash')).toEqual(token);
  expect((await audit.list({}, 9)).map(({ target }) => target)).toEqual(['second', 'first']);
  expect(await subscribers.find('hook')).toEqual(state);
  expect((await subscribers.findDeadLetterToRetry('hook'))?.deliveryId).toBe('one');
  expect((await subscribers.findNextDeferred('hook', latestMs))?.deliveryId).toBe('one');
  expect(integrity.list().every(([, count]) => count === 0)).toBe(true);
});

test('a session or token with a flipped bit gives no access, and is reported', async () => {
  await store();
  await damage('session', '"user"', '"uses"');
  await damage('api_token', '"user"', '"uses"');
  const { sessions, tokens } = (await open()).committed;
  expect([await sessions.find('session hash'), await sessions.findById('s')]).toEqual([undefined, undefined]);
  expect([await sessions.list(account, 9), await tokens.list(account, 9)]).toEqual([[], []]);
  expect(await tokens.find('token hash')).toBeUndefined();
  expect([integrity.has('document', 'session s'), integrity.has('document', 'token t')]).toEqual([true, true]);
});

test('a draft with a flipped bit cannot be read, and can be replaced and removed', async () => {
  const id = '5b0b3b0e-3a52-4f4c-8a53-0d3c2f6d8a11';
  const isNew = (revision: string | undefined) => revision === undefined;
  const stored = await putDraft({ storage: await open(), clock }, account, { id, content: { text: 'first' } }, isNew);
  await damage('draft', 'first', 'girst');
  const deps = { storage: await open(), clock };
  await expect(deps.storage.committed.drafts.find(account, id)).rejects.toMatchObject({ code: 'storage.damaged' });
  const isStored = (revision: string | undefined) => revision === stored.revision;
  await putDraft(deps, account, { id, content: { text: 'second' } }, isStored);
  expect(
    JSON.parse(Buffer.from((await deps.storage.committed.drafts.find(account, id))?.json ?? []).toString()),
  ).toEqual({ text: 'second' });
  await damage('draft', 'second', 'tecond');
  await removeDraft({ storage: await open(), clock }, account, id, () => true);
  expect(await opened?.storage.committed.drafts.list(account)).toEqual([]);
});

test('an audit record with a flipped bit is reported, and the others are listed', async () => {
  await store();
  await damage('audit', 'second', 'tecond');
  const { audit } = (await open()).committed;
  expect((await audit.list({}, 9)).map(({ target }) => target)).toEqual(['first']);
  // A page is full although a damaged record is passed over: a client that pages would stop at a shorter one.
  expect((await audit.list({}, 1)).map(({ target }) => target)).toEqual(['first']);
  expect(integrity.has('document', 'audit record 2')).toBe(true);
});

test('deliveries continue past what is damaged, and a subscriber from its position', async () => {
  await store();
  for (const table of ['dead_letter', 'deferred_delivery']) await damage(table, '"one"', '"ond"');
  await damage('subscriber', '"upTo":42', '"upTo":43');
  const { subscribers } = (await open()).committed;
  expect((await subscribers.findDeadLetterToRetry('hook'))?.deliveryId).toBe('two');
  expect((await subscribers.listDeadLetters('hook', 9)).map(({ deliveryId }) => deliveryId)).toEqual(['two']);
  expect((await subscribers.findNextDeferred('hook', latestMs))?.deliveryId).toBe('two');
  expect(await subscribers.find('hook')).toMatchObject({ sequence: 41, pending: null });
  expect(await subscribers.list()).toHaveLength(1);
  for (const subject of ['subscriber hook', 'dead letter 1', 'deferred delivery 1']) {
    expect(integrity.has('document', subject), subject).toBe(true);
  }
});

test('deliveries continue past any number of damaged ones, each of which is read once', async () => {
  const count = 350;
  await (await open()).write(async (tx) => {
    await tx.subscribers.put(state);
    for (let at = 0; at < count; at++) {
      await tx.subscribers.addDeadLetter('hook', deadLetter(`lost ${at}`));
      await tx.subscribers.addDeferred('hook', deferred(`lost ${at}`, at));
    }
    await tx.subscribers.addDeadLetter('hook', deadLetter('intact'));
    await tx.subscribers.addDeferred('hook', deferred('intact', count));
  });
  await opened?.storage.close();
  const connection = await openDatabase(join(dataDir, documentsFile), 'writer');
  for (const table of ['dead_letter', 'deferred_delivery']) {
    const changed = connection.run(`UPDATE ${table} SET document = replace(document, '"lost', '"host')`);
    expect(changed).toBe(count + 1);
  }
  connection.close();
  const { subscribers } = (await open()).committed;
  for (let times = 0; times < 2; times++) {
    expect((await subscribers.findDeadLetterToRetry('hook'))?.deliveryId).toBe('intact');
    expect((await subscribers.findNextDeferred('hook', latestMs))?.deliveryId).toBe('intact');
  }
  expect(integrity.has('document', `deferred delivery ${count}`)).toBe(true);
  // One that is due earlier is found although later ones are known to be damaged.
  await opened?.storage.write((tx) => tx.subscribers.addDeferred('hook', deferred('earlier', -1)));
  expect((await subscribers.findNextDeferred('hook', latestMs))?.deliveryId).toBe('earlier');
});
