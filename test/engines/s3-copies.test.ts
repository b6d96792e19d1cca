import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { S3Options } from '../../src/engines/s3/s3-options.js';
import type { OpenBlobStore } from '../contract/blob-store.suite.js';
import { CuttingProxy } from '../fixtures/cutting-proxy.js';
import { clientOf, countUploads, openBlobsIn } from '../fixtures/s3-engine.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';

const nothing = async () => new Set<string>();
/** Minimum size of a part. */
const partBytes = 5_242_880;
/** Limits by which no single request can copy the content. */
const copyLimits = { maxCopyBytes: 8_000_000, partBytes };
/** Large enough to be stored in parts, too. */
const content = randomBytes(18_000_000);

describe.skipIf(!hasS3Server)('files that no single request can copy (needs versitygw)', () => {
  let server: S3Server;
  let proxy: CuttingProxy;
  let s3: S3Options;
  let store: OpenBlobStore;
  let checksum: string;
  beforeAll(async () => {
    server = await S3Server.start();
    proxy = await CuttingProxy.start(server.port);
  });
  afterAll(async () => {
    await proxy.stop();
    await server.stop();
  });
  beforeEach(async () => {
    s3 = await server.newBucket();
    const options = { ...s3, endpoints: [`http://127.0.0.1:${proxy.port}`], retryTimeoutMs: 60_000 };
    store = await openBlobsIn(options, { copyLimits });
    const blob = await store.blobs.stage(Readable.from([content]), content.length);
    await store.blobs.commit(blob);
    store.blobs.release(blob);
    checksum = blob.checksum;
  });
  afterEach(() => store.destroy());
  const key = () => `${checksum.slice(0, 2)}/${checksum}`;
  const quarantine = () => store.blobs.quarantine(nothing, [checksum]);
  const keys = async () => (await server.keysOf(s3.bucket)).filter((found) => found !== 'store-id');
  const tagOf = async (Key: string) => {
    const client = clientOf(s3);
    const { ETag } = await client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key }));
    client.destroy();
    return ETag;
  };
  const read = async () => buffer(await store.blobs.open({ checksum, size: content.length }));

  test('are moved into quarantine and back in parts, byte for byte, and leave no parts', async () => {
    expect(await quarantine()).toEqual([checksum]);
    expect(await keys()).toEqual([`quarantine/${checksum}`]);
    expect(await tagOf(`quarantine/${checksum}`)).toMatch(/-4"$/);
    await store.blobs.restore(checksum);
    expect(await keys()).toEqual([key()]);
    expect(await tagOf(key())).toMatch(/-4"$/);
    expect((await read()).equals(content)).toBe(true);
    expect(await countUploads(s3)).toBe(0);
  });

  test('are moved when the connection breaks before a part is copied, and after it was', async () => {
    for (const cut of ['before', 'after'] as const) {
      proxy.cutAt(`bytes=${partBytes}-`, cut);
      expect(await quarantine()).toEqual([checksum]);
      proxy.cutAt(`bytes=${2 * partBytes}-`, cut);
      await store.blobs.restore(checksum);
    }
    expect(proxy.cuts).toBe(4);
    expect((await read()).equals(content)).toBe(true);
    expect(await countUploads(s3)).toBe(0);
  });

  test('stay where they are when they are damaged, and no copy remains', async () => {
    const file = await open(server.pathOf(s3.bucket, key()), 'r+');
    await file.write(Buffer.from([content.readUInt8(2 * partBytes) ^ 1]), 0, 1, 2 * partBytes);
    await file.close();
    expect(await quarantine()).toEqual([]);
    expect(await keys()).toEqual([key()]);
    expect(await countUploads(s3)).toBe(0);
  });

  test('stay where they are when a part cannot be copied, and are moved later', async () => {
    const impatient = await openBlobsIn(
      { ...s3, endpoints: [`http://127.0.0.1:${proxy.port}`], retryTimeoutMs: 0 },
      { copyLimits },
    );
    proxy.cutAt(`bytes=${2 * partBytes}-`, 'before');
    await expect(impatient.blobs.quarantine(nothing, [checksum])).rejects.toMatchObject({
      code: 'storage.unavailable',
    });
    await impatient.destroy();
    expect(await keys()).toEqual([key()]);
    expect(await countUploads(s3)).toBe(0);
    expect(await quarantine()).toEqual([checksum]);
  });
});
