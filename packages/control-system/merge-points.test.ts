import { expect, test } from 'vitest';
import type { DeviceHistory } from './device-view.js';
import { noDisplay } from './display.js';
import { mergedPoints } from './merge-points.js';

const curve = (
  samples: readonly (readonly [number, number | null])[],
  gaps: DeviceHistory['gaps'] = [],
): DeviceHistory => ({
  ...{
    ...noDisplay,
    name: 'x',
    start: 10,
    end: 100,
    kind: 'number',
    isBinned: false,
    isCut: false,
    problems: [],
    gaps,
  },
  samples: samples.map(([at, value]) => ({ at, value, severity: 'NONE' })),
});

test('each curve keeps its value until its own next one, at the moments of all', () => {
  const curves = [
    curve([
      [5, 1],
      [40, 2],
    ]),
    curve([
      [20, 7],
      [40, null],
      [60, 8],
    ]),
  ];
  expect(mergedPoints(curves, { from: 10, to: 100, columns: [0, 1] })).toEqual({
    x: [10, 20, 20, 40, 40, 60, 60, 100],
    values: [
      [1, 1, 1, 1, 2, 2, 2, 2],
      [null, null, 7, 7, null, null, 8, 8],
    ],
  });
});

test('a gap lasts until the next sample, and a part has what reaches into it', () => {
  const curves = [
    curve(
      [
        [10, 1],
        [80, 2],
      ],
      [{ start: 50, end: 70 }],
    ),
    curve([[10, 5]]),
  ];
  expect(mergedPoints(curves, { from: 60, to: 70, columns: [0] })).toEqual({ x: [50, 80], values: [[null, null]] });
  expect(mergedPoints(curves, { from: 10, to: 40, columns: [1, 0] })).toEqual({
    x: [10, 50],
    values: [
      [5, 5],
      [1, 1],
    ],
  });
});

test('a curve without samples is a gap, and a plot without any samples has no points', () => {
  expect(mergedPoints([curve([]), curve([[10, 5]])], { from: 10, to: 100, columns: [0, 1] })).toEqual({
    x: [10, 100],
    values: [
      [null, null],
      [5, 5],
    ],
  });
  expect(mergedPoints([curve([])], { from: 10, to: 100, columns: [0] })).toEqual({ x: [], values: [[]] });
});
