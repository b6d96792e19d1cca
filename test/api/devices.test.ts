import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start({ deviceNames: 'SR:*,-SR:TEST*' });
});
afterAll(() => logbook.stop());

const quad = 'SR:C03-MG:G02A{Quad:1}';

test('an entry is found by the devices that it names, whole and in parts', async () => {
  const properties = [{ name: 'resource', attributes: [{ name: 'name', value: 'SR:C01-BI{DCCT:1}I-I' }] }];
  const entry = await logbook.create({ title: `${quad} tripped`, source: 'not SR:TEST1', properties });
  expect(entry).toMatchObject({ devices: [quad, 'SR:C01-BI{DCCT:1}I-I'] });
  for (const device of [quad, 'sr:c03*', 'g02a', 'DCCT']) {
    const query = new URLSearchParams({ device });
    expect((await logbook.search(query.toString())).ids, device).toEqual([entry.id]);
  }
  expect((await logbook.search('query=-device%3Dquad')).ids).not.toContain(entry.id);
  expect((await logbook.search('device=SR:TEST1')).ids).toEqual([]);
  expect((await logbook.get('/logs/facets?device=quad')).body.devices).toEqual({
    distinct: 2,
    values: [
      { name: 'SR:C01-BI{DCCT:1}I-I', count: 1 },
      { name: quad, count: 1 },
    ],
  });
  expect((await logbook.get('/suggest?key=device&q=sr:c0')).body).toEqual([
    { value: 'SR:C01-BI{DCCT:1}I-I', count: 1 },
    { value: quad, count: 1 },
  ]);
});

test('an edit decides again which devices an entry names', async () => {
  const { id } = await logbook.create({ title: 'SR:V1 leaks' });
  const edit = async (title: string) =>
    (await logbook.post(`/logs/${id}`, { title, logbooks: [{ name: 'operations' }], devices: ['SR:V9'] })).body;
  expect(await edit('SR:V2 leaks')).toMatchObject({ devices: ['SR:V2'] });
  expect(await edit('No, nothing leaks')).not.toHaveProperty('devices');
  expect((await logbook.search('device=SR:V1,SR:V2,SR:V9')).hitCount).toBe(0);
});

test('a name that a redaction removes is no longer found', async () => {
  const { id } = await logbook.create({ title: 'SR:V3 leaks', source: 'next to SR:V4' });
  const reason = { reason: 'why', text: true };
  expect((await logbook.post(`/logs/${id}/redaction`, reason, { as: 'admin:adminPass' })).status).toBe(200);
  expect((await logbook.get(`/logs/${id}`)).body).toMatchObject({ devices: ['SR:V3'] });
  expect((await logbook.search('device=SR:V4')).hitCount).toBe(0);
});
