import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
  const resource = { name: 'resource', attributes: [{ name: 'name', value: 'SR:C03' }] };
  await logbook.create({
    title: 'Beam lost',
    source: 'The beamline',
    tags: [{ name: 'alarm' }],
    properties: [resource],
  });
  await logbook.create({ title: 'Beam back', level: 'Problem', logbooks: [{ name: 'controls' }] });
});
afterAll(() => logbook?.stop());

test.each([
  ['key=owner&q=u', [{ value: 'user', count: 2 }]],
  ['key=tag', [{ value: 'alarm', count: 1 }]],
  [
    'KEY=Logbook&q=',
    [
      { value: 'controls', count: 1 },
      { value: 'operations', count: 1 },
    ],
  ],
  ['key=level&q=pr', [{ value: 'Problem', count: 1 }]],
  ['key=property&q=re', [{ value: 'resource', count: 1 }]],
  ['key=property&q=resource.name.sr', [{ value: 'resource.name.SR:C03', count: 1 }]],
  ['key=title&q=the be', [{ value: 'Beam', count: 2 }]],
  ['key=title&size=1', [{ value: 'Beam', count: 2 }]],
  ['key=text&q=beam', [{ value: 'beamline', count: 1 }]],
  ['key=tag&q=nothing', []],
])('GET /suggest?%s', async (params, expected) => {
  expect((await logbook.get(`/suggest?${params}`)).body).toEqual(expected);
  await logbook.service.searchIndex.waitUntilIndexed();
  expect((await logbook.get(`/suggest?${params}`)).body).toEqual(expected);
});

test.each([
  ['', 'suggest.bad-key'],
  ['key=colour', 'suggest.bad-key'],
  ['key=tag&size=0', 'suggest.bad-size'],
  ['key=tag&size=many', 'suggest.bad-size'],
  [`key=tag&q=${'x'.repeat(1_025)}`, 'suggest.too-long'],
])('400 for /suggest?%s', async (params, code) => {
  expect(await logbook.get(`/suggest?${params}`)).toMatchObject({ status: 400, body: { code } });
});
