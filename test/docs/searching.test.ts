import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { TestService } from '../fixtures/service.js';

const page = readFileSync(join(productDir, 'docs', 'user', 'searching.md'), 'utf8');
const rows = [...page.matchAll(/^\| `([^`]+)` \| (.+) \|$/gm)].map(([, typed = '', finds = '']) => ({ typed, finds }));

let service: TestService;
let reply: number;
beforeAll(async () => {
  service = await TestService.start({ deviceNames: 'SR:*' });
  const entry = {
    title: 'Magnet trip',
    source: 'SR:C03-MG:G02A{Quad:1} is off.',
    ...{ level: 'Problem', tags: [{ name: 'alarm' }], logbooks: [{ name: 'operations' }] },
    attachments: [{ filename: 'plot.txt' }],
  };
  const { body } = await service.sendForm('PUT', entry, [{ name: 'plot.txt', content: '1' }]);
  const other = { title: 'Trip to the vacuum pump', source: 'A magnet?', logbooks: [{ name: 'controls' }] };
  await service.create(other, '', { as: 'admin:adminPass' });
  reply = (await service.create({ title: 'Reset' }, `?inReplyTo=${body.id}&run=true`)).id;
});
afterAll(() => service.stop());

test('the page has examples', () => expect(rows.length).toBeGreaterThan(10));

test.each(rows)('$typed finds entries $finds', async ({ typed }) => {
  const { ids } = await service.search(`query=${encodeURIComponent(typed)}`);
  const isWide = typed === 'magnet trip' || typed === 'magn*' || typed.startsWith('start=');
  expect(ids).toContain(typed === 'is:reply' || typed === 'is:running' ? reply : 1);
  expect(ids.includes(2)).toBe(isWide);
});
