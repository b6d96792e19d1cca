import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { S3Options } from '../../src/engines/s3/s3-options.js';
import { productDir } from '../../src/kernel/product.js';
import { CuttingProxy } from '../fixtures/cutting-proxy.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { entryForm, makeTempDir, TestService } from '../fixtures/service.js';

const clockShim = pathToFileURL(join(productDir, 'test', 'fixtures', 'shifted-clock.mjs')).href;

describe.skipIf(!hasS3Server)('the service with blobs=s3 (needs versitygw)', () => {
  let server: S3Server;
  let s3: S3Options;
  let dir: string;
  beforeAll(async () => {
    server = await S3Server.start();
  });
  afterAll(async () => {
    await server.stop();
  });
  beforeEach(async () => {
    s3 = await server.newBucket();
    dir = await makeTempDir();
  });
  afterEach(async () => {
    await server.resume();
    await rm(dir, { recursive: true, force: true });
  });
  const settings = (more: Record<string, string> = {}) => ({
    blobs: 's3',
    s3Endpoints: server.endpoint,
    s3Bucket: s3.bucket,
    s3AccessKey: s3.accessKey,
    s3SecretKey: s3.secretKey,
    s3RetryTimeout: '1s',
    ...more,
  });
  const flags = (more: Record<string, string>) =>
    Object.entries({ ...settings(), dataDir: join(dir, 'data'), ...more })
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `-D${name}=${value}`);
  const entry = { title: 'With a file', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  const file = (content: string) => ({ name: 'a.txt', content });
  const storeFile = async (service: TestService, content: string): Promise<string> => {
    const { body } = await service.sendForm('PUT', entry, [file(content)]);
    return `/attachment/${body.attachments[0].id}`;
  };
  const failingJobs = async (service: TestService) => {
    const metrics = await (await fetch(`${service.origin}/metrics`)).text();
    return [...metrics.matchAll(/logbook_job_failing[{]job="([^"]+)"[}] 1/g)].map(([, job]) => job);
  };
  const readiness = async (service: TestService) => {
    const response = await fetch(`${service.origin}/readyz`);
    return { code: response.status, body: (await response.json()) as Record<string, unknown> };
  };

  test('files are stored in the bucket, and read after a restart; thumbnails and texts stay local', async () => {
    const first = await TestService.start(settings(), join(dir, 'data'));
    const created = await first.sendForm('PUT', entry, [file('the content')]);
    expect(created.status).toBe(200);
    const keys = await server.keysOf(s3.bucket);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{2}\/[0-9a-f]{64}$/), 'store-id']);
    expect((await first.get('')).body.attachmentStore).toContain('type=S3, servers=[{address=127.0.0.1:');
    const checks = async () => (await readiness(first)).body.checks;
    await expect.poll(checks).toMatchObject({ attachments: { status: 'ok' } });
    await first.stop({ keepData: true });
    const second = await TestService.start(settings(), join(dir, 'data'));
    const path = `/attachment/${created.body.attachments[0].id}`;
    expect((await second.get(path)).text).toBe('the content');
    const part = await second.get(path, { headers: { range: 'bytes=4-6' } });
    expect([part.status, part.text]).toEqual([206, 'con']);
    await second.stop({ keepData: true });
  });

  test('503 storage.unavailable with Retry-After while it is unreachable; entries without files are stored', async () => {
    const service = await TestService.start(settings(), join(dir, 'data'));
    await server.kill();
    const refused = await service.sendForm('PUT', entry, [file('x')]);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '10']);
    expect(refused.body).toMatchObject({ code: 'storage.unavailable' });
    expect(refused.text).not.toContain(String(server.port));
    expect((await service.create()).title).toBe('An entry');
    expect(await readiness(service)).toMatchObject({ code: 200, body: { status: 'degraded' } });
    await server.restart();
    expect((await service.sendForm('PUT', entry, [file('x')])).status).toBe(200);
    await service.stop({ keepData: true });
  });

  test('the extraction of texts fails while the storage is unreachable, and so is retried; no file is marked', async () => {
    const proxy = await CuttingProxy.start(server.port);
    onTestFinished(() => proxy.stop());
    const through = { s3Endpoints: `http://127.0.0.1:${proxy.port}`, s3RequestTimeout: '10s' };
    const service = await TestService.start(settings(through), join(dir, 'data'));
    // The extraction is the first to read the file.
    const isRead = proxy.holdAt(/^GET \S+\/[0-9a-f]{64}\?/, 'before');
    const path = await storeFile(service, 'a remarkable word');
    await isRead;
    await server.kill();
    await expect.poll(async () => failingJobs(service)).toContain('attachment-text-extraction');
    await server.restart();
    // Instead of the half minute that a failed job waits.
    await storeFile(service, 'another');
    await expect.poll(async () => (await service.search('query=remarkable')).hitCount).toBe(1);
    expect((await service.get(path)).text).toBe('a remarkable word');
    await service.stop({ keepData: true });
  });

  test('the bucket of another logbook, and one without the files of this one, are refused', async () => {
    const first = await TestService.start(settings(), join(dir, 'data'));
    await first.sendForm('PUT', entry, [file('x')]);
    await first.stop({ keepData: true });
    await expect(TestService.start(settings(), join(dir, 'other'))).rejects.toThrow(
      /belongs to the logbook .* Nothing was changed/,
    );
    const empty = (await server.newBucket()).bucket;
    await expect(TestService.start(settings({ s3Bucket: empty }), join(dir, 'data'))).rejects.toThrow(
      'is empty, but entries have files',
    );
    expect(await server.keysOf(empty)).toEqual([]);
    await expect(TestService.start({}, join(dir, 'data'))).rejects.toThrow('attachments');
  });

  test('check says what is wrong, in one sentence each, and never the secret', async () => {
    const check = async (more: Record<string, string>) => {
      const { output, errors, code } = await runCommand(['check', ...flags(more)]);
      expect(output + errors).not.toContain(s3.secretKey);
      return `${code} ${output}`;
    };
    expect(await check({})).toMatch(/^0 ok {7}s3: The bucket “.*” at http.* belongs to no logbook yet/);
    expect(await check({ s3Bucket: 'no-such-bucket' })).toMatch(
      /^1 PROBLEM {2}s3: There is no bucket “no-such-bucket”/,
    );
    expect(await check({ s3AccessKey: 'stranger' })).toContain('does not know the access key “stranger”');
    expect(await check({ s3Region: 'eu-x' })).toContain('is not in the region “eu-x”');
    expect(await check({ s3Endpoints: `https://127.0.0.1:${server.port}` })).toContain('does not speak TLS');
    const shift = join(dir, 'shift');
    await writeFile(shift, '7200');
    const late = LogbookProcess.spawn(join(dir, 'data'), {
      args: ['check', ...flags({})],
      env: { NODE_OPTIONS: `--import=${clockShim}`, CLOCK_SHIFT_FILE: shift },
    });
    await late.exit();
    expect(late.output).toContain('differ by more than 15 minutes');
    const secretFile = join(dir, 'secret');
    await writeFile(secretFile, 'wrong\n');
    expect(await check({ s3SecretKey: '', s3SecretKeyFile: secretFile })).toContain('does not accept the secret key');
  });

  test('kill -9 during uploads: every acknowledged file is there, and no part of another is visible', async () => {
    const dataDir = join(dir, 'data');
    const env = Object.fromEntries(
      Object.entries(settings()).map(([name, value]) => [
        `LOGBOOK_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
        value,
      ]),
    );
    const service = await LogbookProcess.start(dataDir, { env });
    const acknowledged: { readonly path: string; readonly content: string }[] = [];
    let isKilled = false;
    const upload = async (client: number) => {
      for (let n = 0; !isKilled; n++) {
        const content = `${client} ${n} `.repeat(20_000);
        const response = await fetch(`${service.base}/logs/multipart`, {
          method: 'PUT',
          body: entryForm(entry, [file(content)]),
          headers: { authorization: `Basic ${btoa('user:userPass')}` },
        }).catch(() => undefined);
        const body = (await response?.json().catch(() => undefined)) as { attachments: { id: string }[] } | undefined;
        if (response?.status !== 200 || !body) continue;
        acknowledged.push({ path: `/attachment/${body.attachments[0]?.id}`, content });
        // Kill the service during the uploads of the other clients.
        if (acknowledged.length === 12) {
          isKilled = true;
          service.signal('SIGKILL');
        }
      }
    };
    await Promise.all([1, 2, 3].map(upload));
    await service.exit();
    const after = await TestService.start(settings(), dataDir);
    for (const { path, content } of acknowledged) expect((await after.get(path)).text === content).toBe(true);
    const { hitCount } = await after.search('');
    expect(hitCount).toBeGreaterThanOrEqual(acknowledged.length);
    await after.stop({ keepData: true });
  });
});
