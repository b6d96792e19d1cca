import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({ deviceNames: 'SR:*,-SR:TEST*' });
});
afterAll(() => logbook.stop());

const put = (body: object) => logbook.put('/logbooks/Magnets', { name: 'Magnets', ...body });
const stored = async () => (await logbook.get('/logbooks/Magnets')).body;

test('a logbook keeps its devices when a client that does not know them stores, deletes or restores it', async () => {
  expect(await put({ owner: 'magnets', devices: ['SR:V1', 'SR:V2', 'SR:V1'] })).toMatchObject({ status: 200 });
  const expected = { name: 'Magnets', owner: 'magnets', state: 'Active', devices: ['SR:V1', 'SR:V2'] };
  expect(await stored()).toEqual(expected);
  expect((await logbook.get('/logbooks')).body).toContainEqual(expected);
  expect((await put({ owner: 'power', devices: null })).body.devices).toEqual(expected.devices);
  await logbook.call('/logbooks/Magnets', { method: 'DELETE' });
  await logbook.put('/logbooks', [{ name: 'Magnets', owner: 'magnets' }]);
  expect(await stored()).toEqual(expected);
  const entry = await logbook.create({ logbooks: [{ name: 'Magnets' }] });
  expect(entry.logbooks).toEqual([{ name: 'Magnets', owner: 'magnets', state: 'Active' }]);
  expect(entry.devices).toBeUndefined();
});

test('an empty list removes all devices, and the logbook is as it was before it had any', async () => {
  await put({ owner: 'magnets', devices: ['SR:V1'] });
  await put({ devices: [] });
  expect(await stored()).toEqual({ name: 'Magnets', owner: 'magnets', state: 'Active' });
});

test.each([
  ['BR:1', 'catalog.unknown-device'],
  ['SR:TEST1', 'catalog.unknown-device'],
  ['SR:V1 SR:V2', 'catalog.unknown-device'],
  ['', 'request.invalid'],
  [`SR:${'x'.repeat(198)}`, 'request.invalid'],
])('400 for the device “%s”, and nothing is stored', async (device, code) => {
  await put({ owner: 'magnets', devices: ['SR:V1'] });
  expect(await put({ owner: 'other', devices: ['SR:V2', device] })).toMatchObject({ status: 400, body: { code } });
  expect(await stored()).toMatchObject({ owner: 'magnets', devices: ['SR:V1'] });
});

test('400 for more than 100 devices', async () => {
  const { status } = await put({ devices: Array.from({ length: 101 }, (_, at) => `SR:${at}`) });
  expect(status).toBe(400);
});

test('devices that the settings no longer recognise can stay in the list', async () => {
  await put({ devices: ['SR:V1'] });
  await logbook.stop({ keepData: true });
  logbook = await TestService.start({ deviceNames: 'BR:*' }, logbook.dataDir);
  expect((await put({ devices: ['SR:V1', 'BR:1'] })).body.devices).toEqual(['SR:V1', 'BR:1']);
  expect((await put({ devices: ['SR:V1', 'SR:V2'] })).body.code).toBe('catalog.unknown-device');
});
