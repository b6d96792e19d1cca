import { afterAll, beforeAll, expect, test } from 'vitest';
import { SharedMatches } from '../../src/notifications/live/shared-matches.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
let id: number;
beforeAll(async () => {
  logbook = await TestService.start();
  ({ id } = await logbook.create({ title: 'magnet' }));
});
afterAll(() => logbook.stop());

const queryOf = (title: string, hiddenLogbooks: readonly string[] = []) =>
  parseQuery({ title }, { nowMs: 0, zone: 'UTC', hiddenLogbooks });

/** Runs these requests concurrently; returns the number of searches made, and the results. */
async function matchAll(...requests: [query: ReturnType<typeof queryOf>, sequence: number][]) {
  let searches = 0;
  const { searchIndex } = logbook.service;
  const matching: typeof searchIndex.matching = (...of) => {
    searches += 1;
    return searchIndex.matching(...of);
  };
  const shared = new SharedMatches({ matching }, new AbortController().signal);
  const results = await Promise.all(requests.map(([query, sequence]) => shared.matching(query, [id], sequence)));
  return { searches, results };
}

test('equal requests after the same change share one search', async () => {
  const request = [queryOf('magnet'), 1] as [ReturnType<typeof queryOf>, number];
  expect(await matchAll(request, [queryOf('magnet'), 1], request)).toEqual({
    searches: 1,
    results: [[id], [id], [id]],
  });
});

test('another filter, other permissions and a later change are searched separately', async () => {
  const { searches, results } = await matchAll(
    [queryOf('magnet'), 1],
    [queryOf('cryo'), 1],
    [queryOf('magnet', ['operations']), 1],
    [queryOf('magnet'), 2],
  );
  expect(searches).toBe(4);
  expect(results).toEqual([[id], [], [], [id]]);
});
