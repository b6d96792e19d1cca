import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

let dir: string;
let logbook: TestService;
beforeAll(async () => {
  dir = await makeTempDir();
  const embeddedLdapPropertySource = join(dir, 'embedded.properties');
  await writeFile(embeddedLdapPropertySource, 'embedded_ldap.port = 0\n');
  logbook = await TestService.start({ authenticationProviders: 'embeddedLdap,inMemory', embeddedLdapPropertySource });
});
afterAll(async () => {
  await logbook.stop();
  await rm(dir, { recursive: true });
});

const ada: CallOptions = { as: 'admin:adminPass' };

test('the name from the directory is in /me, on new entries, and on shared searches', async () => {
  expect((await logbook.get('/me', ada)).body).toMatchObject({ userName: 'admin', displayName: 'Ada Admin' });
  const entry = await logbook.create({}, '', ada);
  expect(entry).toMatchObject({ owner: 'admin', ownerName: 'Ada Admin' });
  expect((await logbook.search('size=1')).logs[0]).toEqual(entry);
  await logbook.post('/me/searches', { name: 'x', query: '', shared: true }, ada);
  expect((await logbook.get('/me/searches')).body).toMatchObject([{ owner: 'admin', ownerName: 'Ada Admin' }]);
});

test('an edit by another user keeps it, and a client cannot choose it', async () => {
  const { id } = await logbook.create({ ownerName: 'Somebody' }, '', ada);
  const edited = await logbook.post(`/logs/${id}`, { title: 'y', logbooks: [{ name: 'operations' }], ownerName: 'Me' });
  expect(edited.body).toMatchObject({ owner: 'admin', ownerName: 'Ada Admin', modifiedBy: 'user' });
});

test('without one, null in /me and absent on entries', async () => {
  expect((await logbook.get('/me')).body.displayName).toBeNull();
  expect(await logbook.create()).not.toHaveProperty('ownerName');
});

test('a session keeps the name of its sign-in', async () => {
  const cookie = await sessionOf(logbook, { ...principal('mia', []), displayName: 'Mia Muster' });
  const options = { as: null, headers: { cookie } };
  expect((await logbook.get('/me', options)).body.displayName).toBe('Mia Muster');
  expect((await logbook.create({}, '', options)).ownerName).toBe('Mia Muster');
});
