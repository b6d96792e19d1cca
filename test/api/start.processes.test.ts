import { once } from 'node:events';
import { statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { rebuildSearchIndex } from '../../src/app/rebuild-index.js';
import { startService } from '../../src/app/start-service.js';
import { loadConfig } from '../../src/config/load-config.js';
import { listening } from '../fixtures/local-server.js';
import { silentLog } from '../fixtures/log.js';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const reason = new Error('stop');
const embedded = {
  kind: 'embedded',
  migrationCopy: true,
  searchThreads: 2,
  blobs: { kind: 'files' },
  index: { kind: 'embedded' },
} as const;

let dir: string;
beforeEach(async () => {
  dir = await makeTempDir();
});
afterEach(() => rm(dir, { recursive: true, force: true }));

function start(settings: Record<string, string> = {}, signal = new AbortController().signal) {
  const flags = { httpPort: '0', httpsPort: '0', dataDir: join(dir, 'data'), ...settings };
  const { options } = loadConfig({ flags, properties: {}, configFile: undefined }, {});
  return startService(options, pino({ level: 'silent' }), signal);
}

/** Listeners and worker threads of this process that keep it alive. */
function openHandles(): string[] {
  return process
    .getActiveResourcesInfo()
    .filter((name) => /^(TCPServerWrap|TCPSocketWrap|MessagePort|Worker|FSReqCallback)$/.test(name))
    .sort();
}

/** A plug-in that reports its steps, and does what the test wants when it is loaded and closed. */
async function writePlugin(act: Partial<Record<'onLoad' | 'onClose', () => void>> = {}) {
  const file = join(dir, 'plugin.mjs');
  const key = `logbookTest${process.hrtime.bigint()}`;
  const shared = { steps: [] as string[], onLoad: () => {}, onClose: () => {}, ...act };
  Object.assign(globalThis, { [key]: shared });
  await writeFile(
    file,
    `const shared = globalThis.${key};
     export default () => {
       shared.steps.push('loaded');
       shared.onLoad();
       return { notifier() {}, close() { shared.steps.push('closed'); shared.onClose(); } };
     };`,
  );
  return { file, steps: shared.steps };
}

/**
 * Nothing of the failed start is left: the same directory can be used immediately, in this process.
 * @param before handles before the start; those of earlier tests may close in the meantime
 */
async function expectNothingOpen(before: readonly string[]): Promise<void> {
  const opened = () => {
    const known = [...before];
    return openHandles().filter((name) => {
      const at = known.indexOf(name);
      if (at >= 0) known.splice(at, 1);
      return at < 0;
    });
  };
  await expect.poll(opened).toEqual([]);
  const logbook = await TestService.start({}, join(dir, 'data'));
  await logbook.create();
  await logbook.stop({ keepData: true });
}

describe('a start that fails closes everything that was opened', () => {
  test.each(['httpPort', 'httpsPort'])('when the %s is taken', async (name) => {
    const other = await listening(createServer());
    const { port } = other.address() as { port: number };
    const before = openHandles();
    const plugin = await writePlugin();
    await expect(start({ [name]: String(port), plugins: plugin.file })).rejects.toThrow('EADDRINUSE');
    expect(plugin.steps).toEqual(['loaded', 'closed']);
    await expectNothingOpen(before);
    other.close();
  });

  test('when the certificate cannot be used', async () => {
    const before = openHandles();
    const [tlsCertificateFile, tlsKeyFile] = [join(dir, 'certificate.pem'), join(dir, 'key.pem')];
    for (const file of [tlsCertificateFile, tlsKeyFile]) await writeFile(file, 'not PEM');
    await expect(start({ tlsCertificateFile, tlsKeyFile })).rejects.toThrow(
      `${tlsCertificateFile} (tlsCertificateFile) has no certificate`,
    );
    await expectNothingOpen(before);
  });

  test('when the initial catalogue cannot be read', async () => {
    const before = openHandles();
    await expect(start({ initialCatalogFile: join(dir, 'nowhere.json') })).rejects.toThrow('nowhere.json');
    await expectNothingOpen(before);
  });

  test('when the port of the embedded directory is taken', async () => {
    const other = await listening(createServer());
    const { port } = other.address() as { port: number };
    const source = join(dir, 'directory.properties');
    await writeFile(source, `embedded_ldap.port = ${port}\n`);
    const before = openHandles();
    await expect(
      start({ authenticationProviders: 'embeddedLdap', embeddedLdapPropertySource: source }),
    ).rejects.toThrow();
    await expectNothingOpen(before);
    other.close();
  });
});

describe('a start that is aborted rejects with the reason', () => {
  test('before anything is opened', async () => {
    const plugin = await writePlugin();
    await expect(start({ plugins: plugin.file }, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(plugin.steps).toEqual([]);
  });

  test('and closes what was opened by then', async () => {
    const before = openHandles();
    const controller = new AbortController();
    const plugin = await writePlugin({ onLoad: () => controller.abort(reason) });
    await expect(start({ plugins: plugin.file }, controller.signal)).rejects.toBe(reason);
    expect(plugin.steps).toEqual(['loaded', 'closed']);
    await expectNothingOpen(before);
  });
});

test('when plug-ins are closed at a stop, the data are complete on the disk', async () => {
  const database = join(dir, 'data', 'logbook.sqlite');
  const sizes: (number | undefined)[] = [];
  const onClose = () => sizes.push(statSync(`${database}-wal`, { throwIfNoEntry: false })?.size ?? 0);
  const { file } = await writePlugin({ onClose });
  const logbook = await TestService.start({ plugins: file }, join(dir, 'data'));
  await logbook.create();
  expect(statSync(`${database}-wal`).size).toBeGreaterThan(0);
  await logbook.stop({ keepData: true });
  expect(sizes).toEqual([0]);
});

test('a rebuild of the search index that is aborted leaves one that the service completes', async () => {
  const dataDir = join(dir, 'data');
  const first = await TestService.start({}, dataDir);
  await first.create();
  await first.stop({ keepData: true });
  const controller = new AbortController();
  const rebuild = rebuildSearchIndex(
    { ...embedded, dataDir },
    { log: silentLog, onProgress: () => controller.abort(reason), signal: controller.signal },
  );
  await expect(rebuild).rejects.toBe(reason);
  const second = await TestService.start({}, dataDir);
  expect((await second.search('')).hitCount).toBe(1);
  await second.stop({ keepData: true });
});

test('connections that are opened while the service is busy wait, even if there are many', async () => {
  const logbook = await LogbookProcess.start(join(dir, 'data'));
  await logbook.pause();
  for (const origin of [logbook.origin, logbook.tlsOrigin]) {
    const port = Number(new URL(origin).port);
    const sockets = Array.from({ length: 900 }, () => connect(port, '127.0.0.1'));
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.destroy();
  }
  logbook.signal('SIGCONT');
  expect(await logbook.stop()).toBe(0);
});

test('searches by meaning find the same after a restart, and after the index was rebuilt', async () => {
  const dataDir = join(dir, 'data');
  const first = await TestService.start({}, dataDir);
  const [parts, faults] = [
    ['Coolant pump', 'Laser oscillator', 'Klystron', 'Ion pump', 'Beam shutter', 'Undulator gap', 'Power supply'],
    ['leaks on the floor', 'tripped after the refill', 'was realigned', 'is too hot', 'lost its signal', 'makes noise'],
  ];
  const texts = parts.flatMap((part, at) => faults.map((fault, of) => `${part} ${at * 7 + of} ${fault}`));
  // Equal texts are equally similar.
  for (const title of [...texts, ...texts.slice(0, 9)]) await first.create({ title, source: `${title} today.` });
  await first.indexed();
  for (let id = 3; id < 40; id += 9) {
    const edit = { title: `Edited ${texts[id + 1]}`, source: 'Water dripping', logbooks: [{ name: 'operations' }] };
    expect((await first.post(`/logs/${id}`, edit)).status).toBe(200);
  }
  const run = await first.create({ title: 'Scan of the gap', source: '' }, '?run=true');
  for (const [at, text] of texts.slice(0, 5).entries()) {
    expect((await first.put(`/logs/${run.id}/blocks/${at + 1}`, { text })).status).toBe(200);
    if (at % 2 === 0) await first.indexed();
  }
  const search = async (service: TestService) => {
    await service.indexed();
    const found: unknown[] = [];
    for (const meaning of ['water on the ground', 'overheating magnet', 'no light', 'electricity outage', 'scan gap']) {
      const { body } = await service.get(`/logs/search?query=${meaning}&meaning=${meaning}&size=50`);
      found.push(
        body.logs.map(({ id }: { id: number }) => id),
        body.byMeaning,
      );
    }
    for (const id of [1, 3, 12, 50, run.id]) found.push((await service.get(`/logs/${id}/similar`)).body);
    return found;
  };
  const before = await search(first);
  expect(before.filter((list) => (list as unknown[]).length === 0).length).toBeLessThan(6);
  await first.stop({ keepData: true });
  const second = await TestService.start({}, dataDir);
  expect(await search(second)).toEqual(before);
  await second.stop({ keepData: true });
  const signal = new AbortController().signal;
  await rebuildSearchIndex({ ...embedded, dataDir }, { log: silentLog, onProgress: () => undefined, signal });
  const third = await TestService.start({}, dataDir);
  expect(await search(third)).toEqual(before);
  await third.stop({ keepData: true });
});
