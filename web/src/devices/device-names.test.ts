import { expect, test } from 'vitest';
import { devicePath, namePrefix, splitAtNames } from './device-names.ts';

const names = ['SR:V1', 'SR:C03-MG:G02A{Quad:1}', 'SR:C03-MG:G02A{Quad:1}I'];
const found = (text: string) => splitAtNames(text, (word) => names.includes(word)).filter((_, at) => at % 2 === 1);

test.each([
  ['SR:V1 leaks, (SR:V1). SR:V1: again', ['SR:V1', 'SR:V1', 'SR:V1']],
  ['SR:V10 SR:V1.A SR:V1:B BSR:V1 X:SR:V1', []],
  ['SR:C03-MG:G02A{Quad:1}I of SR:C03-MG:G02A{Quad:1}', ['SR:C03-MG:G02A{Quad:1}I', 'SR:C03-MG:G02A{Quad:1}']],
  ['{SR:V1}, “SR:V1” and SR:V1’s pump', ['SR:V1', 'SR:V1', 'SR:V1']],
])('names in %s', (text, expected) => {
  expect(found(text)).toEqual(expected);
});

test('neighbours share all but the last part of a name', () => {
  expect(namePrefix('SR:C03-MG:G02A{Quad:1}')).toBe('SR:C03-MG:G02A{Quad:');
  expect(namePrefix('SR:C03-MG:G02A{Quad:1}I')).toBe('SR:C03-MG:G02A{Quad:1}');
  expect(namePrefix('BEAM')).toBeUndefined();
});

test('the address of a page takes any character', () => {
  expect(decodeURIComponent(devicePath('SR:{a}/50%?#').slice('/devices/'.length))).toBe('SR:{a}/50%?#');
});
