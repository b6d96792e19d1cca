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

/** How many searches are made for these questions at once, and what each is answered. */
async function ask(...questions: [query: ReturnType<typeof queryOf>, sequence: number][]) {
  let searches = 0;
  const { searchIndex } = logbook.service;
  const matching: typeof searchIndex.matching = (...of) => {
    searches += 1;
    return searchIndex.matching(...of);
  };
  const shared = new SharedMatches({ matching }, new AbortController().signal);
  const answers = await Promise.all(questions.map(([query, sequence]) => shared.matching(query, [id], sequence)));
  return { searches, answers };
}

test('equal questions after the same change are one search', async () => {
  const question = [queryOf('magnet'), 1] as [ReturnType<typeof queryOf>, number];
  expect(await ask(question, [queryOf('magnet'), 1], question)).toEqual({ searches: 1, answers: [[id], [id], [id]] });
});

test('another filter, other rights and a later change have a search of their own', async () => {
  const { searches, answers } = await ask(
    [queryOf('magnet'), 1],
    [queryOf('cryo'), 1],
    [queryOf('magnet', ['operations']), 1],
    [queryOf('magnet'), 2],
  );
  expect(searches).toBe(4);
  expect(answers).toEqual([[id], [], [], [id]]);
});
