import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { CreateMultipartUploadCommand, HeadObjectCommand, ListMultipartUploadsCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { Bucket } from '../../src/engines/s3/bucket.js';
import { BucketAccess } from '../../src/engines/s3/bucket-access.js';
import type { S3Options } from '../../src/engines/s3/s3-options.js';
import { S3Servers } from '../../src/engines/s3/s3-servers.js';
import { storeObject } from '../../src/engines/s3/store-object.js';
import { uploadExpiryJob } from '../../src/engines/s3/upload-expiry-job.js';
import { SmallDisk } from '../faults/small-disk.js';
import { CuttingProxy } from '../fixtures/cutting-proxy.js';
import { freePort } from '../fixtures/free-port.js';
import { silentLog } from '../fixtures/log.js';
import { clientOf, openBlobsIn } from '../fixtures/s3-engine.js';
import { startS3Proxy } from '../fixtures/s3-proxy.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { makeTempDir } from '../fixtures/service.js';

const nothing = async () => new Set<string>();
const unavailable = { kind: 'unavailable', code: 'storage.unavailable', retryAfterSeconds: 10 };
const owner = { storeId: 'the-logbook', hasFiles: false };
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const keyOf = (checksum: string) => `${checksum.slice(0, 2)}/${checksum}`;

describe.skipIf(!hasS3Server)('an object storage that fails (needs versitygw)', () => {
  let server: S3Server;
  let s3: S3Options;
  const opened: Awaited<ReturnType<typeof openBlobsIn>>[] = [];
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    s3 = await server.newBucket();
  });
  afterEach(async () => {
    await server.resume();
    for (const one of opened.splice(0)) await one.destroy();
  });
  const openBlobs = async (more: Partial<S3Options> = {}) => {
    const one = await openBlobsIn({ ...s3, ...more });
    opened.push(one);
    return one;
  };
  const put = async ({ blobs }: Pick<Awaited<ReturnType<typeof openBlobsIn>>, 'blobs'>, content: Uint8Array) => {
    const blob = await blobs.stage(Readable.from([content]), 200_000_000);
    await blobs.commit(blob);
    return blob;
  };
  const unfinished = async () => {
    const client = clientOf(s3);
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: s3.bucket }));
    client.destroy();
    return Uploads.map(({ Key }) => Key);
  };

  test('a server that is killed in the middle of a put: nothing is visible, and the same put succeeds later', async () => {
    const store = await openBlobs({ retryTimeoutMs: 500 });
    const content = randomBytes(8_000_000);
    const blob = await store.blobs.stage(Readable.from([content]), content.length);
    const committing = expect(store.blobs.commit(blob)).rejects.toMatchObject(unavailable);
    await server.kill();
    await committing;
    await server.restart();
    expect((await server.keysOf(s3.bucket)).filter((key) => key !== 'store-id')).toEqual([]);
    await store.blobs.commit(blob);
    expect(sha256(await buffer(await store.blobs.open(blob)))).toBe(blob.checksum);
    expect(await readdir(store.incomingDir)).toEqual([]);
  });

  test('a server that is killed in the middle of a download ends it as an error that is no damage', async () => {
    const store = await openBlobs({ retryTimeoutMs: 500 });
    const blob = await put(store, randomBytes(40_000_000));
    const download = (await store.blobs.open(blob)) as Readable;
    const [first] = (await download.take(1).toArray()) as [Buffer];
    expect(first.length).toBeGreaterThan(0);
    const second = await store.blobs.open(blob);
    const reading = expect(buffer(second)).rejects.toMatchObject(unavailable);
    await server.kill();
    await reading;
    await expect(store.blobs.open(blob)).rejects.toMatchObject(unavailable);
    await expect(store.blobs.verify(blob)).rejects.toMatchObject(unavailable);
    await server.restart();
    expect(await store.blobs.verify(blob)).toBe('intact');
    expect(store.damaged()).toEqual([]);
  });

  test('a server that hangs for a while delays a put; one that keeps hanging fails it, and a health check says so', async () => {
    const store = await openBlobs({ requestTimeoutMs: 1_000, retryTimeoutMs: 60_000 });
    await server.pause();
    const committing = put(store, Buffer.from('patience'));
    const health = await store.blobs.checkHealth();
    expect(health).toMatchObject([{ name: 'attachments', status: 'warning' }]);
    await server.resume();
    await committing;
    const impatient = await openBlobs({ requestTimeoutMs: 300, retryTimeoutMs: 300 });
    await server.pause();
    await expect(put(impatient, Buffer.from('in vain'))).rejects.toMatchObject(unavailable);
    expect((await impatient.blobs.status()).servers).toMatchObject([{ state: 'UNAVAILABLE' }]);
  });

  test('damaged files that are verified again and again take no connection from others', async () => {
    const store = await openBlobs({ maxConnections: 3, requestTimeoutMs: 60_000, retryTimeoutMs: 60_000 });
    const [short, intact] = [await put(store, randomBytes(500_000)), await put(store, Buffer.from('intact'))];
    await writeFile(server.pathOf(s3.bucket, keyOf(short.checksum)), 'short');
    for (let n = 0; n < 6; n++) expect(await store.blobs.verify(short)).toBe('damaged');
    expect(String(await buffer(await store.blobs.open(intact)))).toBe('intact');
  });

  test('a server that hangs is UNAVAILABLE in the status as in the health check, and afterwards is not', async () => {
    const store = await openBlobs();
    const states = async () => (await store.blobs.status()).servers.map(({ state }) => state);
    await put(store, Buffer.from('stored'));
    expect(await states()).toEqual(['CONNECTED']);
    await server.pause();
    await expect.poll(states).toEqual(['UNAVAILABLE']);
    expect(await store.blobs.checkHealth()).toMatchObject([{ status: 'warning' }]);
    await server.resume();
    await expect.poll(states).toEqual(['CONNECTED']);
  });

  test('the next endpoint is used when one does not answer', async () => {
    const port = await freePort();
    const store = await openBlobs({ endpoints: [`http://127.0.0.1:${port}`, server.endpoint] });
    const blob = await put(store, Buffer.from('elsewhere'));
    expect(String(await buffer(await store.blobs.open(blob)))).toBe('elsewhere');
    expect((await store.blobs.status()).servers.map(({ state }) => state)).toEqual(['NOT_IN_USE', 'CONNECTED']);
  });

  test.each(['before', 'after'] as const)(
    'a connection that is cut %s a put has arrived: the put succeeds, and the file is stored once',
    async (cut) => {
      const proxy = await CuttingProxy.start(server.port);
      try {
        const store = await openBlobs({ endpoints: [`http://127.0.0.1:${proxy.port}`], retryTimeoutMs: 60_000 });
        const content = Buffer.from('once');
        proxy.cutAt('PUT ', cut);
        const blob = await put(store, content);
        expect(proxy.cuts).toBe(1);
        expect(await buffer(await store.blobs.open(blob))).toEqual(content);
      } finally {
        await proxy.stop();
      }
    },
  );

  test('a file in parts is stored whole; when a part fails for good, nothing remains', async () => {
    const store = await openBlobs();
    const content = randomBytes(36_000_000);
    const blob = await put(store, content);
    expect(sha256(await buffer(await store.blobs.open(blob)))).toBe(sha256(content));
    expect(await store.blobs.verify(blob)).toBe('intact');
    const range = await buffer(await store.blobs.open(blob, { start: 16_777_210, end: 16_777_220 }));
    expect(range).toEqual(content.subarray(16_777_210, 16_777_221));
    expect(await unfinished()).toEqual([]);

    const other = await store.blobs.stage(Readable.from([randomBytes(36_000_000)]), 40_000_000);
    // The local disk no longer has what was received.
    const [received = ''] = await readdir(store.incomingDir);
    const path = `${store.incomingDir}/${received}`;
    const changed = await readFile(path);
    changed.writeUInt8(changed.readUInt8(20_000_000) ^ 1, 20_000_000);
    await writeFile(path, changed);
    await expect(store.blobs.commit(other)).rejects.toThrow();
    expect(await unfinished()).toEqual([]);
    expect((await server.keysOf(s3.bucket)).filter((key) => key !== 'store-id')).toEqual([keyOf(blob.checksum)]);
  });

  test('a large file is sent in parts of 16 MiB', async () => {
    const store = await openBlobs();
    const blob = await put(store, randomBytes(36_000_000));
    const client = clientOf(s3);
    const found = await client.send(new HeadObjectCommand({ Bucket: s3.bucket, Key: keyOf(blob.checksum) }));
    client.destroy();
    // The entity tag of an object in parts ends in their number.
    expect(found.ETag).toMatch(/-3"?$/);
  });

  test.each([
    ['a small file', 1_000],
    ['a file in parts', 20_000_000],
  ])('%s does not replace what another writer has stored under its key', async (_, bytes) => {
    const servers = new S3Servers(s3, silentLog);
    const bucket = new Bucket(servers);
    const dir = await makeTempDir();
    const store = async (name: string) => {
      const content = randomBytes(bytes);
      await writeFile(join(dir, name), content);
      const file = { checksum: sha256(content), size: bytes };
      return {
        ...file,
        isStored: await storeObject(bucket, 'key', { ...file, path: join(dir, name) }, { replace: false }),
      };
    };
    const stored = async () => {
      const hash = createHash('sha256');
      for await (const chunk of (await bucket.open('key')).content()) hash.update(chunk);
      return hash.digest('hex');
    };
    const first = await store('first');
    const second = await store('second');
    expect([first.isStored, second.isStored]).toEqual([true, false]);
    expect(await stored()).toBe(first.checksum);
    expect(await unfinished()).toEqual([]);
    servers.close();
    await rm(dir, { recursive: true });
  });

  test('a received file that changes on the local disk before it is sent is refused by the server', async () => {
    const store = await openBlobs();
    const blob = await store.blobs.stage(Readable.from([Buffer.from('as received')]), 100);
    const [received = ''] = await readdir(store.incomingDir);
    await writeFile(`${store.incomingDir}/${received}`, 'as Received');
    await expect(store.blobs.commit(blob)).rejects.toMatchObject({ code: 'storage.unavailable' });
    expect((await server.keysOf(s3.bucket)).filter((key) => key !== 'store-id')).toEqual([]);
  });

  test('unfinished uploads of files and snapshots are ended when they are old, and no others', async () => {
    const client = clientOf(s3);
    const checksum = 'ab'.repeat(32);
    for (const Key of [
      keyOf(checksum),
      `quarantine/${checksum}`,
      'replica-snapshots/00000001-deadbeef.entries.gz',
      'of somebody else',
    ]) {
      await client.send(new CreateMultipartUploadCommand({ Bucket: s3.bucket, Key }));
    }
    client.destroy();
    const servers = new S3Servers(s3, silentLog);
    const bucket = new Bucket(servers);
    const deps = { bucket, access: new BucketAccess(bucket, owner, silentLog), log: silentLog };
    await uploadExpiryJob(deps).run(new AbortController().signal);
    expect(await unfinished()).toHaveLength(4);
    // The clock of the server tells seconds.
    const expire = async () => {
      await uploadExpiryJob(deps, 0).run(new AbortController().signal);
      return unfinished();
    };
    await expect.poll(expire).toEqual(['of somebody else']);
    servers.close();
  });

  test('no unfinished upload is ended while the storage, or a proxy before it, does not say what time it is', async () => {
    const client = clientOf(s3);
    await client.send(new CreateMultipartUploadCommand({ Bucket: s3.bucket, Key: keyOf('ab'.repeat(32)) }));
    client.destroy();
    const endpoint = await startS3Proxy(server.port, { headersOf: ({ date: _, ...others }) => others });
    const servers = new S3Servers({ ...s3, endpoints: [endpoint] }, silentLog);
    const bucket = new Bucket(servers);
    const deps = { bucket, access: new BucketAccess(bucket, owner, silentLog), log: silentLog };
    await uploadExpiryJob(deps, 0).run(new AbortController().signal);
    expect(await unfinished()).toHaveLength(1);
    servers.close();
  });

  test('a flipped byte on its disk is found at the first read after a start, by the download and by the scrub', async () => {
    const store = await openBlobs();
    const content = randomBytes(2_000_000);
    const blob = await put(store, content);
    const file = server.pathOf(s3.bucket, keyOf(blob.checksum));
    const flipped = Buffer.from(content);
    flipped.writeUInt8(flipped.readUInt8(1_500_000) ^ 1, 1_500_000);
    await writeFile(file, flipped);
    const after = await openBlobs();
    await expect(after.blobs.open(blob).then(buffer)).rejects.toMatchObject({ code: 'attachment.unreadable' });
    expect(await after.blobs.verify(blob)).toBe('damaged');
    expect(after.damaged()).toEqual([[blob.checksum, 'damaged']]);
    // A damaged file is not moved into quarantine.
    await expect(after.blobs.quarantine(nothing, [blob.checksum])).resolves.toEqual([]);
    expect(await server.keysOf(s3.bucket)).toEqual([keyOf(blob.checksum), 'store-id'].sort());
  });

  test('two nodes that put the same file store it; one of them counts it as added, and its removal loses nothing', async () => {
    const nodes = [await openBlobs(), await openBlobs()] as const;
    const content = randomBytes(300_000);
    const staged = await Promise.all(
      nodes.map(async ({ blobs }) => ({ blobs, blob: await blobs.stage(Readable.from([content]), 300_000) })),
    );
    await Promise.all(staged.map(({ blobs, blob }) => blobs.commit(blob)));
    for (const { blobs, blob } of staged) blobs.release(blob);
    const removed = await Promise.all(staged.map(({ blobs, blob }) => blobs.removeUnreferenced(nothing, [blob])));
    expect(removed.sort()).toEqual([0, 1]);
    for (const { blobs, blob } of staged) expect(await buffer(await blobs.open(blob))).toEqual(content);
  });

  test('a move into quarantine that ended halfway is finished by the next one', async () => {
    const store = await openBlobs();
    const blob = await put(store, Buffer.from('moved'));
    store.blobs.release(blob);
    await store.blobs.quarantine(nothing, [blob.checksum]);
    // A crash between the copy and the removal leaves both.
    await put(store, Buffer.from('moved'));
    store.blobs.release(blob);
    expect(await server.keysOf(s3.bucket)).toContain(`quarantine/${blob.checksum}`);
    expect(await store.blobs.quarantine(nothing, [blob.checksum])).toEqual([blob.checksum]);
    expect(await server.keysOf(s3.bucket)).toEqual([`quarantine/${blob.checksum}`, 'store-id']);
    await rm(server.pathOf(s3.bucket, `quarantine/${blob.checksum}`));
    expect(await store.blobs.quarantine(nothing, [blob.checksum])).toEqual([]);
  });

  test.skipIf(!SmallDisk.isPossible())(
    'a full disk of the storage fails a put, leaves nothing, and reading works',
    async () => {
      const disk = SmallDisk.mount(24_000_000, 0);
      const small = await S3Server.start({ root: disk.dataDir });
      try {
        const options = await small.newBucket({ retryTimeoutMs: 300 });
        const store = await openBlobsIn(options);
        opened.push(store);
        const first = await put(store, randomBytes(1_000_000));
        await expect(put(store, randomBytes(23_500_000))).rejects.toMatchObject({
          code: expect.stringMatching(/^storage[.](full|unavailable)$/),
        });
        expect(await small.keysOf(options.bucket)).toEqual([keyOf(first.checksum), 'store-id']);
        expect(await store.blobs.verify(first)).toBe('intact');
        const client = clientOf(options);
        const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
        client.destroy();
        expect(Uploads).toEqual([]);
      } finally {
        await small.stop();
        disk.unmount();
      }
    },
  );

  test('a store opens while the storage is unreachable, and touches nothing until it knows whose bucket it is', async () => {
    await (await openBlobs()).destroy();
    opened.pop();
    await writeFile(server.pathOf(s3.bucket, 'store-id'), 'another-logbook\n');
    await server.kill();
    const store = await openBlobs({ retryTimeoutMs: 200 });
    await expect(put(store, Buffer.from('early'))).rejects.toMatchObject(unavailable);
    await server.restart();
    await expect(put(store, Buffer.from('foreign'))).rejects.toMatchObject({ code: 'storage.unavailable' });
    expect(await server.keysOf(s3.bucket)).toEqual(['store-id']);
  });
});
