import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { portOf } from '../fixtures/local-server.js';
import { LogbookProcess } from '../fixtures/process.js';
import { call, makeTempDir } from '../fixtures/service.js';
import { asAdmin, subscriberProperties, webhookTo } from '../fixtures/subscribed-logbook.js';

let dir: string;
let certificateFile: string;
let target: Server;
let requestedHosts: string[];
beforeEach(async () => {
  dir = await makeTempDir();
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  certificateFile = join(dir, 'receiver.pem');
  await writeFile(certificateFile, cert);
  requestedHosts = [];
  target = createServer({ key, cert }, (request, response) => {
    requestedHosts.push(request.headers.host ?? '');
    request.resume().on('end', () => response.end());
  });
  target.listen(0);
  await once(target, 'listening');
});
afterEach(async () => {
  target.closeAllConnections();
  target.close();
  await rm(dir, { recursive: true, force: true });
});

/** Delivers an entry to the target under that host name; resolves to the error, empty when it arrived. */
async function deliver(
  host: string,
  env: Record<string, string>,
  moreKeys: Record<string, string> = {},
): Promise<string> {
  const url = `https://${host}:${portOf(target)}/`;
  const keys = webhookTo(url, { allowAddresses: '', allowPrivateAddresses: 'true', ...moreKeys });
  const args = Object.entries(subscriberProperties({ hook: keys })).map(([name, value]) => `-D${name}=${value}`);
  const logbook = await LogbookProcess.start(join(dir, host), { args, env });
  try {
    const json = { title: 'first', logbooks: [{ name: 'operations' }] };
    await call(`${logbook.base}/logs`, { method: 'PUT', json });
    for (;;) {
      const [{ lag, lastError }] = (await call(`${logbook.base}/subscribers`, asAdmin)).body;
      if (lag === 0 || lastError !== '') return lastError;
    }
  } finally {
    await logbook.stop('SIGKILL');
  }
}

test('over TLS, a receiver without a trusted certificate for its host name gets nothing', async () => {
  expect(await deliver('localhost', {})).toMatch(/SELF_SIGNED/);
  expect(await deliver('127.0.0.1', { NODE_EXTRA_CA_CERTS: certificateFile })).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID/);
  expect(requestedHosts).toEqual([]);
});

test('a certificate of the authority in caFile is accepted for the host name', async () => {
  expect(await deliver('localhost', {}, { caFile: certificateFile })).toBe('');
  expect(requestedHosts).toHaveLength(1);
});

test('a certificate of a trusted authority is accepted for the host name', async () => {
  expect(await deliver('localhost', { NODE_EXTRA_CA_CERTS: certificateFile })).toBe('');
  expect(requestedHosts).toEqual([`localhost:${portOf(target)}`]);
});
