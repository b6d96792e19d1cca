import { expect, test } from 'vitest';
import { firstCurves, toggleCurve, unitsOf } from './curves.ts';

const columns = ['mA', 'mA', 'V', '°C', undefined].map((unit) => ({ name: 'Reading', unit }));
const none = undefined;

test('at first, the curves are those with the unit of the first column', () => {
  expect(firstCurves(columns)).toEqual([0, 1, none, none, none, none]);
});

test('a curve keeps its colour when others come and go, and a third unit takes the axis of the second', () => {
  const two = toggleCurve(firstCurves(columns), 2, columns);
  expect(two).toEqual([0, 1, 2, none, none, none]);
  expect(unitsOf(two, columns)).toEqual([{ unit: 'mA' }, { unit: 'V' }]);
  expect(toggleCurve(two, 0, columns)).toEqual([none, 1, 2, none, none, none]);
  expect(toggleCurve(two, 3, columns)).toEqual([0, 1, 3, none, none, none]);
});
