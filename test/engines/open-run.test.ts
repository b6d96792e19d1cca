import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { copyLogbook } from '../../src/app/backup/copy-logbook.js';
import type { StorageOptions } from '../../src/engines/storage-options.js';
import { backUp, directory, embedded, restore, verify } from '../fixtures/backups.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

let root: string;
beforeEach(async () => {
  root = await makeTempDir();
});
afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});
const at = (name: string) => join(root, name);

async function openRun(logbook: TestService): Promise<number> {
  const entry = { title: 'Scan', logbooks: [{ name: 'operations' }] };
  const { status, body } = await logbook.call('/logs?run=true', { method: 'PUT', json: entry });
  expect(status).toBe(200);
  return body.id;
}

const append = (logbook: TestService, id: number, sequence: number) =>
  logbook.call(`/logs/${id}/blocks/${sequence}`, { method: 'PUT', json: { text: `Block ${sequence}.` } });

/** Continues a run that has some blocks: the last one is known, none may be left out, and the next one is appended. */
async function continueRun(logbook: TestService, id: number, blocks: number): Promise<void> {
  const { run } = (await logbook.call(`/logs/${id}`)).body;
  expect(run).toMatchObject({ status: 'running', blocks });
  expect((await append(logbook, id, blocks)).status).toBe(200);
  expect((await append(logbook, id, blocks + 2)).status).toBe(409);
  expect((await append(logbook, id, blocks + 1)).status).toBe(200);
  const { body } = await logbook.call(`/logs/${id}`);
  expect(body.run.blocks).toBe(blocks + 1);
  expect(body.source).toBe(Array.from({ length: blocks + 1 }, (_, index) => `Block ${index + 1}.`).join('\n\n'));
}

test('a run that is open in a backup continues in the restored logbook', async () => {
  const logbook = await TestService.start({}, at('data'));
  const id = await openRun(logbook);
  for (const sequence of [1, 2]) expect((await append(logbook, id, sequence)).status).toBe(200);
  await backUp(embedded(at('data')), directory(at('backups')));
  expect((await append(logbook, id, 3)).status).toBe(200);
  await logbook.stop();
  await restore(embedded(at('restored')), directory(at('backups')));
  const restored = await TestService.start({}, at('restored'));
  await continueRun(restored, id, 2);
  expect(await verify(embedded(at('restored')))).toEqual([]);
  await restored.stop();
});

describe.skipIf(!hasPostgres)('copies of an open run (needs PostgreSQL)', () => {
  let engine: PostgresEngine;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(async () => {
    await engine.stop();
  });

  async function copy(from: StorageOptions, to: StorageOptions, via: string): Promise<void> {
    const callbacks = { onStep: () => undefined, onProgress: () => undefined, onEqual: () => undefined };
    const { signal } = new AbortController();
    const copied = await copyLogbook({ from, to, via: directory(at(via)), log: silentLog, signal, ...callbacks });
    expect(copied.findings).toEqual([]);
  }

  test('it continues in PostgreSQL, and after that in an embedded logbook', async () => {
    const logbook = await TestService.start({}, at('data'));
    const id = await openRun(logbook);
    for (const sequence of [1, 2]) expect((await append(logbook, id, sequence)).status).toBe(200);
    await logbook.stop({ keepData: true });

    const [postgres, attachmentsDir] = [engine.newOptions(), at('attachments')];
    const shared: StorageOptions = {
      ...{ kind: 'postgres', dataDir: at('node'), searchThreads: 2, attachmentsDir, postgres },
      ...{ blobs: { kind: 'files' }, index: { kind: 'embedded' }, snapshots: { intervalMs: 0, minFreeBytes: 0 } },
    };
    await copy(embedded(at('data')), shared, 'via-one');
    const node = await TestService.start(nodeSettings(postgres, attachmentsDir), at('node'));
    await continueRun(node, id, 2);
    expect(await verify(shared)).toEqual([]);
    await node.stop({ keepData: true });

    await copy(shared, embedded(at('back')), 'via-two');
    const back = await TestService.start({}, at('back'));
    await continueRun(back, id, 3);
    expect(await verify(embedded(at('back')))).toEqual([]);
    await back.stop();
  });
});
