import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeCertificate } from '../directories/certificates.js';
import { freePort } from '../fixtures/free-port.js';
import { codeBlocks, manualSection } from '../fixtures/manual.js';
import { hasS3Server, s3Program } from '../fixtures/s3-server.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const guide = await manualSection('cluster-setup.md', 'Object storage on a fourth machine');
const machines = await manualSection('cluster-setup.md', 'Three machines with systemd');
const secret = 'the-secret-of-the-storage';

/** Reads lines `NAME = value`, with or without spaces. */
const valuesIn = (block = ''): Record<string, string> =>
  Object.fromEntries(Array.from(block.matchAll(/^(\w+) ?= ?(.*)$/gm), ([, name, value]) => [name, value]));

test.skipIf(!hasS3Server)('object storage of a machine as documented has the files (needs versitygw)', async () => {
  const dir = await makeTempDir();
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const certificate = await makeCertificate(dir, 'objects.localhost', '127.0.0.1');
  const port = await freePort();
  const [documented, making = ''] = codeBlocks(guide, 'sh');
  const env: Record<string, string> = {
    ...valuesIn(documented),
    VGW_BACKEND_ARG: join(dir, 'objects'),
    VGW_PORT: `127.0.0.1:${port}`,
    VGW_CERT: certificate.certificateFile,
    VGW_KEY: certificate.keyFile,
    ROOT_SECRET_ACCESS_KEY: secret,
    // Temporary directories are often on a file system without extended attributes.
    VGW_META_SIDECAR: join(dir, 'metadata'),
  };
  expect(Object.keys(env)).toEqual(expect.arrayContaining(['VGW_BACKEND', 'ROOT_ACCESS_KEY_ID']));
  const bucket = /^install .* \/srv\/objects\/(\w+)$/m.exec(making)?.[1] ?? '';
  for (const name of [`objects/${bucket}`, 'metadata']) await mkdir(join(dir, name), { recursive: true });
  // The unit of its package does the same.
  const server = spawn(s3Program(), [env.VGW_BACKEND ?? '', env.VGW_BACKEND_ARG ?? ''], { env, stdio: 'ignore' });
  onTestFinished(async () => {
    const ended = server.exitCode === null ? once(server, 'exit') : undefined;
    server.kill();
    await ended;
  });
  await expect
    .poll(() => {
      const socket = connect(port, '127.0.0.1');
      return once(socket, 'connect').finally(() => socket.destroy());
    })
    .toBeDefined();

  const properties = valuesIn(codeBlocks(machines, 'properties').find((block) => block.includes('s3Endpoints')));
  const { blobs, s3Bucket, s3AccessKey } = properties;
  expect([s3Bucket, s3AccessKey]).toEqual([bucket, env.ROOT_ACCESS_KEY_ID]);
  const settings = {
    ...{ blobs: String(blobs), s3Bucket: String(s3Bucket), s3AccessKey: String(s3AccessKey) },
    ...{ s3SecretKey: secret, s3CaFile: certificate.caFile, s3Endpoints: `https://127.0.0.1:${port}` },
  };
  const service = await TestService.start(settings);
  const entry = { title: 'With a file', logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] };
  const { body } = await service.sendForm('PUT', entry, [{ name: 'a.txt', content: 'stored there' }]);
  expect((await service.get(`/attachment/${body.attachments[0].id}`)).text).toBe('stored there');
  await service.stop();
});
