import { expect, test } from 'vitest';
import { readProperties } from './entry-values.js';

test('a sample that is not valid is left out and reported as a loss', () => {
  const sample = { numbers: ['401.2'], severity: 'NONE', instant: 1_764_104_400_000 };
  const attributes = [
    { name: 'SR:I', value: '401.2 mA', sample },
    { name: 'SR:P', value: '2', sample: { ...sample, instant: 'yesterday' } },
    { name: 'read', value: '2026-03-08 03:12:00 UTC' },
  ];
  const remarks: unknown[] = [];
  const [property] = readProperties([{ name: 'Device Values', attributes }], (...remark) => remarks.push(remark));
  expect(property?.attributes.map((one) => one.sample)).toEqual([sample, undefined, undefined]);
  expect(remarks).toEqual([['The sample of the attribute “SR:P” is not valid and was left out.', true]]);
});
