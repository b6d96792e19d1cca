import { once } from 'node:events';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'node:tls';
import Fastify from 'fastify';
import { generate } from 'selfsigned';
import { expect, test } from 'vitest';
import { silentLog } from '../../test/fixtures/log.js';
import { makeTempDir } from '../../test/fixtures/service.js';
import { JobRegistry } from '../kernel/job-registry.js';
import { CleanupStack } from './cleanup-stack.js';
import { openListeners } from './open-server.js';

test('a certificate that is replaced while the listeners open is served after the next check', async () => {
  const dir = await makeTempDir();
  const file = (name: string) => join(dir, name);
  const use = async (name: string) => {
    for (const part of ['cert', 'key']) await copyFile(file(`${name}.${part}`), file(`${part}.pem`));
  };
  for (const name of ['one', 'two']) {
    const pair = await generate([{ name: 'commonName', value: name }], { keySize: 2048 });
    await writeFile(file(`${name}.cert`), pair.cert);
    await writeFile(file(`${name}.key`), pair.private);
  }
  await use('one');
  const app = Fastify();
  app.addHook('onReady', () => use('two'));
  const cleanup = new CleanupStack();
  const tls = { kind: 'pem', certificateFile: file('cert.pem'), keyFile: file('key.pem') } as const;
  const { listening, tlsReload } = await openListeners(
    app,
    { host: '127.0.0.1', httpPort: 'off', httpsPort: 0, tls },
    { jobs: new JobRegistry({ log: silentLog }), log: silentLog },
    cleanup,
  );
  await tlsReload?.checkNow();
  const port = Number(new URL(String(listening.addresses.https)).port);
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  expect(socket.getPeerCertificate().subject.CN).toBe('two');
  socket.destroy();
  await cleanup.close();
  await app.close();
  await rm(dir, { recursive: true });
});
