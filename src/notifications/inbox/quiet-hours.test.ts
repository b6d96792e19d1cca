import { expect, test } from 'vitest';
import { isQuiet, isTimeZone, quietMs } from './quiet-hours.js';

const at = (text: string) => Date.parse(text);

test('quiet hours are those of the zone, also around midnight and in summer', () => {
  const night = { from: '22:00', to: '06:30', zone: 'Europe/Berlin' };
  const quiet = ['2026-01-10T21:00Z', '2026-01-11T00:00Z', '2026-01-11T05:29:59Z', '2026-07-11T04:29Z'];
  const loud = ['2026-01-10T20:59:59Z', '2026-01-11T05:30Z', '2026-07-11T04:30Z', '2026-07-10T19:59Z'];
  expect(quiet.filter((text) => isQuiet(night, at(text)))).toEqual(quiet);
  expect(loud.filter((text) => isQuiet(night, at(text)))).toEqual([]);
  const noon = { from: '12:00', to: '13:00', zone: 'UTC' };
  expect([at('2026-01-10T12:00Z'), at('2026-01-10T13:00Z')].map((ms) => isQuiet(noon, ms))).toEqual([true, false]);
  expect(isQuiet({ ...noon, to: '12:00' }, at('2026-01-10T12:00Z'))).toBe(false);
  expect(isQuiet(undefined, 0)).toBe(false);
});

test('held items are examined again at the next minute', () => {
  const noon = { from: '12:00', to: '13:00', zone: 'UTC' };
  expect(quietMs(noon, at('2026-01-10T12:59:50Z'))).toBe(10_000);
  expect(quietMs(noon, at('2026-01-10T13:00Z'))).toBe(0);
});

test('only known names are time zones', () => {
  expect(['Europe/Berlin', 'UTC', 'Mars/Olympus', ''].map(isTimeZone)).toEqual([true, true, false, false]);
});
