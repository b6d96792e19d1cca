import { expect, test } from 'vitest';
import { decimate } from './decimate.ts';

const count = 100_000;
const x = Float64Array.from({ length: count }, (_, at) => at + 1);
const view = { from: 1, to: count, width: 500, isLogX: false, columns: [0] };

test('a spike of one row stays, with its height, among few points', () => {
  const column = new Float64Array(count).fill(1);
  column[70_123] = 900;
  column[30_000] = -5;
  const { x: shown, values } = decimate(x, [column], view);
  expect(shown.length).toBeLessThanOrEqual(2 * 501);
  expect(values[0]).toHaveLength(shown.length);
  expect(Math.max(...(values[0] as number[]))).toBe(900);
  expect(Math.min(...(values[0] as number[]))).toBe(-5);
  expect(shown).toEqual([...shown].sort((a, b) => a - b));
});

test('a gap stays a gap', () => {
  const column = new Float64Array(count).fill(1).fill(Number.NaN, 40_000, 60_000);
  const { x: shown, values } = decimate(x, [column], view);
  expect(values[0]?.filter((value) => value === null).length).toBeGreaterThan(190);
  expect(values[0]?.[shown.findIndex((one) => one > 50_000)]).toBeNull();
});

test('a narrow view has all its rows, and one on each side', () => {
  const { x: shown } = decimate(x, [x], { ...view, from: 1_000.5, to: 1_005.5 });
  expect(shown).toEqual([1_000, 1_001, 1_002, 1_003, 1_004, 1_005, 1_006]);
});

test('on a logarithmic axis, the points are divided by decades', () => {
  const { x: shown } = decimate(x, [x], { ...view, isLogX: true });
  expect(shown.filter((one) => one <= 10)).toHaveLength(10);
  expect(shown.length).toBeLessThanOrEqual(2 * 501);

  const channels = Float64Array.from([0, 1, 10]);
  expect(decimate(channels, [channels], { ...view, isLogX: true }).x).toEqual([1, 10]);
});
