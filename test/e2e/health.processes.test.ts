import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../fixtures/free-port.js';
import { portOf } from '../fixtures/local-server.js';
import { LogbookProcess, runCommand } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';

async function makeDir(): Promise<string> {
  const dir = await makeTempDir();
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

async function start(...args: string[]): Promise<LogbookProcess> {
  const service = await LogbookProcess.start(join(await makeDir(), 'data'), { args: ['serve', ...args] });
  onTestFinished(async () => {
    await service.stop('SIGKILL');
  });
  return service;
}

test('health asks the listener that flags, the environment or a file configure, with and without TLS', async () => {
  const file = join(await makeDir(), 'logbook.properties');
  const port = String(await freePort());
  await writeFile(file, `host = 0.0.0.0\nhttpPort = off\nhttpsPort = ${port}\n`);
  // The ports of the environment would have priority.
  const service = await start('--config', file, '--http-port', 'off', '--https-port', port);
  const pid = String(service.child.pid);
  const asked = `ok: https://127.0.0.1:${port}/`;

  expect(await runCommand(['health', '--config', file])).toMatchObject({ code: 0, output: `${asked}healthz\n` });
  expect((await runCommand(['health', '--ready', '--config', file])).output).toBe(`${asked}readyz\n`);
  const env = { LOGBOOK_HTTP_PORT: 'off', LOGBOOK_HTTPS_PORT: port };
  expect((await runCommand(['health'], undefined, env)).output).toBe(`${asked}healthz\n`);
  // The health check of the image uses this form: it does not know the arguments of the container.
  expect((await runCommand(['health', '--of', pid])).output).toBe(`${asked}healthz\n`);
  await service.stop('SIGKILL');
  const { code, errors } = await runCommand(['health', '--config', file]);
  expect([code, errors]).toEqual([1, expect.stringContaining(`https://127.0.0.1:${port}/healthz does not answer`)]);
});

test('health fails for what is no logbook, for a port that is not fixed, and for no process', async () => {
  const other = createServer((_request, response) => response.end('another program')).listen(0, '127.0.0.1');
  onTestFinished(() => void other.close());
  await once(other, 'listening');
  const port = String(portOf(other));
  const results = [
    await runCommand(['health', '--http-port', port]),
    await runCommand(['health', '--http-port', '0', '--https-port', '0']),
    await runCommand(['health', '--of', '4194305']),
  ];
  expect(results.map(({ code }) => code)).toEqual([1, 1, 1]);
  expect(results[0]?.errors).toContain('something other than a logbook answered');
  expect(results[1]?.errors).toContain('must be a fixed port');
  expect(results[2]?.errors).toContain('there is no process');
  expect((await runCommand(['health', '--of', 'x'])).code).toBe(64);
});

test('migrate refuses a storage that the service migrates itself, as a wrong configuration', async () => {
  const { code, errors } = await runCommand(['migrate', '--storage', 'embedded']);
  expect([code, errors]).toEqual([78, expect.stringContaining('Nothing was changed. For PostgreSQL, set storage')]);
});
