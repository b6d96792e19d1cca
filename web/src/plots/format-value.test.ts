import { expect, test } from 'vitest';
import { formatCell, formatValue } from './format-value.ts';

test('a value has the decimals of its device, unless they would hide it', () => {
  expect([12, 12.345, 401.25].map((value) => formatValue(value, 1))).toEqual(['12.0', '12.3', '401.3']);
  expect([12, 0, 1e-7].map((value) => formatValue(value, 2))).toEqual(['12.00', '0.00', '1e−7']);
  expect(formatValue(-0.04, 1)).toBe('−0.04');
  expect(formatValue(1e21, 3)).toBe('1e21');
});

test('without decimals, a value has six digits', () => {
  expect([12, 0, 12.3456789].map((value) => formatValue(value))).toEqual(['12', '0', '12.3457']);
  expect(formatValue(2.5e12, null)).toBe('2.5e12');
  expect(formatValue(12_345_678)).toBe('12\u202f345\u202f678');
});

test('only digits before the decimal point are grouped', () => {
  expect(formatValue(-12_345.678_912, 6)).toBe('−12\u202f345.678912');
  expect(formatValue(1234.5, 1)).toBe('1234.5');
});

test('a table has the names of states and the decimals of the device; without them, it has all digits', () => {
  expect(formatCell({ states: ['Closed', 'Open'], precision: 1 }, 1)).toBe('Open');
  expect(formatCell({ states: null, precision: 2 }, 12.345678)).toBe('12.35');
  expect(formatCell({ states: null, precision: null }, 12.345678)).toBe('12.345678');
  expect(formatCell({ states: null, precision: 2 }, null)).toBe('–');
});
