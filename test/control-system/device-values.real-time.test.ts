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
  // The value comes from here if the machine was too slow for the current one.
  archiver.add('SR:DCCT{1}I', { EGU: 'mA', PREC: '1' }, { atMs: Date.now() - 60_000, val: '401.23' });
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

test('a new entry receives the values of the devices that its logbook lists, and is not found by their names', async () => {
  pvws.addNumber('SR:V1', 3, { units: 'mbar', precision: 1 });
  archiver.add('SR:V1', { EGU: 'mbar' }, { atMs: Date.now() - 60_000, val: '3' });
  const logbook = await TestService.start(sources());
  await logbook.put('/logbooks/Vacuum', { devices: ['SR:V1'] });
  const { id } = await logbook.create({ logbooks: [{ name: 'Vacuum' }] });
  const attributes = [{ name: 'SR:V1', value: expect.stringMatching(/^3(\.0)? mbar$/) }, { name: 'read' }];
  await expect.poll(() => readValues(logbook, id)).toMatchObject({ attributes });
  await logbook.indexed();
  expect((await logbook.search('device=SR:V1')).ids).toEqual([]);
  await logbook.stop();
});

test('a new entry receives the values of the devices in a property that its template has', async () => {
  pvws.addNumber('SR:V1', 3, { units: 'mbar', precision: 1 });
  archiver.add('SR:V1', { EGU: 'mbar' }, { atMs: Date.now() - 60_000, val: '3' });
  const logbook = await TestService.start(sources());
  const prepared = [{ name: 'Machine', attributes: [{ name: 'devices', value: 'SR:V1, SR:V2' }] }];
  const template = { name: 'Shift', title: 'Shift', logbooks: [{ name: 'operations' }], properties: prepared };
  const { title, source, level, logbooks, properties } = (await logbook.put('/templates', template)).body;
  const { id } = await logbook.create({ title, source, level, logbooks, properties });
  await expect
    .poll(() => readValues(logbook, id))
    .toMatchObject({ attributes: [{ name: 'SR:V1' }, { name: 'SR:V2' }, { name: 'read' }] });
  await logbook.stop();
});

test('an entry with a past event receives the values of that time too, and searches find them', async () => {
  pvws.addNumber('SR:V1', 3, { units: 'mbar', precision: 1 });
  const instant = Date.now() - 3_600_000;
  archiver.add('SR:V1', { EGU: 'mbar' }, { atMs: instant - 1_000, val: '2' });
  const logbook = await TestService.start(sources());
  const { id } = await logbook.create({ title: 'SR:V1', events: [{ name: 'trip', instant }] });
  const propertiesOf = async () => (await logbook.get(`/logs/${id}`)).body.properties;
  const name = `SR:V1 at ${new Date(instant).toISOString()} (trip)`;
  await expect.poll(propertiesOf).toMatchObject([
    { name: 'Device Values', attributes: [{ name: 'SR:V1' }, { name: 'read' }] },
    { name: 'Device Values at Events', attributes: [{ name, value: '2 mbar' }] },
  ]);
  const query = new URLSearchParams({ properties: 'device values at events.sr:v1 at*.2*' });
  expect((await logbook.search(query.toString())).ids).toEqual([id]);
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
