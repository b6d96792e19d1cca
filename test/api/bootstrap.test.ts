import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type CallOptions, makeTempDir, TestService } from '../fixtures/service.js';
import { principal, sessionOf } from '../fixtures/sessions.js';

let logbook: TestService;
let dir: string;
let member: CallOptions;
const admin = { as: 'admin:adminPass' };
const outsider = { as: null };

beforeAll(async () => {
  dir = await makeTempDir();
  const logbookAccessFile = join(dir, 'access.properties');
  await writeFile(logbookAccessFile, 'Safety.read = Safety Team\n');
  logbook = await TestService.start({
    logbookAccessFile,
    timeZone: 'Europe/Berlin',
    shifts: 'Day 6:30, Night 18:30',
    maxFileSize: '2MB',
  });
  await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'x' }, admin);
  for (const name of ['Safety', 'operations']) {
    await logbook.put('/templates', { name: `For ${name}`, title: 'x', logbooks: [{ name }] }, admin);
  }
  const cookie = await sessionOf(logbook, principal('mia', [], ['Safety Team']));
  member = { as: null, headers: { cookie } };
});
afterAll(async () => {
  await logbook.stop();
  await rm(dir, { recursive: true });
});

const names = (items: readonly { readonly name: string }[]) => items.map(({ name }) => name);
const get = (options: CallOptions, etag?: string) =>
  logbook.get('/bootstrap', { ...options, headers: { ...options.headers, ...(etag && { 'if-none-match': etag }) } });

test('everything that a client starts with, in one response', async () => {
  const { status, headers, body } = await get(member);
  expect(status).toBe(200);
  expect(headers.get('cache-control')).toBe('private, no-cache');
  expect(headers.get('vary')).toContain('Cookie');
  expect(body).toMatchObject({
    timeZone: 'Europe/Berlin',
    shifts: [
      { name: 'Day', start: '06:30' },
      { name: 'Night', start: '18:30' },
    ],
    languages: ['en'],
    hasMeaning: true,
    defaultLevel: 'Info',
    limits: { maxFileSize: 2_097_152, maxEntrySize: 1_048_576, maxTitleLength: 2_000, maxPageSize: 1_000 },
    properties: [{ name: 'resource', attributes: [{ name: 'name' }, { name: 'file' }] }],
  });
  expect(body.configuration).toEqual((await logbook.get('/configuration')).body);
  expect(names(body.templates)).toEqual(['For operations', 'For Safety']);
});

test('closed logbooks and their templates are left out for those who may not read them', async () => {
  const { body, text } = await get(outsider);
  expect(names(body.configuration.logbooks)).toEqual(['controls', 'operations']);
  expect(names(body.templates)).toEqual(['For operations']);
  expect(text).not.toContain('Safety');
});

test('304 until the catalogue or a template changes, and never with the tag of another reader', async () => {
  const tagOf = async (options: CallOptions) => (await get(options)).headers.get('etag') ?? '';
  const first = await tagOf(member);
  expect((await get(member, first)).status).toBe(304);
  expect((await get(outsider, first)).status).toBe(200);
  await logbook.create();
  expect((await get(member, first)).status).toBe(304);
  await logbook.put('/tags/new', { name: 'new' });
  const second = await tagOf(member);
  expect((await get(member, first)).status).toBe(200);
  const made = await logbook.put('/templates', { name: 'Third', title: 'x', logbooks: [] });
  const third = await tagOf(member);
  await logbook.call(`/templates/${made.body.id}`, { method: 'DELETE' });
  // The same content as before.
  expect(await tagOf(member)).toBe(second);
  await logbook.call('/levels/Urgent', { method: 'DELETE', ...admin });
  const all = [first, second, third, await tagOf(member)];
  expect(new Set(all).size).toBe(all.length);
});

test('the tag does not change with what the reader may not see', async () => {
  const tagOf = async (options: CallOptions) => (await get(options)).headers.get('etag');
  const [ofOutsider, ofMember] = [await tagOf(outsider), await tagOf(member)];
  const title = 'Hidden';
  const made = await logbook.put('/templates', { name: title, title, logbooks: [{ name: 'Safety' }] }, admin);
  expect(await tagOf(outsider)).toBe(ofOutsider);
  expect((await get(outsider, ofOutsider ?? '')).status).toBe(304);
  expect(await tagOf(member)).not.toBe(ofMember);
  await logbook.put('/logbooks/Safety', { name: 'Safety', owner: 'another' }, admin);
  expect(await tagOf(outsider)).toBe(ofOutsider);
  expect((await logbook.call(`/templates/${made.body.id}`, { method: 'DELETE', ...admin })).status).toBe(200);
  expect(await tagOf(outsider)).toBe(ofOutsider);
});
