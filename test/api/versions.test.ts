import { afterAll, beforeAll, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
beforeAll(async () => {
  logbook = await TestService.start();
});
afterAll(() => logbook?.stop());

test('GET /logs/{id}/versions/{n}: each version, by the number that it shows; a reply is not an edit', async () => {
  const first = await logbook.create({ title: 'One' });
  await logbook.create({ title: 'A reply' }, `?inReplyTo=${first.id}`);
  const edited = (await logbook.post(`/logs/${first.id}`, { ...first, title: 'Two' })).body;
  expect([first.version, edited.version]).toEqual([1, 2]);
  const { body: archive } = await logbook.get(`/logs/archived/${first.id}`);
  const one = await logbook.get(`/logs/${first.id}/versions/1`);
  expect(one.body).toEqual(archive.logs[0]);
  expect(one.body).toMatchObject({ title: 'One', version: 1, properties: [{ name: 'Log Entry Group' }] });
  const two = await logbook.get(`/logs/${first.id}/versions/2`);
  const current = await logbook.get(`/logs/${first.id}`);
  expect([two.text, two.headers.get('etag')]).toEqual([current.text, current.headers.get('etag')]);
  const etag = one.headers.get('etag') ?? '';
  expect((await logbook.get(`/logs/${first.id}/versions/1`, { headers: { 'if-none-match': etag } })).status).toBe(304);
});

test('404 entry.version-not-found without such a version, entry.not-found without the entry', async () => {
  const { id } = await logbook.create({});
  for (const number of ['0', '2', '-1', 'x', '1.5', '1e3', '99999999999999999999']) {
    const answer = await logbook.get(`/logs/${id}/versions/${number}`);
    expect(answer, number).toMatchObject({ status: 404, body: { code: 'entry.version-not-found' } });
  }
  for (const unknown of [String(id + 1), 'x']) {
    const answer = await logbook.get(`/logs/${unknown}/versions/1`);
    expect(answer).toMatchObject({ status: 404, body: { code: 'entry.not-found' } });
  }
});
