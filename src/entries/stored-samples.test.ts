import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Sample } from '../../packages/control-system/sources.port.js';
import { readSample, sampleLimits, storedSample, withStoredSamples } from './stored-samples.js';

const sample = { units: undefined, precision: undefined, severity: 'NONE', atMs: 1_764_104_400_000 } as const;

describe('a stored sample', () => {
  test('has every number in full precision, and is read as it was stored', () => {
    const numbers = fc.oneof(fc.double(), fc.array(fc.double(), { maxLength: sampleLimits.numbers }));
    const value = fc.oneof(numbers, fc.string({ unit: 'binary', maxLength: 1_100 }));
    const units = fc.option(fc.string({ unit: 'binary', maxLength: 300 }), { nil: undefined });
    fc.assert(
      fc.property(fc.record({ value, units, index: fc.nat() }), (given) => {
        const stored = storedSample({ ...sample, ...given } as Sample);
        expect(readSample(JSON.parse(JSON.stringify(stored)), 'Device Values')).toEqual(stored);
        if (typeof given.value === 'string') return;
        const expected = (Array.isArray(given.value) ? given.value : [given.value]).map((one) => one + 0);
        expect(stored?.numbers?.map(Number)).toEqual(expected.map((one) => (Object.is(one, -0) ? 0 : one)));
      }),
    );
  });

  test('has all digits of a long integer', () => {
    const long = { value: 9_007_199_254_740_992, exact: ['9007199254740993'] };
    const stored = storedSample({ ...sample, ...long });
    expect(stored?.numbers).toEqual(['9007199254740993']);
    expect(readSample(stored, 'Device Values')).toEqual(stored);
  });

  test('does not exist for a missing value or a long array', () => {
    expect(storedSample({ missing: 'it did not answer' })).toBeUndefined();
    expect(storedSample({ ...sample, value: Array(sampleLimits.numbers + 1).fill(1) })).toBeUndefined();
  });

  test.each([
    [undefined],
    ['1'],
    [{ numbers: ['1'], severity: 'NONE' }],
    [{ numbers: ['1'], instant: 1 }],
    [{ severity: 'NONE', instant: 1 }],
    [{ numbers: ['1'], text: 'one', severity: 'NONE', instant: 1 }],
    [{ numbers: [1], severity: 'NONE', instant: 1 }],
    [{ numbers: ['123456789012345678901'], severity: 'NONE', instant: 1 }],
    [{ numbers: ['0x1'], severity: 'NONE', instant: 1 }],
    [{ numbers: Array(99).fill('1'), severity: 'NONE', instant: 1 }],
    [{ text: 'a'.repeat(5_000), severity: 'NONE', instant: 1 }],
    [{ text: '\ud800', severity: 'NONE', instant: 1 }],
    [{ numbers: ['1'], units: 1, severity: 'NONE', instant: 1 }],
    [{ numbers: ['1'], severity: 'NONE', instant: 1.5 }],
  ])('of another logbook is not read from %j', (given) => {
    expect(readSample(given, 'Device Values')).toBeUndefined();
  });
});

test('an edit keeps the samples of the values that it has not changed', () => {
  const stored = { numbers: ['1.25'], severity: 'NONE', instant: 1 };
  const attribute = (name: string, value: string, known = {}) => ({ name, value, state: 'Active' as const, ...known });
  const property = (name: string, ...attributes: ReturnType<typeof attribute>[]) => ({
    ...{ name, owner: '', state: 'Active' as const },
    attributes,
  });
  const before = property('Device Values', attribute('A', '1.2', { sample: stored }), attribute('B', '2'));
  const edited = [property('device values', attribute('A', '1.2'), attribute('B', '1.2')), property('x')];
  const [kept, other] = withStoredSamples(edited, [before]);
  expect(kept?.attributes.map(({ sample: one }) => one)).toEqual([stored, undefined]);
  expect(other).toBe(edited[1]);
  const others = [property('Device Values', attribute('N', '')), before];
  const again = withStoredSamples([property('device values', attribute('N', '')), edited[0] ?? before], others);
  expect(again[1]?.attributes[0]?.sample).toEqual(stored);
  expect(
    withStoredSamples([property('Device Values', attribute('A', '1.3'))], [before])[0]?.attributes[0]?.sample,
  ).toBe(undefined);
});
