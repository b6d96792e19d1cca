import { rm } from 'node:fs/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { Bucket } from '../../src/engines/s3/bucket.js';
import { BucketLock, lockKey } from '../../src/engines/s3/bucket-lock.js';
import { openObjectFileRestore } from '../../src/engines/s3/object-file-restore.js';
import type { S3Options } from '../../src/engines/s3/s3-options.js';
import { S3Servers } from '../../src/engines/s3/s3-servers.js';
import { CuttingProxy } from '../fixtures/cutting-proxy.js';
import { silentLog } from '../fixtures/log.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { makeTempDir } from '../fixtures/service.js';

const refusal = 'Another process is writing a backup';
const elevenMinutesMs = 660_000;
const expired = JSON.stringify({ holder: 'former', host: 'former.example.org', untilMs: 1 });

describe.skipIf(!hasS3Server)('the lock of the backups in a bucket (needs versitygw)', () => {
  let server: S3Server;
  let s3: S3Options;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    s3 = await server.newBucket();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  function openBucket(more: Partial<S3Options> = {}): Bucket {
    const servers = new S3Servers({ ...s3, ...more }, silentLog);
    onTestFinished(() => servers.close());
    return new Bucket(servers);
  }

  async function startProxy(): Promise<{ proxy: CuttingProxy; endpoints: string[] }> {
    const proxy = await CuttingProxy.start(server.port);
    onTestFinished(() => proxy.stop());
    return { proxy, endpoints: [`http://127.0.0.1:${proxy.port}`] };
  }

  test('of two processes that find the same expired lock, the later one does not end the lock of the earlier', async () => {
    await openBucket().createText(lockKey, expired);
    const { proxy, endpoints } = await startProxy();
    const held = proxy.holdAt(/^(PUT|DELETE) \S+\/lock/, 'before');
    const late = expect(
      BucketLock.acquire(openBucket({ endpoints, requestTimeoutMs: 3_000, retryTimeoutMs: 60_000 })),
    ).rejects.toThrow(refusal);
    await held;
    const first = await BucketLock.acquire(openBucket());
    await late;
    await first.renew();
    await first.release();
  });

  test('a process that was suspended for longer than its lock was valid does not write over the lock of its successor', async () => {
    const suspended = await BucketLock.acquire(openBucket());
    await suspended.require();
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + elevenMinutesMs });
    const successor = await BucketLock.acquire(openBucket());
    await expect(suspended.require()).rejects.toThrow(refusal);
    await expect(suspended.renew()).rejects.toThrow(refusal);
    await expect(suspended.release()).rejects.toThrow(refusal);
    await successor.renew();
    await successor.release();
    await expect(suspended.require()).rejects.toThrow(refusal);
  });

  test('a process that was suspended and has no successor keeps its lock', async () => {
    const suspended = await BucketLock.acquire(openBucket());
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + elevenMinutesMs });
    await suspended.require();
    await expect(BucketLock.acquire(openBucket())).rejects.toThrow(refusal);
    await suspended.release();
  });

  test('a lock that someone has removed during a backup is made again', async () => {
    const bucket = openBucket();
    const lock = await BucketLock.acquire(openBucket());
    await bucket.remove(lockKey);
    await lock.renew();
    await expect(BucketLock.acquire(bucket)).rejects.toThrow(refusal);
    await lock.release();
  });

  test('a lock that is released while it is renewed is free', async () => {
    const lock = await BucketLock.acquire(openBucket());
    const renewing = lock.renew();
    await lock.release();
    await renewing;
    const next = await BucketLock.acquire(openBucket());
    await next.release();
  });

  test.each([
    ['created', undefined],
    ['taken over', expired],
  ])('a lock whose answer is lost when it is %s is held', async (_, found) => {
    if (found !== undefined) await openBucket().createText(lockKey, found);
    const { proxy, endpoints } = await startProxy();
    proxy.cutAt(`PUT /${s3.bucket}/${lockKey}`, 'after');
    const lock = await BucketLock.acquire(openBucket({ endpoints }));
    expect(proxy.cuts).toBe(1);
    await lock.release();
  });

  test('a restore whose mark is stored, and whose answer is lost, continues', async () => {
    const { proxy, endpoints } = await startProxy();
    proxy.cutAt(`PUT /${s3.bucket}/restore-incomplete`, 'after');
    const stagingDir = await makeTempDir();
    onTestFinished(() => rm(stagingDir, { recursive: true, force: true }));
    const run = { mark: { backup: 'one', copyOf: undefined, isRestored: false }, mayReplace: () => false };
    const restore = await openObjectFileRestore({ ...s3, endpoints }, stagingDir, run, silentLog);
    expect(proxy.cuts).toBe(1);
    expect(await server.keysOf(s3.bucket)).toEqual(['restore-incomplete']);
    // Nothing was stored: the bucket is as it was before.
    await restore.close();
    expect(await server.keysOf(s3.bucket)).toEqual([]);
  });
});
