import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bucketEdges, fitsBuckets, intervalFor, type TimeInterval, timeIntervals } from './time-buckets.js';

const bucketStarts = (firstMs: number, lastMs: number, interval: TimeInterval, zone: string) =>
  bucketEdges(firstMs, lastMs, interval, zone).slice(0, -1);
const at = (iso: string) => Date.parse(iso);

test.each([
  ['minute', '2024-03-31T00:58:30Z', ['2024-03-31T00:58:00Z', '2024-03-31T00:59:00Z', '2024-03-31T01:00:00Z']],
  ['5m', '2024-03-31T00:58:30Z', ['2024-03-31T00:55:00Z', '2024-03-31T01:00:00Z', '2024-03-31T01:05:00Z']],
  ['hour', '2024-03-31T00:30:00Z', ['2024-03-31T00:00:00Z', '2024-03-31T01:00:00Z', '2024-03-31T02:00:00Z']],
  ['day', '2024-03-30T12:00:00Z', ['2024-03-29T23:00:00Z', '2024-03-30T23:00:00Z', '2024-03-31T22:00:00Z']],
  ['week', '2024-03-28T12:00:00Z', ['2024-03-24T23:00:00Z', '2024-03-31T22:00:00Z']],
  ['month', '2024-02-29T22:59:59Z', ['2024-01-31T23:00:00Z', '2024-02-29T23:00:00Z', '2024-03-31T22:00:00Z']],
  ['year', '2023-06-01T00:00:00Z', ['2022-12-31T23:00:00Z', '2023-12-31T23:00:00Z']],
] as const)('a %s starts by the calendar of the zone', (interval, first, starts) => {
  const last = at(starts.at(-1) ?? '') + 1;
  expect(bucketStarts(at(first), last, interval, 'Europe/Berlin')).toEqual(starts.map(at));
});

test('a day whose midnight is skipped starts at its first moment', () => {
  const starts = bucketStarts(at('2018-11-03T12:00:00Z'), at('2018-11-05T12:00:00Z'), 'day', 'America/Sao_Paulo');
  expect(starts.map((ms) => new Date(ms).toISOString())).toEqual([
    '2018-11-03T03:00:00.000Z',
    '2018-11-04T03:00:00.000Z',
    '2018-11-05T02:00:00.000Z',
  ]);
});

test.each([
  ['1989-04-02T03:31:00Z', 'hour', '1989-04-02T03:30:00Z', '1989-04-02T04:30:00Z'], // 00:01 became 01:01.
  ['2009-11-01T02:40:00Z', 'day', '2009-11-01T02:30:00Z', '2009-11-02T03:30:00Z'], // 00:01 became 23:01 the day before.
] as const)('at %s, where clocks change just after midnight, a %s holds that moment', (first, interval, start, end) => {
  expect(bucketEdges(at(first), at(first), interval, 'America/St_Johns')).toEqual([at(start), at(end)]);
});

test('buckets follow each other without gaps and cover the whole time', () => {
  // Clocks in Newfoundland changed at 00:01 for some years.
  const change = fc.constantFrom('1989-04-02T03:31:00Z', '2009-11-01T02:31:00Z');
  const ms = fc.oneof(
    fc.integer({ min: 0, max: at('2040-01-01T00:00:00Z') }),
    fc.tuple(change, fc.integer({ min: -90, max: 90 })).map(([moment, minutes]) => at(moment) + minutes * 60_000),
  );
  const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', 'Pacific/Apia');
  fc.assert(
    fc.property(
      ms,
      fc.integer({ min: 0, max: 40 * 86_400_000 }),
      zone,
      fc.constantFrom(...timeIntervals),
      (first, length, zone, interval) => {
        fc.pre(fitsBuckets(first, first + length, interval));
        const starts = bucketStarts(first, first + length, interval, zone);
        expect(starts[0]).toBeLessThanOrEqual(first);
        expect(starts[1] ?? Number.POSITIVE_INFINITY).toBeGreaterThan(first);
        expect(starts.at(-1)).toBeLessThanOrEqual(first + length);
        expect(bucketEdges(first, first + length, interval, zone).at(-1)).toBeGreaterThan(first + length);
        expect(starts).toEqual([...new Set(starts)].sort((one, other) => one - other));
      },
    ),
  );
});

test('the default interval gives few buckets', () => {
  for (const days of [0, 0.5, 2, 30, 300, 3_000]) {
    const interval = intervalFor(0, days * 86_400_000);
    expect(bucketStarts(0, days * 86_400_000, interval, 'UTC').length).toBeLessThan(70);
  }
});

test('400 search.too-many-buckets: more than 2,000 buckets', () => {
  expect(() => bucketStarts(0, 86_400_000 * 1_000, 'hour', 'UTC')).toThrow(
    /too many buckets .* The limit is 2000 buckets/,
  );
});

test('a requested number of buckets is never exceeded, unless there are more years', () => {
  const buckets = fc.integer({ min: 1, max: 300 });
  const length = fc.oneof(fc.nat(86_400_000), fc.nat(400 * 86_400_000));
  fc.assert(
    fc.property(fc.nat(at('2040-01-01T00:00:00Z')), length, buckets, (first, length, buckets) => {
      const zone = 'Europe/Berlin';
      const interval = intervalFor(first, first + length, { buckets, zone });
      const found = bucketStarts(first, first + length, interval, zone).length;
      if (interval !== 'year') expect(found).toBeLessThanOrEqual(buckets);
    }),
  );
});
