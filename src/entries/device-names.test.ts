import { expect, test } from 'vitest';
import { property } from '../../test/fixtures/entries.js';
import { DeviceNames, remainingNames } from './device-names.js';

const devices = new DeviceNames(['SR:*', '*{*}*', '-SR:TEST*']);
const entryWith = (description: string, title = '') => ({ title, description, properties: [] });

test.each([
  ['SR:C03-MG:G02A{Quad:1} tripped', ['SR:C03-MG:G02A{Quad:1}']],
  ['(SR:V1), SR:V2; "SR:V3": see SR:V4... {SR:V5} SR:V1', ['SR:V1', 'SR:V2', 'SR:V3', 'SR:V4', 'SR:V5']],
  ['at 12:30, https://host/SR:V1, SR:TEST1 and sr:v1', undefined],
  ['ring{100%}I-I:', ['ring{100%}I-I']],
  ['“SR:V{1}I-SP”, SR:V1’s {SR:V{2}}', ['SR:V{1}I-SP', 'SR:V1', 'SR:V{2}']],
])('names in “%s”', (text, names) => {
  expect(devices.findIn(entryWith(text))).toEqual(names);
});

test('names are found in the title, the text and the values of properties, each once', () => {
  const properties = [property('resource', { name: 'SR:V3', file: 'SR:V1' })];
  const entry = { ...entryWith('SR:V2 and SR:V1', 'SR:V1 leaks'), properties };
  expect(devices.findIn(entry)).toEqual(['SR:V1', 'SR:V2', 'SR:V3']);
});

test('when the limit of examined words is reached before a name was found, there are none', () => {
  const excluded = Array.from({ length: 1_100 }, (_, at) => `SR:TEST${at}`).join(' ');
  expect(devices.findIn(entryWith(excluded))).toBeUndefined();
});

test('without patterns nothing is recognised', () => {
  expect(new DeviceNames([]).findIn(entryWith('SR:V1'))).toBeUndefined();
});

test('names of a list are recognised, unless they are excluded, or plain words or numbers', () => {
  const listed = new Set(['IPM1L02.XPOS', 'R1-2', 'TEST-1', 'beam', '2019']);
  const text = 'IPM1L02.XPOS, R1-2: no beam since 2019. TEST-1, SR:V1';
  expect(new DeviceNames(['SR:*', '-TEST*'], listed).findIn(entryWith(text))).toEqual([
    'IPM1L02.XPOS',
    'R1-2',
    'SR:V1',
  ]);
  expect(new DeviceNames([], listed).findIn(entryWith('beam in 2019'))).toBeUndefined();
  const long = `${Array.from({ length: 10_000 }, (_, at) => `word${at}`).join(' ')} R1-2`;
  expect(new DeviceNames([], listed).findIn(entryWith(long))).toEqual(['R1-2']);
});

test('at most a hundred names are recognised', () => {
  const text = Array.from({ length: 2_000 }, (_, at) => `SR:V${at}`).join(' ');
  expect(devices.findIn(entryWith(text))).toHaveLength(100);
});

test('a pattern with many stars does not try every way to divide a text', () => {
  const greedy = new DeviceNames([`${'*a'.repeat(60)}!`, `${'a*'.repeat(60)}b`]);
  const text = Array.from({ length: 2_000 }, (_, at) => `${'a'.repeat(190)}${at}`).join(' ');
  expect(greedy.findIn(entryWith(text))).toBeUndefined();
});

test('only names that still occur remain', () => {
  expect(remainingNames(['SR:V1', 'SR:V2'], entryWith('SR:V2'))).toEqual(['SR:V2']);
  expect(remainingNames(['SR:V1'], entryWith('removed'))).toBeUndefined();
});
