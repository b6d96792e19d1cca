import { chownSync, existsSync, writeFileSync } from 'node:fs';
import { chmod, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Diagnosis } from '../../src/app/doctor/diagnosis.js';
import { hasOpenSearch, OpenSearchServer } from '../fixtures/opensearch-server.js';
import { hasPostgres } from '../fixtures/postgres-engine.js';
import { PostgresServer, serverUser } from '../fixtures/postgres-server.js';
import { mainFile, runCommand } from '../fixtures/process.js';
import { hasS3Server, S3Server } from '../fixtures/s3-server.js';
import { makeTempDir } from '../fixtures/service.js';

const libraries = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`);
const libfaketime = libraries.find((file) => existsSync(file));

let dir: string;
beforeAll(async () => {
  dir = await makeTempDir();
  // PostgreSQL runs as another user when the tests run as root.
  await chmod(dir, 0o755);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

/** Examines an installation, on a machine whose clock is this number of seconds ahead. */
async function examine(settings: Readonly<Record<string, string>>, aheadSeconds = 0) {
  const flags = Object.entries({ dataDir: join(dir, 'node'), ...settings }).map(
    ([name, value]) => `-D${name}=${value}`,
  );
  const env = { LD_PRELOAD: libfaketime ?? '', FAKETIME: `+${aheadSeconds}`, FAKETIME_DONT_FAKE_MONOTONIC: '1' };
  const { output } = await runCommand(['doctor', '--json', ...flags], mainFile, aheadSeconds === 0 ? {} : env);
  const { checks } = JSON.parse(output) as { checks: Diagnosis[] };
  return (name: string) => checks.filter(({ check }) => check === name);
}

const agrees = (name: string) => ({ check: 'clock', status: 'ok', text: `the clock agrees with that of ${name}` });
const isAhead = (name: string) => ({
  ...{ check: 'clock', status: 'problem', advice: expect.stringContaining('Synchronize') },
  text: expect.stringMatching(new RegExp(`^the clock is (59\\d|60\\d) s ahead of that of ${name}$`)),
});

/** The clock of the machine of the servers is right, and that of doctor is not. */
async function expectCompared(settings: Readonly<Record<string, string>>, name: string): Promise<void> {
  const right = await examine(settings);
  expect(right('clock')).toContainEqual(agrees(name));
  if (!libfaketime) return;
  const ahead = await examine(settings, 600);
  expect(ahead('clock')).toContainEqual(isAhead(name));
}

test.skipIf(!hasS3Server)('the clock is compared with that of the object storage (needs versitygw)', async () => {
  const server = await S3Server.start();
  onTestFinished(() => server.stop());
  const { bucket, accessKey, secretKey } = await server.newBucket();
  const settings = { blobs: 's3', s3Endpoints: server.endpoint, s3Bucket: bucket, s3AccessKey: accessKey };
  await expectCompared({ ...settings, s3SecretKey: secretKey }, `127.0.0.1:${server.port}`);
});

test.skipIf(!hasOpenSearch)('the clock is compared with that of OpenSearch (needs OpenSearch 2 and Java)', async () => {
  const server = await OpenSearchServer.start();
  onTestFinished(() => server.stop());
  await expectCompared({ index: 'opensearch', opensearchNodes: server.node }, `127.0.0.1:${server.port}`);
});

describe.skipIf(!hasPostgres)('PostgreSQL (needs PostgreSQL)', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    const notAfterDate = new Date(Date.now() + 10 * 86_400_000);
    const name = [{ name: 'commonName', value: 'database' }];
    const { private: key, cert } = await generate(name, { keySize: 2048, notAfterDate });
    const { uid, gid } = serverUser();
    for (const [file, text] of Object.entries({ 'key.pem': key, 'certificate.pem': cert })) {
      writeFileSync(join(dir, file), text, { mode: 0o600 });
      if (uid !== undefined && gid !== undefined) chownSync(join(dir, file), uid, gid);
    }
    const files = [`ssl_key_file=${join(dir, 'key.pem')}`, `ssl_cert_file=${join(dir, 'certificate.pem')}`];
    server = await PostgresServer.start(join(dir, 'database'), ['ssl=on', ...files]);
  });
  afterAll(() => server.stop());

  const settings = (more: Readonly<Record<string, string>> = {}) => ({
    ...{ storage: 'postgres', postgresHosts: `127.0.0.1:${server.port}`, postgresUser: 'postgres' },
    ...{ postgresDatabase: 'postgres', attachmentsDir: join(dir, 'attachments'), ...more },
  });

  test('the clock is compared with that of the server', async () => {
    await expectCompared(settings({ postgresTls: 'false' }), 'PostgreSQL');
  });

  test('its certificate is looked at with TLS, and not without', async () => {
    const secured = await examine(settings({ postgresTls: 'true' }));
    expect(secured('certificate')).toMatchObject([
      {
        status: 'warning',
        text: expect.stringContaining('the certificate of PostgreSQL on 127.0.0.1 expires in 10 days'),
      },
    ]);
    expect((await examine(settings({ postgresTls: 'false' })))('certificate')).toEqual([]);
  });
});
