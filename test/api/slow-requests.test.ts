import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { SlowRequests } from '../../src/http/request/slow-requests.js';
import { describeQuery } from '../../src/search/describe-query.js';
import { parseQuery } from '../../src/search/parse-query.js';
import { TestService } from '../fixtures/service.js';

interface Line {
  readonly msg: string;
  readonly [field: string]: unknown;
}

let logbook: TestService | undefined;
afterEach(async () => {
  await logbook?.stop();
  logbook = undefined;
});

/** Starts a service; returns its lines about slow requests. */
async function start(slowRequestThreshold: string, level = 'info'): Promise<() => Line[]> {
  const lines: Line[] = [];
  const log = pino({ level }, { write: (line: string) => lines.push(JSON.parse(line) as Line) });
  logbook = await TestService.start({ slowRequestThreshold }, undefined, log);
  return () => lines.filter(({ msg }) => msg === 'slow request');
}

test('a slow search is logged with its request, at the level debug its query, and where its time went', async () => {
  const slow = await start('1ms', 'debug');
  await logbook?.create({ title: 'vacuum pump' });
  const headers = { 'x-logbook-client-info': `Phoebus ${'x'.repeat(300)}` };
  await expect
    .poll(async () => {
      await logbook?.get('/logs/search?text=PUMP&level=Info&password=secret', { headers });
      return slow().find(({ query }) => query !== undefined);
    })
    .toMatchObject({
      level: 40,
      method: 'GET',
      route: '/logbook/logs/search',
      status: 200,
      durationMs: expect.any(Number),
      clientInfo: expect.stringMatching(/^Phoebus x{192}$/),
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      waitingMs: expect.any(Number),
      searchingMs: expect.any(Number),
      sendingMs: expect.any(Number),
      otherMs: expect.any(Number),
      query: expect.stringContaining('"words":["pump"]'),
      hits: 0,
    });
  expect(JSON.stringify(slow())).not.toContain('secret');
  const before = slow().length;
  const metrics = await (await fetch(`${logbook?.origin}/metrics`)).text();
  expect(Number(/^logbook_slow_requests_total (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThanOrEqual(before);
});

test('with 0s, no request is logged as slow', async () => {
  const slow = await start('0s');
  await logbook?.create();
  await logbook?.get('/logs/search');
  expect(slow()).toEqual([]);
});

/** A request as the report sees it. */
const ended = (times: object, warn: (fields: object) => void) => ({
  method: 'GET',
  originalUrl: '/x',
  headers: {},
  ip: '127.0.0.1',
  log: { warn },
  context: { route: { url: '/x', config: {} }, ...times },
});
type Reported = Parameters<SlowRequests['report']>;

test('the time of the client does not count', () => {
  const logged: object[] = [];
  const slowRequests = new SlowRequests({ thresholdMs: 100, count: () => undefined });
  const report = (times: object, elapsedTime: number) => {
    const request = ended(times, (fields) => logged.push(fields)) as unknown as Reported[0];
    slowRequests.report(request, { elapsedTime, statusCode: 200 } as Reported[1], undefined);
  };
  report({ receivedMs: 5_000, answeredMs: 5_099 }, 60_000);
  expect(logged).toEqual([]);
  report({ receivedMs: 5_000, answeredMs: 5_150, waitedMs: 120 }, 6_000);
  expect(logged).toMatchObject([{ receivingMs: 5_000, waitingMs: 120, searchingMs: 0, sendingMs: 850, otherMs: 30 }]);
});

test('at most 60 lines in a minute; all are counted', () => {
  let [lines, counted] = [0, 0];
  const slowRequests = new SlowRequests({ thresholdMs: 1, count: () => (counted += 1) });
  const request = ended({}, () => (lines += 1)) as unknown as Reported[0];
  for (let at = 0; at < 200; at += 1) {
    slowRequests.report(request, { elapsedTime: 10, statusCode: 200 } as Reported[1], undefined);
  }
  expect([lines, counted]).toEqual([60, 200]);
});

test('a query is described without parts that have no effect, in at most 1,000 characters, and names no hidden logbook', () => {
  const describe = (params: Record<string, string>) =>
    describeQuery(parseQuery(params, { nowMs: 0, zone: 'UTC', hiddenLogbooks: ['secret plans'] }));
  expect(JSON.parse(describe({ owner: 'Jane' }))).toEqual({
    owners: [{ text: 'jane', hasWildcards: false }],
    hiddenLogbooks: 1,
    ...{ zone: 'UTC', sort: 'newest', from: 0, size: 100 },
  });
  expect(describe({ title: 'superconducting '.repeat(99) })).toHaveLength(1_000);
});
