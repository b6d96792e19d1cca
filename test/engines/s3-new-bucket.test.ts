import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { S3Options } from '../../src/engines/s3/s3-options.js';
import { clientOf, openBlobsIn } from '../fixtures/s3-engine.js';
import { startS3Proxy } from '../fixtures/s3-proxy.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';

/**
 * Starts a proxy of an object storage that reports an object as present before it can be read: the first `early` reads
 * find nothing.
 */
function startLateStorage(target: number, key: string, early: number): Promise<string> {
  let left = early;
  return startS3Proxy(target, {
    answer(from, to) {
      if (from.method !== 'GET' || !from.url?.includes(`/${key}?`) || left === 0) return false;
      left -= 1;
      to.writeHead(404, { 'content-type': 'application/xml' });
      to.end('<Error><Code>NoSuchKey</Code><Message>not yet</Message></Error>');
      return true;
    },
  });
}

describe.skipIf(!hasS3Server)('a new bucket that several nodes begin to use (needs versitygw)', () => {
  let server: S3Server;
  let s3: S3Options;
  const opened: Awaited<ReturnType<typeof openBlobsIn>>[] = [];
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    s3 = await server.newBucket();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.destroy();
  });
  const open = async (more: Partial<S3Options> = {}, storeId = 'the-logbook') => {
    const one = await openBlobsIn({ ...s3, ...more }, { owner: { storeId, hasFiles: false } });
    opened.push(one);
  };

  test('all of one logbook start at the same moment', async () => {
    await Promise.all(Array.from({ length: 8 }, () => open()));
    expect(await server.keysOf(s3.bucket)).toEqual(['store-id']);
  });

  test('what another node has just written may be readable a moment later', async () => {
    await open();
    const endpoint = await startLateStorage(server.port, 'store-id', 5);
    await open({ endpoints: [endpoint] });
    const other = await startLateStorage(server.port, 'store-id', 5);
    await expect(open({ endpoints: [other] }, 'another')).rejects.toThrow(/belongs to the logbook the-logbook, but/);
  });

  test('an object that names no logbook is said in a sentence', async () => {
    const client = clientOf(s3);
    await client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: 'store-id', Body: '' }));
    client.destroy();
    await expect(open()).rejects.toThrow(`has an object store-id that names no logbook. Nothing was changed.`);
  });
});
