import { expect, test } from 'vitest';
import { compareSaved } from './compare-snapshot.js';
import { shownValue } from './shown-value.js';
import type { Sample } from './sources.port.js';

const sample = { units: undefined, precision: undefined, severity: 'NONE', atMs: 1_764_104_400_000 } as const;
const long = (digits: string): Sample => ({ ...sample, value: Number(digits), exact: [digits] });

test.each([
  [{ value: 12_345_678 }, '12345678'],
  [{ value: -12_345_678, precision: 1, units: 'counts' }, '-12345678.0 counts'],
  [{ value: 12.345_678_9 }, '12.3457'],
  [{ value: [1.5, 2], precision: 0, units: 'V' }, '[1.5, 2] V'],
  [{ value: [12_345_678, 0.123_456_789] }, '[12345678, 0.123457]'],
  [long('9007199254740993'), '9007199254740993'],
])('an integer is shown whole, and another number has six digits: %j', (given, expected) => {
  expect(shownValue({ ...sample, ...given })).toBe(expected);
});

const number = (value: number): Sample => ({ ...sample, value });

test.each([
  [number(1_234_567), number(1_234_568), true, 1],
  [number(1_234_567.5), number(1_234_567.6), false, null],
  [number(100_000_001), number(100_000_002), true, 1],
  [number(16_777_217), number(16_777_216), false, null],
  [long('9007199254740993'), number(9_007_199_254_740_991), true, -1],
  [long('9007199254740993'), long('9007199254740993'), false, null],
  [long('9007199254740993'), long('9007199254740995'), true, 2],
])(
  'integers are compared exactly, except in single precision, and other numbers within a tolerance',
  (saved, current, ...expected) => {
    const { isDifferent, difference } = compareSaved({ name: 'SR:COUNT', saved }, current);
    expect([isDifferent, difference]).toEqual(expected);
  },
);
