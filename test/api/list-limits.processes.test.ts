import { afterEach, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
afterEach(async () => {
  await logbook.stop();
});

const template = (name: string, length = 0) => ({
  name,
  title: name,
  source: 'x'.repeat(length),
  logbooks: [{ name: 'operations' }],
});
const names = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => ({ name: `name ${from + at}` }));
const count = async (path: string) => (await logbook.get(path)).body.length;

describe('the lists of the catalogue', () => {
  test.each(['tags', 'logbooks', 'levels', 'properties'])(
    '409 catalog.list-full: %s, and nothing is stored',
    async (kind) => {
      logbook = await TestService.start({ maxCatalogNames: '20' });
      const before = await count(`/${kind}`);
      const refused = await logbook.put(`/${kind}`, names(0, 21 - before));
      expect(refused).toMatchObject({ status: 409, body: { code: 'catalog.list-full' } });
      expect(refused.body.message).toContain(`20 items for the list of ${kind} (setting maxCatalogNames)`);
      expect(await count(`/${kind}`)).toBe(before);
      expect((await logbook.put(`/${kind}`, names(0, 20 - before))).status).toBe(200);
      expect((await logbook.put(`/${kind}/one-more`, {})).status).toBe(409);
      expect((await logbook.put(`/${kind}/name%200`, {})).status).toBe(200);
    },
  );

  test('409 catalog.list-full: deleted tags count, and can be restored', async () => {
    logbook = await TestService.start({ maxCatalogNames: '3' });
    await logbook.put('/tags', names(0, 2));
    await logbook.call('/tags/name%200', { method: 'DELETE' });
    expect((await logbook.put('/tags/another', {})).body).toMatchObject({ code: 'catalog.list-full' });
    expect((await logbook.put('/tags/name%200', {})).status).toBe(200);
  });

  test('409 catalog.list-too-large: the bytes of a list are limited, however few its items', async () => {
    logbook = await TestService.start({ maxCatalogSize: '10kB' });
    const attributes = (many: number) =>
      Array.from({ length: many }, (_, at) => ({ name: `${at}`.padStart(100, '.') }));
    expect((await logbook.put('/properties/large', { attributes: attributes(50) })).status).toBe(200);
    const refused = await logbook.put('/properties/larger', { attributes: attributes(50) });
    expect(refused).toMatchObject({ status: 409, body: { code: 'catalog.list-too-large' } });
    expect(refused.body.message).toContain('10 kB for the list of properties (setting maxCatalogSize)');
    expect(await count('/properties')).toBe(2);
  });

  test('a list above a limit that was lowered stays readable, may shrink, and may not grow', async () => {
    logbook = await TestService.start();
    await logbook.put('/tags', names(0, 500));
    await logbook.stop({ keepData: true });
    logbook = await TestService.start({ maxCatalogNames: '10', maxCatalogSize: '1kB' }, logbook.dataDir);
    expect(await count('/tags')).toBe(501);
    expect((await logbook.get('/configuration')).body.tags).toHaveLength(501);
    expect((await logbook.put('/tags/name%207', { state: 'Active' })).status).toBe(200);
    expect((await logbook.call('/tags/name%207', { method: 'DELETE' })).status).toBe(200);
    expect((await logbook.put('/tags/one-more', {})).status).toBe(409);
    expect(await count('/tags')).toBe(500);
  });
});

describe('the list of templates', () => {
  test('409 template.list-full: nothing is stored; a template can be replaced and deleted', async () => {
    logbook = await TestService.start({ maxTemplates: '2' });
    const { id } = (await logbook.put('/templates', template('a'))).body;
    await logbook.put('/templates', template('b'));
    const refused = await logbook.put('/templates', template('c'));
    expect(refused).toMatchObject({ status: 409, body: { code: 'template.list-full' } });
    expect(refused.body.message).toContain('2 items for the list of templates (setting maxTemplates)');
    expect((await logbook.put('/templates', { ...template('new'), id })).status).toBe(200);
    expect((await logbook.call(`/templates/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await logbook.put('/templates', template('c'))).status).toBe(200);
  });

  test('409 template.list-too-large: all templates together are limited', async () => {
    logbook = await TestService.start({ maxTemplatesSize: '500kB' });
    expect((await logbook.put('/templates?markup=none', template('a', 200_000))).status).toBe(200);
    const refused = await logbook.put('/templates?markup=none', template('b', 200_000));
    expect(refused).toMatchObject({ status: 409, body: { code: 'template.list-too-large' } });
    expect(refused.body.message).toContain('500 kB for the list of templates (setting maxTemplatesSize)');
    expect(await count('/templates')).toBe(1);
  });

  test('a long list is complete and in order, and shows each template as a single request does', async () => {
    logbook = await TestService.start();
    for (let at = 0; at < 30; at++) {
      await logbook.put('/templates?markup=none', template(`number ${String(at).padStart(2, '0')}`, 20_000));
    }
    const { body: list, headers } = await logbook.get('/templates');
    // It is produced while the client reads it, so that its length is not known.
    expect(headers.get('content-length')).toBeNull();
    expect(list.map(({ name }: { name: string }) => name)).toEqual(
      Array.from({ length: 30 }, (_, at) => `number ${String(at).padStart(2, '0')}`),
    );
    expect((await logbook.get(`/templates/${list[29].id}`)).body).toEqual(list[29]);
  });
});
