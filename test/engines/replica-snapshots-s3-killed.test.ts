import { createHash, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Bucket } from '../../src/engines/s3/bucket.js';
import { BucketAccess } from '../../src/engines/s3/bucket-access.js';
import type { S3Options } from '../../src/engines/s3/s3-options.js';
import { S3Servers } from '../../src/engines/s3/s3-servers.js';
import { uploadExpiryJob } from '../../src/engines/s3/upload-expiry-job.js';
import { decodeManifest, partObject } from '../../src/search/replica/replica-snapshot-manifest.js';
import { Cluster } from '../fixtures/cluster.js';
import { type Cut, CuttingProxy } from '../fixtures/cutting-proxy.js';
import { entryDraft } from '../fixtures/entries.js';
import { silentLog } from '../fixtures/log.js';
import { hasPostgres, PostgresEngine } from '../fixtures/postgres-engine.js';
import { countUploads } from '../fixtures/s3-engine.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { call } from '../fixtures/service.js';

const entries = 700;
const folder = 'replica-snapshots/';
const patience = { interval: 100 };
const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');

/** Returns a text without words for the index, half of which remains when it is compressed. */
function marks(length: number): string {
  const symbols = '!$%&()=?+*#-;:,.';
  return Array.from(randomBytes(length), (byte) => symbols.charAt(byte % symbols.length)).join('');
}

describe.skipIf(!hasPostgres || !hasS3Server)(
  'kill -9 of the node that stores a snapshot in a bucket (needs PostgreSQL and versitygw)',
  () => {
    let engine: PostgresEngine;
    let server: S3Server;
    let proxy: CuttingProxy;
    let cluster: Cluster;
    let s3: S3Options;
    beforeAll(async () => {
      engine = await PostgresEngine.start();
      server = await S3Server.start();
      proxy = await CuttingProxy.start(server.port);
      s3 = await server.newBucket();
      cluster = await Cluster.create(engine, { env: { LOGBOOK_LOG_LEVEL: 'info' } });
      const { storage } = await engine.openIn(cluster.options);
      await storage.write(async (tx) => {
        for (let n = 0; n < entries; n++) {
          await tx.entries.insert(entryDraft({ title: 'template', source: marks(60_000) }));
        }
      });
      await storage.close();
    });
    afterAll(async () => {
      await cluster.stop();
      await proxy.stop();
      await server.stop();
      await engine.stop();
    });

    const start = (index: number, replicaSnapshotInterval: string, port = server.port) =>
      cluster.start(index, {
        settings: {
          ...{ blobs: 's3', s3Endpoints: `http://127.0.0.1:${port}`, s3Bucket: s3.bucket, replicaSnapshotInterval },
          ...{ s3AccessKey: s3.accessKey, s3SecretKey: s3.secretKey, s3RequestTimeout: '60s' },
        },
      });
    const objects = async () => (await server.keysOf(s3.bucket)).filter((key) => key.startsWith(folder));
    const read = (object: string) => readFile(server.pathOf(s3.bucket, folder + object));
    /** Counts the snapshots, each of which is complete. */
    const countWhole = async () => {
      const manifests = (await objects()).filter((key) => key.endsWith('.manifest'));
      for (const key of manifests) {
        const object = key.slice(folder.length);
        const { name, parts } = decodeManifest(object.replace('.manifest', ''), String(await read(object)));
        for (const part of parts) expect(sha256(await read(partObject(name, part.kind)))).toBe(part.sha256);
      }
      return manifests.length;
    };
    const hitCount = async (index: number) =>
      (await call(`${cluster.node(index).base}/logs/search?title=template`)).body?.hitCount;
    /** A node without data: it begins with the newest whole snapshot, or copies all entries. */
    const expectNewNode = async () => {
      const whole = await countWhole();
      await start(1, '0s');
      await cluster.untilReady(1);
      expect(await hitCount(1)).toBe(entries);
      const { output, errors } = cluster.node(1);
      expect(output + errors).toContain(
        whole > 0 ? 'replica started from a snapshot' : 'all entries are copied from the database',
      );
      await cluster.node(1).stop('SIGKILL');
      await rm(cluster.dataDirOf(1), { recursive: true });
    };

    const moments: readonly [what: string, request: RegExp, moment: Cut, whole: number][] = [
      ['before the first part of the entries is sent', /^PUT \S+[.]entries[.]gz\S*partNumber=1&/, 'before', 0],
      ['after the second part of the entries was stored', /^PUT \S+[.]entries[.]gz\S*partNumber=2&/, 'after', 0],
      ['after the entries were completed', /^POST \S+[.]entries[.]gz\S*uploadId=/, 'after', 0],
      ['before the index is sent', /^PUT \S+[.]index[.]gz/, 'before', 0],
      ['before the manifest is sent', /^PUT \S+[.]manifest/, 'before', 0],
      ['after the manifest was stored', /^PUT \S+[.]manifest/, 'after', 1],
      ['in the middle of the next one', /^PUT \S+[.]index[.]gz/, 'before', 1],
    ];
    test.each(moments)(
      '%s: a new node begins with the last whole one, or copies all entries',
      async (_, request, moment, whole) => {
        const held = proxy.holdAt(request, moment);
        const node = await start(0, '1s', proxy.port);
        await held;
        await node.stop('SIGKILL');
        expect(await countWhole()).toBe(whole);
        await expectNewNode();
      },
    );

    test('afterwards the next node removes what they have left, but no whole one', async () => {
      expect(await countUploads(s3)).toBeGreaterThan(0);
      expect((await objects()).length).toBeGreaterThan(3);
      await start(0, '1d');
      // Three objects each.
      await expect.poll(async () => (await objects()).length, patience).toBe(3);
      expect(await countWhole()).toBe(1);
      const servers = new S3Servers(s3, silentLog);
      const bucket = new Bucket(servers);
      const owner = {
        storeId: (await engine.query(`SELECT value FROM ${cluster.options.schema}.store WHERE key = 'id'`))[0]
          ?.value as string,
        hasFiles: false,
      };
      const job = uploadExpiryJob({ bucket, access: new BucketAccess(bucket, owner, silentLog), log: silentLog }, 0);
      const expire = async () => {
        await job.run(new AbortController().signal);
        return countUploads(s3);
      };
      await expect.poll(expire, patience).toBe(0);
      servers.close();
    });
  },
);
