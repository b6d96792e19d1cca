import { expect, test } from 'vitest';
import { stateAxis, yScale } from './plot-scales.ts';

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
