import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { call, TestService } from '../fixtures/service.js';
import { SmallDisk } from './small-disk.js';

const megabyte = 1_048_576;

describe.skipIf(!process.env.CI && !SmallDisk.isPossible())(
  'on a nearly full disk (needs the right to mount a disk)',
  () => {
    let disk: SmallDisk;
    let logbook: TestService;
    beforeEach(async () => {
      disk = SmallDisk.mount(64 * megabyte, 8 * megabyte);
      logbook = await TestService.start({}, disk.dataDir);
    });
    afterEach(async () => {
      await logbook.stop({ keepData: true });
      disk.unmount();
    });

    const metric = async () => /^logbook_read_only (\d)$/m.exec((await call(`${logbook.origin}/metrics`)).text)?.[1];

    test('507 storage.read-only for what would be stored; the rest works, and writing too once there is space', async () => {
      const { id } = await logbook.create();
      const token = await logbook.call('/tokens', { method: 'POST', json: { name: 'x' } });
      expect(await metric()).toBe('0');
      // A twentieth of the disk is 3.2 MB.
      disk.fillUpTo((3 * megabyte) / 4_096);

      await expect
        .poll(async () => (await logbook.put('/logs', { title: 'x', logbooks: [{ name: 'operations' }] })).body)
        .toMatchObject({
          status: 507,
          code: 'storage.read-only',
          message: expect.stringMatching(
            /read-only, because its disk is nearly full: [23]\.\d MB free, and 3\.2 MB are needed/,
          ),
        });
      const entry = { title: 'x', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a' }] };
      expect((await logbook.sendForm('PUT', entry, [{ name: 'a', content: 'a' }])).body.code).toBe('storage.read-only');
      expect((await logbook.post(`/logs/${id}`, entry)).status).toBe(507);
      // A client that may not write is told so, and learns nothing of the disk.
      expect((await logbook.put('/logs', entry, { as: null })).status).toBe(401);

      expect((await logbook.get(`/logs/${id}`)).status).toBe(200);
      expect((await logbook.get('/logs/search?title=entry')).body.hitCount).toBe(1);
      const json = { username: 'user', password: 'userPass' };
      expect((await logbook.call('/login', { method: 'POST', as: null, json })).status).toBe(200);
      expect((await logbook.call(`/tokens/${token.body.id}`, { method: 'DELETE' })).status).toBe(200);
      expect(await call(`${logbook.origin}/readyz`)).toMatchObject({
        status: 503,
        body: { checks: { space: { status: 'failed', message: expect.stringContaining('minFreeSpace') } } },
      });
      await expect.poll(metric).toBe('1');
      const redaction = { method: 'POST', json: { reason: 'A secret.', text: true }, as: 'admin:adminPass' } as const;
      expect((await logbook.call(`/logs/${id}/redaction`, redaction)).status).toBe(200);
      expect((await logbook.get(`/logs/${id}`)).body.source).toMatch(/^Removed by admin/);

      disk.throwOffBallast();
      await expect
        .poll(async () => (await logbook.post(`/logs/${id}`, { ...entry, attachments: [] })).status)
        .toBe(200);
      expect((await call(`${logbook.origin}/readyz`)).status).toBe(200);
      await expect.poll(metric).toBe('0');
    });
  },
);
