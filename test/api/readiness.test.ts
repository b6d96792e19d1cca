import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { call, TestService } from '../fixtures/service.js';

describe('GET /readyz', () => {
  let logbook: TestService;
  beforeEach(async () => {
    logbook = await TestService.start();
  });
  afterEach(async () => {
    await logbook.stop();
  });
  const ready = () => call(`${logbook.origin}/readyz`, { as: null });

  test('200 with each check by its name', async () => {
    // A check that takes longer than its limit counts as failed.
    await expect.poll(ready).toMatchObject({
      status: 200,
      body: {
        status: 'ready',
        checks: {
          write: { status: 'ok', milliseconds: expect.any(Number) },
          attachments: { status: 'ok', message: expect.any(String) },
          disk: { status: 'ok', freeBytes: expect.any(Number), totalBytes: expect.any(Number) },
          searchIndex: { status: 'ok', unindexedWrites: expect.any(Number) },
          integrity: {
            ...{ status: 'ok', attachment: 0, document: 0, database: 0, 'search-index': 0 },
            ...{ 'extracted-text': 0, change: 0 },
          },
        },
      },
    });
    expect((await ready()).headers.get('cache-control')).toBe('no-store');
  });

  test('503 in the form of an error, with the same checks, while writes are refused', async () => {
    await logbook.service.storage.close();
    expect(await ready()).toMatchObject({
      status: 503,
      body: {
        status: 503,
        code: 'service.not-ready',
        requestId: expect.any(String),
        checks: { write: { status: 'failed' } },
      },
    });
    expect((await call(`${logbook.origin}/healthz`, { as: null })).status).toBe(200);
  });

  test('warns while the directory of the files is unreachable, as if its disk were not mounted, and the welcome object says so', async () => {
    const found = async () => {
      const { body } = await ready();
      const { attachmentStore } = (await logbook.get('')).body;
      return [body.status, body.checks.attachments.status, attachmentStore];
    };
    const whole = ['ready', 'ok', 'type=FILES, servers=[{address=localhost, state=CONNECTED}]'];
    await expect.poll(found).toEqual(whole);
    const dir = join(logbook.dataDir, 'attachments');
    await rename(dir, `${dir}.away`);
    await mkdir(dir);
    await expect
      .poll(found)
      .toEqual(['degraded', 'warning', 'type=FILES, servers=[{address=localhost, state=UNAVAILABLE}]']);
    await writeFile(join(dir, 'store-id'), 'another-logbook\n');
    expect((await found())[1]).toBe('warning');
    await rm(dir, { recursive: true });
    await rename(`${dir}.away`, dir);
    await expect.poll(found).toEqual(whole);
  });

  test('clients do not see its test record as a change', async () => {
    const before = await logbook.search('');
    await ready();
    expect(await logbook.search('')).toEqual(before);
  });
});
