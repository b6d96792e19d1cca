import { expect, test } from 'vitest';
import { pointsOf } from './curve-points.js';
import type { DeviceHistory } from './device-view.js';

const nothing = null;
const limits = {
  ...{ displayLow: nothing, displayHigh: nothing, alarmLow: nothing },
  ...{ warningLow: nothing, warningHigh: nothing, alarmHigh: nothing },
};
const history: DeviceHistory = {
  ...{ name: 'SR:I', start: 1_000, end: 9_000, kind: 'number', isBinned: false, isCut: false },
  ...{ units: 'mA', precision: 1, states: null, limits, gaps: [], problems: [] },
  samples: [
    // Valid at the start.
    { at: 400, value: 1, severity: 'NONE' },
    { at: 3_000, value: 2, severity: 'MAJOR' },
    { at: 5_000, value: null, severity: 'INVALID' },
    { at: 6_000, value: 3, severity: 'NONE' },
  ],
};
const all = { from: 1_000, to: 9_000, columns: [0] };
const steps = (one: DeviceHistory, view = all) => {
  const { x, values } = pointsOf(one, view);
  return x.map((at, index) => [at, values[0]?.[index]]);
};

test('a value lasts until the next one, from the start to the end', () => {
  expect(steps(history)).toEqual([
    ...[
      [1_000, 1],
      [3_000, 1],
      [3_000, 2],
      [5_000, 2],
    ],
    ...[
      [5_000, null],
      [6_000, null],
      [6_000, 3],
      [9_000, 3],
    ],
  ]);
});

test('a time without a connection is a gap', () => {
  const gaps = [{ start: 4_000, end: 5_000 }];
  expect(steps({ ...history, gaps }).slice(2, 5)).toEqual([
    [3_000, 2],
    [4_000, 2],
    [4_000, null],
  ]);
});

test('a part has the value that was valid at its start', () => {
  expect(steps(history, { ...all, from: 3_500, to: 4_500 })).toEqual([
    [3_000, 2],
    [5_000, 2],
  ]);
});

test('means have one point each, with their extremes', () => {
  const samples = [{ at: 2_000, value: 2, severity: 'NONE', min: 1, max: 4 } as const];
  const binned: DeviceHistory = { ...history, isBinned: true, samples };
  expect(pointsOf(binned, { ...all, columns: [0, 2] })).toEqual({ x: [2_000], values: [[2], [4]] });
});
