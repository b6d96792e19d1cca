import { afterEach, beforeEach, expect, test } from 'vitest';
import { ArchiverServer } from '../fixtures/archiver-server.js';
import { PvwsServer } from '../fixtures/pvws-server.js';
import { TestService } from '../fixtures/service.js';

let pvws: PvwsServer;
let archiver: ArchiverServer;
beforeEach(async () => {
  [pvws, archiver] = await Promise.all([PvwsServer.start(), ArchiverServer.start()]);
});
afterEach(async () => {
  await Promise.all([pvws.stop(), archiver.stop()]);
});

const sources = () => ({ deviceNames: 'SR:*', pvwsUrl: pvws.url, archiverUrl: archiver.url });
const readValues = async (logbook: TestService, id: number) =>
  (await logbook.get(`/logs/${id}`)).body.properties.find(({ name }: { name: string }) => name === 'Device Values');

test('a new entry receives the values of the devices that it names, and searches find them', async () => {
  pvws.addNumber('SR:DCCT{1}I', 401.23, { units: 'mA', precision: 1 });
  const logbook = await TestService.start(sources());
  const entry = await logbook.create({ title: 'SR:DCCT{1}I is low' });
  expect(entry.properties).toEqual([]);
  await expect
    .poll(() => readValues(logbook, entry.id))
    .toMatchObject({
      attributes: [{ name: 'SR:DCCT{1}I', value: '401.2 mA' }, { name: 'read' }],
    });
  const query = new URLSearchParams({ properties: 'device values.sr:dcct{1}i.401*' });
  expect((await logbook.search(query.toString())).ids).toEqual([entry.id]);
  await logbook.stop();
});

test('entries are stored while both sources are down, and receive their values later', async () => {
  archiver.add('SR:V1', { EGU: 'mbar' }, { atMs: Date.now() - 60_000, val: '2.5e-9' });
  archiver.answer = (response) => response.destroy();
  const settings = sources();
  await pvws.stop();
  const logbook = await TestService.start(settings);
  const { id } = await logbook.create({ title: 'SR:V1' });
  const health = async () => (await (await fetch(`${logbook.origin}/readyz`)).json()) as { checks: object };
  await expect
    .poll(async () => (await health()).checks, { timeout: 60_000 })
    .toMatchObject({
      controlSystem: { status: 'warning', message: expect.stringMatching(/pvws: .*connection/) },
    });
  archiver.answer = undefined;
  await expect
    .poll(() => readValues(logbook, id), { timeout: 120_000 })
    .toMatchObject({
      attributes: [
        { name: 'SR:V1', value: '2.5e-9 mbar' },
        { name: 'read', value: expect.stringMatching('archiver') },
      ],
    });
  await logbook.stop();
  pvws = await PvwsServer.start();
});

test('without sources, no job runs and nothing is reported', async () => {
  const logbook = await TestService.start({ deviceNames: 'SR:*' });
  const metrics = await (await fetch(`${logbook.origin}/metrics`)).text();
  expect(metrics).not.toMatch(/device-values|"plots"|logbook_control_system_up/);
  const health = (await (await fetch(`${logbook.origin}/readyz`)).json()) as { checks: object };
  expect(health.checks).not.toHaveProperty('controlSystem');
  await logbook.stop();
});
