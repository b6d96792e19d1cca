import { expect, test } from 'vitest';
import { maxDevices, withDevices } from './data-browser-axes.ts';

const head = (name: string | undefined) => ({ name, isLog: false });
const nameOf = (at: number) => `SR:${at}`;

test('axes have the devices of their traces, each once; those without are left out', () => {
  const traces = [
    { device: 'SR:1', axis: 2 },
    { device: 'SR:2', axis: 0 },
    { device: 'SR:1', axis: 2 },
    { device: 'SR:3', axis: Number.NaN },
    { device: 'SR:4', axis: -1 },
  ];
  expect(withDevices([head('a'), head('b'), head(undefined)], traces)).toEqual({
    axes: [
      { name: 'a', isLog: false, devices: ['SR:2'] },
      { name: undefined, isLog: false, devices: ['SR:1'] },
    ],
    omittedDevices: [],
  });
});

test('of very many devices and axes, few are plotted and named', () => {
  const heads = Array.from({ length: 10_000 }, () => head('x'));
  const devices = Array.from({ length: 10_000 }, (_, at) => ({ device: nameOf(at), axis: 0 }));
  const { axes, omittedDevices } = withDevices(heads, devices);
  expect(axes.map((axis) => axis.devices)).toEqual([Array.from({ length: maxDevices }, (_, at) => nameOf(at))]);
  expect([omittedDevices.length, omittedDevices[0]]).toEqual([50, `SR:${maxDevices}`]);
  const onAll = heads.map((_, axis) => ({ device: 'SR:1', axis }));
  expect(withDevices(heads, onAll).axes).toHaveLength(maxDevices);
});
