import Fastify, { type RouteHandlerMethod } from 'fastify';
import { expect, test } from 'vitest';
import { nextRound } from '../../kernel/time-slice.js';
import { provideContext } from '../request/request-context.js';
import { Admission } from './admission.js';
import { admitRequests } from './admit-requests.js';
import type { Cost } from './cost.js';

const count = 50;
let begun: number;

/** Ends in the round of the event loop in which it begins. */
async function shortWork(): Promise<object> {
  begun += 1;
  return {};
}

/** Sends many requests of one client at the same time; lists how many of them began in each round of the event loop. */
async function countInRounds(cost: Cost | undefined, handler: RouteHandlerMethod): Promise<number[]> {
  begun = 0;
  const app = Fastify();
  provideContext(app);
  const admission = new Admission({
    searchThreads: 3,
    maxWaitingPerClient: count,
    maxWaitingLongWritesPerClient: 1,
    downloads: undefined,
    maxJsonBytes: 1_000,
    indexed: async () => undefined,
    userNameOf: () => undefined,
  });
  const costOf = () => cost;
  admitRequests(app, admission, costOf, () => undefined);
  app.get('/', handler);
  await app.ready();
  const answers = Promise.all(Array.from({ length: count }, () => app.inject('/')));
  const inRounds: number[] = [];
  for (let before = 0; begun < count; before = begun) {
    await nextRound();
    inRounds.push(begun - before);
  }
  expect((await answers).every(({ statusCode }) => statusCode === 200)).toBe(true);
  await app.close();
  return inRounds;
}

test.each([
  ['read', 4],
  ['download', 2],
  ['search', 2],
] as const)(
  'short requests of the cost %s of one client begin in several rounds: its %i slots at a time',
  async (cost, slots) => {
    // Twice as many, because slots are given back in the middle of a round.
    expect(Math.max(...(await countInRounds(cost, shortWork)))).toBeLessThanOrEqual(2 * slots);
  },
);

test('short reads that are parts of requests begin in several rounds', async () => {
  const inRounds = await countInRounds(undefined, (request, reply) =>
    request.server.admission.inTurn(request, reply, 'read', shortWork),
  );
  expect(Math.max(...inRounds)).toBeLessThanOrEqual(8);
});
