import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { LogbookProcess } from '../fixtures/process.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { call, makeTempDir } from '../fixtures/service.js';

const rounds = 3;
const perRound = 40;
const tickMs = 100;

const isBefore =
  (ms: number) =>
  ({ atMs }: { readonly atMs: number }) =>
    atMs <= ms;

interface Entry {
  readonly id: number;
  readonly createdDate: number;
  readonly properties: readonly { readonly name: string; readonly attributes: readonly { readonly value: string }[] }[];
}

test('kill -9 while values are added: each entry has those of its moment, once', async () => {
  const [pvws, archiver, dataDir] = await Promise.all([PvwsServer.start(), ArchiverServer.start(), makeTempDir()]);
  // A device that counts: its value says when it was read.
  const startMs = Date.now();
  const tickAt = (ms: number) => Math.floor((ms - startMs) / tickMs);
  pvws.devices.set('SR:T', () => [
    { seconds: Math.floor(Date.now() / 1_000), nanos: 0, severity: 'NONE', value: tickAt(Date.now()) },
  ]);
  archiver.add('SR:T', {});
  const timer = setInterval(() => {
    const now = Date.now();
    archiver.devices.get('SR:T')?.samples.push({ atMs: now, val: String(tickAt(now)) });
  }, tickMs / 2);
  const args = ['--device-names', 'SR:*', '--pvws-url', pvws.url, '--archiver-url', archiver.url];
  const start = () => LogbookProcess.start(dataDir, { args });
  let logbook = await start();
  const ids: number[] = [];
  const read = async (id: number) => (await call(`${logbook.base}/logs/${id}`)).body as Entry;
  const valuesOf = ({ properties }: Entry) => properties.filter(({ name }) => name === 'Device Values');
  try {
    for (let round = 0; round < rounds; round++) {
      for (let number = 0; number < perRound; number++) {
        const entry = { title: `SR:T ${round} ${number}`, logbooks: [{ name: 'operations' }] };
        const { status, body } = await call(`${logbook.base}/logs`, { method: 'PUT', json: entry });
        expect(status).toBe(200);
        ids.push(body.id);
      }
      await logbook.stop('SIGKILL');
      logbook = await start();
    }
    const lacking = async () => {
      let count = 0;
      for (const id of ids) if (valuesOf(await read(id)).length === 0) count += 1;
      return count;
    };
    await expect.poll(lacking, { timeout: 120_000, interval: 500 }).toBe(0);
    for (const id of ids) {
      const entry = await read(id);
      const found = valuesOf(entry);
      expect(found).toHaveLength(1);
      const [value, moment] = found[0]?.attributes ?? [];
      const [at = '', source] = moment?.value.split(', ') ?? [];
      if (source === 'live') expect(Number(value?.value)).toBeGreaterThanOrEqual(tickAt(Date.parse(at)));
      else expect(value?.value).toBe(archiver.devices.get('SR:T')?.samples.findLast(isBefore(entry.createdDate))?.val);
    }
    expect(await logbook.stop()).toBe(0);
  } finally {
    clearInterval(timer);
    await logbook.stop('SIGKILL');
    await Promise.all([pvws.stop(), archiver.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
});
