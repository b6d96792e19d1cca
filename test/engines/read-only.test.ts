import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migratePostgres } from '../../src/engines/postgres/postgres-storage.js';
import { SmallDisk } from '../faults/small-disk.js';
import { nodeSettings } from '../fixtures/cluster.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { call, makeTempDir, TestService } from '../fixtures/service.js';

const pages = (bytes: number) => bytes / 4_096;
const megabyte = 1_048_576;
const isPossible = hasPostgres && (process.env.CI !== undefined || SmallDisk.isPossible());

describe.skipIf(!isPossible)('a node (needs PostgreSQL, and the right to mount a disk)', () => {
  let engine: PostgresEngine;
  let disk: SmallDisk;
  let dir: string;
  beforeAll(async () => {
    engine = await PostgresEngine.start();
  });
  afterAll(() => engine.stop());
  beforeEach(async () => {
    disk = SmallDisk.mount(64 * megabyte, 8 * megabyte);
    dir = await makeTempDir();
  });
  afterEach(async () => {
    disk.unmount();
    await rm(dir, { recursive: true, force: true });
  });

  test.each([
    ['data', (onDisk: string, other: string) => ({ dataDir: onDisk, attachmentsDir: other })],
    ['attachments', (onDisk: string, other: string) => ({ dataDir: other, attachmentsDir: onDisk })],
  ])(
    'with a nearly full disk for its %s stores nothing, removes content, and stores again once there is space',
    async (_what, places) => {
      const options = engine.newOptions();
      await migratePostgres(options, silentLog, undefined);
      const { dataDir, attachmentsDir } = places(disk.dataDir, join(dir, 'other'));
      const logbook = await TestService.start(nodeSettings(options, attachmentsDir), dataDir);
      const create = () => logbook.put('/logs', { title: 'x', logbooks: [{ name: 'operations' }] });
      const entry = { title: 'x', logbooks: [{ name: 'operations' }], attachments: [{ id: 'a1', filename: 'a' }] };
      const { id } = (await logbook.sendForm('PUT', entry, [{ name: 'a', content: 'a secret' }])).body;
      disk.fillUpTo(pages(3 * megabyte));
      await expect.poll(async () => (await create()).body).toMatchObject({ status: 507, code: 'storage.read-only' });
      expect((await call(`${logbook.origin}/readyz`)).body.checks.space).toMatchObject({
        status: 'failed',
        message: expect.stringContaining(disk.dataDir),
      });
      expect((await logbook.get(`/logs/${id}`)).status).toBe(200);
      const json = { reason: 'A secret.', text: true, attachments: ['a1'] };
      const redacted = await logbook.call(`/logs/${id}/redaction`, { method: 'POST', json, as: 'admin:adminPass' });
      expect(redacted.status, redacted.text).toBe(200);
      expect((await logbook.call('/attachment/a1')).text).toMatch(/^Removed by admin/);
      disk.throwOffBallast();
      await expect.poll(async () => (await create()).status).toBe(200);
      await logbook.stop();
    },
  );
});
