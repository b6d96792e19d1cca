import { expect, test } from 'vitest';
import { areaOf, isMeant, keptArea, type Mark, middleMark, moveMark } from './mark.ts';

const size = { width: 1_000, height: 500 };
const mark = (tool: Mark['tool'], ...[x, y, toX, toY]: [number, number, number, number]): Mark => ({
  tool,
  from: { x, y },
  to: { x: toX, y: toY },
});

test('an area has whole pixels within the picture, from whichever corner it was drawn', () => {
  expect(areaOf(mark('box', 900.4, 600, -20, 99.6), size)).toEqual({ x: 0, y: 100, width: 900, height: 400 });
});

test('the last crop decides what stays', () => {
  expect(keptArea([], size)).toEqual({ x: 0, y: 0, ...size });
  const crops = [mark('crop', 0, 0, 10, 10), mark('box', 5, 5, 6, 6), mark('crop', 100, 50, 600, 250)];
  expect(keptArea(crops, size)).toEqual({ x: 100, y: 50, width: 500, height: 200 });
});

test('a click draws no arrow or box, but places a text', () => {
  expect(isMeant(mark('arrow', 5, 5, 6, 6), size)).toBe(false);
  expect(isMeant(mark('box', 5, 5, 300, 6), size)).toBe(false);
  expect(isMeant(mark('arrow', 5, 5, 300, 6), size)).toBe(true);
  expect(isMeant(mark('text', 5, 5, 5, 5), size)).toBe(true);
});

test('the keyboard places a mark in the middle, moves it, and stretches it', () => {
  const placed = middleMark('box', size);
  expect(placed).toMatchObject({ from: { x: 400, y: 200 }, to: { x: 600, y: 300 } });
  expect(moveMark(placed, { x: 10, y: 0 }, false, size)).toMatchObject({ from: { x: 410 }, to: { x: 610 } });
  expect(moveMark(placed, { x: 9_000, y: 0 }, true, size)).toMatchObject({ from: { x: 400 }, to: { x: 1_000 } });
});
