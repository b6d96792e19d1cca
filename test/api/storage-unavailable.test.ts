import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

describe('when the storage does not respond', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
    await logbook.create();
    await logbook.service.storage.close();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  test.each([
    '/logs/1',
    '/logs/archived/1',
    '/logs',
    '/logs/search',
    '/logs/rss',
    '/tags',
    '/levels/Info',
    '/attachment/x',
    '/templates',
    '/configuration',
  ])('503, never 404, for GET %s: in contract form, with a requestId, nothing of the inside', async (path) => {
    const answer = await logbook.get(path);
    expect(answer).toMatchObject({ status: 503, body: { status: 503, requestId: expect.any(String) } });
    expect(answer.text).not.toMatch(/sqlite|database|SELECT/i);
  });

  test('503 for a write: nothing is acknowledged', async () => {
    const answer = await logbook.put('/logs', { title: 'x', logbooks: [{ name: 'operations' }] });
    expect(answer).toMatchObject({ status: 503, body: { code: 'storage.closed' } });
  });
});
