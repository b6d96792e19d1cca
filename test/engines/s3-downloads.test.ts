import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openSocket } from '../fixtures/raw-http.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { TestService } from '../fixtures/service.js';
import { StallingProxy } from '../fixtures/stalling-proxy.js';

const maxConnections = 16;
const maxPerClient = 6;

describe.skipIf(!hasS3Server)('downloads from object storage that clients do not read (needs versitygw)', () => {
  let server: S3Server;
  let proxy: StallingProxy;
  let service: TestService;
  let path: string;
  let sockets: Socket[];
  beforeEach(async () => {
    server = await S3Server.start();
    proxy = await StallingProxy.start(server.port);
    const s3 = await server.newBucket();
    sockets = [];
    service = await TestService.start({
      ...{ blobs: 's3', s3Endpoints: `http://127.0.0.1:${proxy.port}`, s3Bucket: s3.bucket },
      ...{ s3AccessKey: s3.accessKey, s3SecretKey: s3.secretKey, s3MaxConnections: String(maxConnections) },
      ...{ maxWaitingPerClient: String(maxPerClient), trustedProxies: '127.0.0.1', s3RequestTimeout: '2s' },
    });
    const files = [{ name: 'long.bin', content: new Uint8Array(14_000_000) }];
    const entry = { title: 'long', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'long.bin' }] };
    const { body } = await service.sendForm('PUT', entry, files);
    path = `/attachment/${body.attachments[0].id}`;
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop();
    await proxy.stop();
    await server.stop();
  });

  /** Begins a download and reads its first bytes only. Returns the status. */
  async function begin(address: string): Promise<string | undefined> {
    const socket = openSocket(service.origin);
    sockets.push(socket);
    socket.write(`GET /logbook${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${address}\r\n\r\n`);
    await once(socket, 'readable');
    const [, status] = String(socket.read(64)).split(' ');
    return status;
  }
  /** Returns how many of this number of downloads of one client begin. */
  async function beginAll(address: string, count: number): Promise<number> {
    const statuses = [];
    for (let at = 0; at < count; at++) statuses.push(await begin(address));
    expect(new Set(statuses)).toEqual(new Set(['200', '429']));
    return statuses.filter((status) => status === '200').length;
  }
  const whole = (address: string) => service.get(path, { as: null, headers: { 'x-forwarded-for': address } });

  test('one client has its limit, several share the connections, and each next one can download', async () => {
    const before = proxy.connections;
    expect(await beginAll('10.1.1.1', 100)).toBe(maxPerClient);
    expect(proxy.connections - before).toBeLessThanOrEqual(maxPerClient);
    expect(await beginAll('10.1.1.2', 20)).toBe(5);
    expect(await beginAll('10.1.1.3', 20)).toBe(3);
    expect(await beginAll('10.1.1.4', 20)).toBe(1);
    expect(proxy.connections - before).toBeLessThanOrEqual(maxConnections);
    expect((await whole('10.1.1.5')).status).toBe(200);
    const refusal = await whole('10.1.1.1');
    expect(refusal).toMatchObject({ status: 429, body: { code: 'request.too-many-open' } });
    expect(refusal.body.message).toContain('(setting maxWaitingPerClient; of all downloads s3MaxConnections)');
    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(() => proxy.connections).toBeLessThanOrEqual(before + 1);
    expect((await whole('10.1.1.1')).status).toBe(200);
  });
});
