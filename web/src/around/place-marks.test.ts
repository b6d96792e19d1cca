import { expect, test } from 'vitest';
import { placeMarks } from './place-marks.ts';

test('marks that are too close to each other are one group, at the place of the first', () => {
  const groups = placeMarks([60, 10, 33, 34], (left) => left, { distance: 24, width: 100 });
  expect(groups).toEqual([
    { left: 10, items: [10, 33], room: 24 },
    { left: 34, items: [34], room: 26 },
    { left: 60, items: [60], room: 40 },
  ]);
  expect(placeMarks([], Number, { distance: 24, width: 100 })).toEqual([]);
});
