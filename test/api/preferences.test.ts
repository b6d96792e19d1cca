import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rights } from '../../src/auth/permissions.js';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
});
afterAll(() => logbook.stop());

const admin = { as: 'admin:adminPass' };
const anonymous = { as: null };

describe('/me/settings', () => {
  const put = (json: unknown, ifMatch?: string) =>
    logbook.put('/me/settings', json, { headers: ifMatch === undefined ? {} : { 'if-match': ifMatch } });

  test('an empty object at first, then what was stored, for its user alone', async () => {
    const empty = await logbook.get('/me/settings');
    expect(empty.body).toEqual({});
    const stored = await put({ theme: 'dark', nested: { list: [1] } }, empty.headers.get('etag') ?? '');
    expect(stored.body).toEqual({ theme: 'dark', nested: { list: [1] } });
    const etag = stored.headers.get('etag') ?? '';
    expect((await logbook.get('/me/settings')).body).toEqual(stored.body);
    expect((await logbook.get('/me/settings', { headers: { 'if-none-match': etag } })).status).toBe(304);
    expect((await logbook.get('/me/settings', admin)).body).toEqual({});
    expect((await logbook.get('/me/settings', anonymous)).status).toBe(401);
    expect((await logbook.put('/me/settings', {}, anonymous)).status).toBe(401);
  });

  test('412 settings.version-mismatch with the current ones and their tag', async () => {
    const first = (await put({ n: 1 })).headers.get('etag') ?? '';
    const second = (await put({ n: 2 }, first)).headers.get('etag');
    const stale = await put({ n: 3 }, first);
    expect(stale.body).toMatchObject({ status: 412, code: 'settings.version-mismatch', current: { n: 2 } });
    expect(stale.headers.get('etag')).toBe(second);
  });

  test('400 for anything but an object, 413 beyond 64 kB; nothing is stored', async () => {
    await put({ n: 1 });
    for (const json of [[], null, 'x', 1]) expect((await put(json)).status).toBe(400);
    expect((await put({ long: 'x'.repeat(65_536) })).body).toMatchObject({ status: 413, code: 'settings.too-large' });
    expect((await logbook.get('/me/settings')).body).toEqual({ n: 1 });
  });
});

describe('/me/searches', () => {
  const search = { name: 'Trips', query: 'text=trip' };
  const add = async (fields: object = {}, options = {}) => {
    const answer = await logbook.post('/me/searches', { ...search, ...fields }, options);
    expect(answer.status, answer.text).toBe(200);
    return answer.body;
  };
  const list = async (options = {}) => (await logbook.get('/me/searches', options)).body;
  const remove = (id: string, options = {}) => logbook.call(`/me/searches/${id}`, { method: 'DELETE', ...options });

  test('shared searches are seen by all, changed only by their owners, and deleted also by administrators', async () => {
    const own = await add();
    const shared = await add({ name: 'Shared', shared: true });
    expect(own).toEqual({ id: own.id, ...search, shared: false, owner: 'user', own: true });
    expect(await list()).toEqual([own, shared]);
    expect(await list(admin)).toEqual([{ ...shared, own: false }]);
    expect((await logbook.get(`/me/searches/${shared.id}`, admin)).body).toEqual({ ...shared, own: false });
    expect((await logbook.get('/me/searches', anonymous)).status).toBe(401);
    for (const [id, status] of [
      [own.id, 404],
      [shared.id, 403],
    ]) {
      expect((await logbook.put(`/me/searches/${id}`, search, admin)).status).toBe(status);
    }
    expect((await remove(own.id, admin)).status).toBe(404);
    const ofAdmin = (await logbook.post('/me/searches', { ...search, shared: true }, admin)).body;
    expect((await remove(ofAdmin.id)).body).toMatchObject({ status: 403, code: 'saved-search.not-the-owner' });
    expect((await remove(ofAdmin.id, admin)).status).toBe(200);
    const unwanted = await add({ shared: true });
    expect((await remove(unwanted.id, admin)).status).toBe(200);
    expect(await list()).toEqual([own, shared]);
    expect((await logbook.get(`/me/searches/${own.id}`, admin)).status).toBe(404);
    const changed = await logbook.put(`/me/searches/${shared.id}`, { ...search, name: 'Mine again' });
    expect(changed.body).toEqual({ ...shared, name: 'Mine again', shared: false });
    expect(await list(admin)).toEqual([]);
    for (const { id } of [own, shared]) expect((await remove(id)).status).toBe(200);
    expect((await remove(own.id)).status).toBe(404);
  });

  test('400 without a name, with a blank or long one; 409 beyond 100; once for each idempotency key', async () => {
    for (const fields of [
      { name: undefined },
      { name: '  ' },
      { name: 'x'.repeat(256) },
      { query: 'x'.repeat(8_193) },
    ]) {
      expect((await logbook.post('/me/searches', { ...search, ...fields })).status).toBe(400);
    }
    const headers = { 'idempotency-key': 'the same' };
    const first = await add({}, { headers });
    expect(await add({}, { headers })).toEqual(first);
    for (let n = 1; n < 100; n += 1) await add();
    const refused = await logbook.post('/me/searches', search);
    expect(refused.body).toMatchObject({ status: 409, code: 'saved-search.too-many' });
    expect(await list()).toHaveLength(100);
    expect((await logbook.post('/me/searches', search, admin)).status).toBe(200);
  });

  test('a token may neither read nor change them, whatever its rights', async () => {
    const { body } = await logbook.post('/tokens', { name: 'all', rights: [...rights] });
    const options = { as: null, headers: { authorization: `Bearer ${body.token}` } };
    for (const path of ['/me/searches', `/me/searches/${(await list())[0].id}`, '/me/settings']) {
      expect((await logbook.get(path, options)).body).toMatchObject({ status: 403, code: 'auth.password-required' });
    }
    expect((await logbook.post('/me/searches', search, options)).body.code).toBe('auth.password-required');
    expect((await logbook.put('/me/settings', {}, options)).body.code).toBe('auth.password-required');
  });
});
