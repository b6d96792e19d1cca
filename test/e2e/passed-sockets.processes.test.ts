import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { mainFile } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';

let dir: string;
let holder: ChildProcess;
let lines: AsyncIterator<string>;
let errors = '';
let service: number | undefined;
beforeEach(async () => {
  dir = await makeTempDir();
  errors = '';
});
afterEach(async () => {
  if (service !== undefined) process.kill(service, 'SIGKILL');
  holder.kill('SIGKILL');
  await rm(dir, { recursive: true, force: true });
});

/** Holds listening sockets of these names as systemd does; resolves to their ports. */
async function hold(names: string): Promise<number[]> {
  const script = join(productDir, 'test/fixtures/socket-holder.py');
  const program = [process.execPath, mainFile, 'serve', '--demo', '--data-dir', join(dir, 'data')];
  holder = spawn('python3', [script, names, ...program], { env: { PATH: process.env.PATH }, stdio: 'pipe' });
  holder.stderr?.on('data', (chunk) => {
    errors += String(chunk);
  });
  lines = createInterface({ input: holder.stdout as NodeJS.ReadableStream })[Symbol.asyncIterator]();
  return (await nextLine()).split(' ').map(Number);
}

async function nextLine(): Promise<string> {
  const { value } = await lines.next();
  return value as string;
}

async function start(...options: string[]): Promise<void> {
  holder.stdin?.write(`${options.join(' ')}\n`);
  service = Number(await nextLine());
}

async function ended(): Promise<number> {
  for (let line = await nextLine(); ; line = await nextLine()) {
    if (!line.startsWith('ended ')) continue;
    service = undefined;
    return Number(line.slice('ended '.length));
  }
}

function getTls(port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = { port, path: '/healthz', agent: new Agent({ rejectUnauthorized: false }) };
    request(options, (response) => resolve(response.resume().statusCode))
      .on('error', reject)
      .end();
  });
}

/** Python gives them to the service as systemd does. */
const withoutPython = spawnSync('python3', ['--version']).error !== undefined && !process.env.CI;

describe.skipIf(withoutPython)('sockets of the service manager', () => {
  test('connections to sockets of the service manager wait while the service is stopped, and are then answered', async () => {
    const [tls, plain] = (await hold('https:http')) as [number, number];
    const ports = [`--http-port=${plain}`, `--https-port=${tls}`];
    const get = async () =>
      (await fetch(`http://127.0.0.1:${plain}/healthz`, { headers: { connection: 'close' } })).status;
    for (let run = 1; run <= 2; run++) {
      const waiting = Promise.all([get(), get(), getTls(tls)]);
      await start(...ports);
      const end = ended();
      // A service that does not start leaves them waiting.
      expect(await Promise.race([waiting, end.then((code) => `${code} ${errors}`)])).toEqual([200, 200, 200]);
      process.kill(service as number, 'SIGTERM');
      expect(await end).toBe(0);
    }
  });

  test('a socket that is elsewhere than the configuration says is refused', async () => {
    const [plain] = (await hold('http')) as [number];
    await start('--http-port=8080', '--https-port=off');
    expect(await ended()).toBe(78);
    expect(errors).toContain(`systemd listens at 127.0.0.1:${plain}, but host and httpPort are 127.0.0.1:8080.`);
  });
});
