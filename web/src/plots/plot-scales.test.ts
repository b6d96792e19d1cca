import { expect, test } from 'vitest';
import { logTicks, stateAxis, yScale } from './plot-scales.ts';

type Range = (plot: unknown, low: number, high: number) => readonly [number, number];
type Splits = (plot: unknown, axis: number, low: number, high: number) => readonly number[];
type Values = (plot: unknown, places: readonly number[]) => readonly string[];

const limits = [
  { name: 'Alarm above', value: 450, isAlarm: true },
  { name: 'Alarm below', value: 1, isAlarm: true },
];

test('limits near the values are in the range, others do not flatten the curve', () => {
  const { range } = yScale({ limits, states: undefined, isLogY: false });
  const [low, high] = (range as unknown as Range)(undefined, 380, 430);
  expect(high).toBeGreaterThanOrEqual(450);
  expect(low).toBeGreaterThan(300);
});

test('an enumeration has its states on the axis, whole numbers apart, and numbers where it has no names', () => {
  const shown = { limits: [], states: ['Closed', 'Open', 'A long name of a state'], isLogY: false };
  const [low, high] = (yScale(shown).range as unknown as Range)(undefined, 0, 3);
  const { splits, values } = stateAxis(shown);
  const places = (splits as unknown as Splits)(undefined, 1, low, high);
  expect(places).toEqual([0, 1, 2, 3]);
  expect((values as unknown as Values)(undefined, places)).toEqual(['Closed', 'Open', 'A long name…', '3']);
  expect((splits as unknown as Splits)(undefined, 1, -0.5, 99.5).length).toBeLessThanOrEqual(13);
  expect(stateAxis({ ...shown, isLogY: true })).toEqual({});
});

test.each([
  ['within a decade', Math.SQRT2, 2, [1.5, 1.6, 1.7, 1.8, 1.9, 2]],
  ['within a decade, below 1', 0.0031, 0.0042, Array.from({ length: 12 }, (_, at) => (31 + at) / 10_000)],
  ['a few decades', 3, 400, [5, 10, 20, 50, 100, 200]],
  ['many decades', 2e-9, 3e3, [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1_000]],
  ['more decades than labels', 1e-30, 1e30, Array.from({ length: 13 }, (_, at) => Number(`1e${at * 5 - 30}`))],
])('a logarithmic axis has round numbers: %s', (_, low, high, expected) => {
  expect(logTicks(low, high, 900)).toEqual(expected);
});
