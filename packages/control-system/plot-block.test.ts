import { expect, test } from 'vitest';
import { findPlotBlocks, readPlotBlock } from './plot-block.js';
import { plotFileName, plotLines } from './plot-file-name.js';

const aroundMs = Date.UTC(2026, 10, 27, 12);
const events = [
  { name: 'Beam dump', instant: aroundMs - 48 * 3_600_000 },
  { name: 'Planned', instant: aroundMs + 48 * 3_600_000 },
];
const moments = { aroundMs, writtenMs: aroundMs, events };
const read = (...lines: string[]) => readPlotBlock(plotLines(lines.join('\n')), moments);
const hourMs = 3_600_000;

test('names and a range relative to the moment, or with absolute times', () => {
  expect(read('SR:C03-MG:G02A{Quad:1}I', '', ' SR:V1 ', '-2h..+10m', 'SR:V1')).toEqual({
    names: ['SR:C03-MG:G02A{Quad:1}I', 'SR:V1'],
    startMs: aroundMs - 2 * hourMs,
    endMs: aroundMs + 600_000,
    unused: [],
  });
  const absolute = read('SR:V1', '2026-11-27T08:00:00+01:00 .. 2026-11-27T08:00Z');
  expect(absolute).toMatchObject({ startMs: Date.UTC(2026, 10, 27, 7), endMs: Date.UTC(2026, 10, 27, 8) });
  expect(read('SR:V1', '-30s..0')).toMatchObject({ startMs: aroundMs - 30_000, endMs: aroundMs });
  expect(read('SR:V1')).toMatchObject({ startMs: aroundMs - hourMs, endMs: aroundMs + 600_000 });
});

test.each([
  ['two words', 'name'],
  ['x'.repeat(201), 'name'],
  ['SR:9', 'names'],
  ['yesterday..today', 'range'],
  ['2026-11-27T08:00..0', 'range'],
  ['0..-1h', 'order'],
  ['-9000h..0', 'span'],
  ['-1h..+25h', 'ahead'],
  ['-1h..0 at Trip', 'event'],
  ['-1h..0 at Planned', 'ahead'],
  ['-1h..0 on Planned', 'name'],
])('the line %s is not used and keeps its text', (line, problem) => {
  const names = Array.from({ length: 8 }, (_, at) => `SR:${at + 1}`);
  expect(read(...names, line)).toMatchObject({ names, unused: [{ line, problem }] });
});

test('a range is relative to an event of the entry that it names', () => {
  const [startMs, endMs] = [aroundMs - 49 * hourMs, aroundMs - 47.5 * hourMs];
  expect(read('SR:V1', '-1h..+30m at Beam dump')).toMatchObject({ names: ['SR:V1'], startMs, endMs, unused: [] });
  // The events of a draft are not known yet.
  const draft = readPlotBlock(['-1h..+10m at Beam dump'], { ...moments, events: undefined });
  expect(draft.unused).toEqual([]);
});

test('a second range is not used', () => {
  expect(read('SR:1', '-1h..0', '-2h..0').unused).toEqual([{ line: '-2h..0', problem: 'ranges' }]);
});

test('a text that is edited later may have a range that ends long after the creation of its entry', () => {
  const later = { ...moments, writtenMs: aroundMs + 100 * hourMs };
  expect(readPlotBlock(['SR:1', '0..+90h'], later).unused).toEqual([]);
});

test('blocks are found outside of lists, quotes and other blocks', () => {
  const fence = '```';
  expect(
    findPlotBlocks(
      [
        ...['a', `${fence}plot`, 'SR:1', '-1h..0', fence, 'b'],
        ...['~~~~', `${fence}plot`, 'SR:2', fence, '~~~~'],
        ...[`${fence}plots`, 'SR:3', fence, `> ${fence}plot`, '> SR:4', `- ${fence}plot`, '  SR:5', `  ${fence}`],
        ...['~~~ plot', 'SR:6', fence, '~~~', '`not ``` open`', `${fence}plot`, 'SR:7'],
      ].join('\r\n'),
    ),
  ).toEqual(['SR:1\n-1h..0', `SR:6\n${fence}`, 'SR:7']);
});

test.each([`\`\`\` a${' '.repeat(300_000)}b`, '..'.repeat(300_000), `${'..'.repeat(300_000)} x`])(
  'a long line takes linear time, whatever it contains',
  (line) => {
    expect(findPlotBlocks(`\`\`\`plot\nSR:1\n\`\`\`\n~~~plot\n${line}`)).toEqual(['SR:1']);
    expect(readPlotBlock(plotLines(line), moments).names).toEqual([]);
  },
);

test('only the first of very many lines are read, and the later ones do not change the name of the file', () => {
  const content = Array.from({ length: 500_000 }, (_, at) => `SR:${at}`).join('\n');
  const [found = '', ...others] = findPlotBlocks(`\`\`\`plot\n${content}\n\`\`\`\n\`\`\`plot\nSR:other\n\`\`\``);
  expect(others).toEqual([]);
  const { names, unused } = readPlotBlock(plotLines(found), moments);
  expect([names.length, names[0], unused.length]).toEqual([8, 'SR:0', 992]);
  expect(plotFileName(plotLines(found))).toBe(plotFileName(plotLines(content)));
});

test('the file has the same name for the same lines, and another one for others', () => {
  const nameOf = (content: string) => plotFileName(plotLines(content));
  expect(nameOf('SR:1\n-1h..0\n')).toBe(nameOf(' SR:1\r\n\r\n-1h..0'));
  expect(nameOf('SR:1\n-1h..0')).not.toBe(nameOf('SR:1\n-2h..0'));
  expect(nameOf('')).toMatch(/^plot-[\da-f]{8}\.svg$/);
});
