import { expect, test } from 'vitest';
import type { DeviceHistory } from './device-view.js';
import { noLimits } from './display.js';
import { samplesPerCurve, toPlotFile } from './plot-file.js';
import { readPlotFile } from './read-plot-file.js';

const [start, end] = [1_764_100_800_000, 1_764_104_400_000];
const curve = (more: Partial<DeviceHistory> = {}): DeviceHistory => ({
  ...{ name: 'SR:I{x}--><b>', start, end, kind: 'number', isBinned: false, isCut: false, units: 'm<A', precision: 1 },
  ...{ states: null, limits: { ...noLimits, alarmHigh: 2.5 }, gaps: [], problems: [] },
  samples: [
    { at: start - 5_000, value: 1, severity: 'NONE' },
    { at: start + 600_000, value: 3, severity: 'MAJOR' },
    { at: start + 1_200_000, value: null, severity: 'INVALID' },
    { at: start + 1_800_000, value: 2, severity: 'NONE' },
  ],
  ...more,
});

test('the picture has its samples, and shows steps, gaps, limits and units', () => {
  const plot = {
    start,
    end,
    curves: [curve(), curve({ samples: [], problems: [{ source: 'history', code: 'empty', reason: 'no <values>' }] })],
  };
  const svg = toPlotFile(plot);
  expect(readPlotFile(svg)).toEqual(plot);
  const shown = svg.replace(/<!--.*-->/, '');
  expect(svg.match(/-->/g)).toHaveLength(1);
  expect(shown).toContain('SR:I{x}--&gt;&lt;b&gt; [m&lt;A]');
  expect(shown).toContain('no &lt;values&gt;');
  // A step at 10 minutes, and a gap between 20 and 30 minutes.
  const [, path = ''] = /class="c" d="([^"]*)"/.exec(shown) ?? [];
  expect(path.match(/M/g)).toHaveLength(2);
  expect(path.match(/L/g)).toHaveLength(4);
  expect(shown).toContain('class="a"');
  expect(shown).toContain('2025-11-25 20:00:00 – 2025-11-25 21:00:00 UTC');
});

test('an enumeration has its states, a text its values, and means have a band', () => {
  const states = ['Closed', 'Open'];
  const stepping = [
    { at: start, value: 0, severity: 'NONE', text: 'Closed' },
    { at: start + 1_000_000, value: 1, severity: 'NONE', text: 'Open' },
  ] as const;
  const texts = [{ at: start, value: null, severity: 'NONE', text: 'Top & up' }] as const;
  const bins = [0, 1].map((at) => ({ at: start + at * 60_000, value: 2, min: 1, max: 3, severity: 'NONE' }) as const);
  const svg = toPlotFile({
    ...{ start, end },
    curves: [
      curve({ kind: 'enum', states, samples: stepping }),
      curve({ kind: 'text', samples: texts }),
      curve({ isBinned: true, samples: bins }),
    ],
  });
  for (const shown of ['>Closed<', '>Open<', 'Top &amp; up', 'class="b"']) expect(svg).toContain(shown);
});

test.each([1, 2, 3, 8])('all samples of numbers are in the file of %i curves, whatever else is in it', (count) => {
  const value = -1.234_567_890_123_456_7e-100;
  const samples = Array.from({ length: samplesPerCurve(count + 1) }, (_, at) => ({
    ...{ at: start + at, severity: 'UNDEFINED' as const, value, min: value, max: -value },
  }));
  const gaps = samples.map(({ at }) => ({ start: at, end: at + 1 }));
  const numbers = Array.from({ length: count }, () => curve({ isBinned: true, samples, gaps }));
  const texts = samples.map(({ at }) => ({ at, value: null, severity: 'NONE' as const, text: '"'.repeat(200) }));
  const svg = toPlotFile({ start, end, curves: [curve({ kind: 'text', samples: texts }), ...numbers] });
  const [text, ...stored] = readPlotFile(svg)?.curves ?? [];
  expect(stored).toEqual(numbers);
  expect(text?.samples.length).toBeGreaterThan(10);
});

test('the size is bounded, whatever the source sends', () => {
  const samples = Array.from({ length: samplesPerCurve(8) }, (_, at) => ({
    ...{ at: start + at, value: null, severity: 'UNDEFINED' as const, text: '-'.repeat(201) },
  }));
  const states = Array.from({ length: 256 }, () => 'x'.repeat(4_000));
  const problems = [{ source: 'history', code: 'unreadable', reason: '-'.repeat(300_000) } as const];
  const curves = Array.from({ length: 8 }, () =>
    curve({ kind: 'text', samples, states, units: 'm'.repeat(300_000), problems }),
  );
  const svg = toPlotFile({ start, end, curves });
  expect(svg.length).toBeLessThan(700_000);
  expect(readPlotFile(svg)?.curves.map(({ isCut }) => isCut)).toEqual(Array.from({ length: 8 }, () => true));
});

test.each(['<svg/>', '<!--plot:1 {"start":1} -->', '<!--plot:1 {} -->', '<!--plot:1 {'])('%s is not a plot', (svg) => {
  expect(readPlotFile(svg)).toBeUndefined();
});

test.each([-1, 1.5, 101, 'x'])('a picture whose curve has %s decimals is not read as a plot', (decimals) => {
  const svg = toPlotFile({ start, end, curves: [curve()] });
  expect(readPlotFile(svg.replace('"precision":1', `"precision":${JSON.stringify(decimals)}`))).toBeUndefined();
});

test.each<[string, (plot: { curves: Record<string, unknown>[] }) => void]>([
  ['a problem', ({ curves: [one = {}] }) => Object.assign(one, { problems: [null] })],
  ['a sample', ({ curves: [one = {}] }) => Object.assign(one, { samples: [null] })],
  ['a value', ({ curves: [one = {}] }) => Object.assign(one, { samples: [{ at: 1, value: {} }] })],
  ['a gap', ({ curves: [one = {}] }) => Object.assign(one, { gaps: [1] })],
  ['a state', ({ curves: [one = {}] }) => Object.assign(one, { states: [{}] })],
  ['units', ({ curves: [one = {}] }) => Object.assign(one, { units: {} })],
  ['a limit', ({ curves: [one = {}] }) => Object.assign(one, { limits: { alarmHigh: 'x' } })],
  ['a curve', ({ curves }) => curves.push(null as never)],
])('a picture is not read as a plot if this is malformed in it: %s', (_, spoil) => {
  const svg = toPlotFile({ start, end, curves: [curve()] });
  expect(readPlotFile(svg)).toBeDefined();
  const [, data = ''] = /<!--plot:1 (.*) -->/.exec(svg) ?? [];
  const plot = JSON.parse(data);
  spoil(plot);
  expect(readPlotFile(svg.replace(data, () => JSON.stringify(plot)))).toBeUndefined();
});
