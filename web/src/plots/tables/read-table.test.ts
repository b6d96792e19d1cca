import { expect, test } from 'vitest';
import { readTable } from './read-table.ts';
import { readNumber } from './read-value.ts';
import { RowReader } from './row-reader.ts';
import { detectFormat } from './table-format.ts';

function read(text: string | Uint8Array, isNamed = true, charset = 'utf-8') {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  const format = detectFormat(bytes, isNamed, charset);
  return format && { format, ...readTable(bytes, format) };
}

const lines = (...rows: readonly string[]) => `${rows.join('\n')}\n`;

test('comma, header with units, times with a zone', () => {
  const table = read(
    lines(
      'Time,Beam current [mA],Loss (mGy/h)',
      '2026-11-17T03:12:07.120Z,182.4,3.1',
      '2026-11-17T03:12:08.120+01:00,,-48e-1',
      '2026-11-17 04:12:09Z,7,NaN',
    ),
  );
  expect(table?.axis).toMatchObject({ kind: 'time', name: 'Time' });
  expect(table?.columns).toEqual([
    { name: 'Beam current', unit: 'mA' },
    { name: 'Loss', unit: 'mGy/h' },
  ]);
  const at = Date.UTC(2026, 10, 17, 3, 12, 7, 120);
  // Sorted by time.
  expect([...(table?.x ?? [])]).toEqual([at - 3_599_000, at, at + 3_601_880]);
  expect(table?.values.map((one) => [...one])).toEqual([
    [Number.NaN, 182.4, 7],
    [-4.8, 3.1, Number.NaN],
  ]);
});

test('semicolon, decimal comma, date and time of day in separate columns, a line of units, Windows line endings', () => {
  const table = read(
    new TextEncoder().encode(
      [
        'Datum;Zeit;Strom;Druck',
        ';;(A);(mbar)',
        '17.11.2026;03:12:07,5;182,4;1,5e-9',
        '17.11.2026;03:12:08;0,25;',
        '',
      ].join('\r\n'),
    ),
  );
  expect(table?.columns).toEqual([
    { name: 'Strom', unit: 'A' },
    { name: 'Druck', unit: 'mbar' },
  ]);
  const at = new Date(2026, 10, 17, 3, 12, 7, 500).getTime();
  expect([...(table?.x ?? [])]).toEqual([at, at + 500]);
  expect(table?.values.map((one) => [...one])).toEqual([
    [182.4, 0.25],
    [1.5e-9, Number.NaN],
  ]);
});

test('blanks, no header, a comment that names the columns, a spectrum that begins with the highest channel', () => {
  const table = read(lines('# detector 3', '# Energy / keV   Counts', '  30   5', '  20\t7', '  10   1'), false);
  expect(table?.axis).toMatchObject({ kind: 'number', from: 10, to: 30, positiveFrom: 10 });
  expect([...(table?.values[0] ?? [])]).toEqual([1, 7, 5]);
});

test('tabs, quotes with delimiters and line endings in them, an encoding other than UTF-8', () => {
  const bytes = Uint8Array.from(
    'Nr\t"Temp ""in"" [\xb0C]"\tNote\n1\t"20.5"\t\n2\t21\t"a\tb\n""c"""\n3\t22\tx\n',
    (one) => one.charCodeAt(0),
  );
  const table = read(bytes, true, 'iso-8859-1');
  expect(table?.columns).toEqual([{ name: 'Temp "in"', unit: '°C' }]);
  expect([...(table?.values[0] ?? [])]).toEqual([20.5, 21, 22]);
  const reader = new RowReader(bytes, '\t');
  reader.read(table?.rows[1] ?? 0);
  expect(reader.count).toBe(3);
  expect(table?.rows).toHaveLength(3);
});

test.each([
  ['seconds', '1795000000', 1_795_000_000_000],
  ['milliseconds', '1795000000000', 1_795_000_000_000],
  ['nanoseconds', '1795000000000000000', 1_795_000_000_000],
])('times in %s since the epoch', (_, first, expected) => {
  const next = (BigInt(first) + BigInt(10 ** (first.length - 10))).toString();
  const table = read(lines('timestamp,v', `${first},1`, `${next},2`));
  expect(table?.axis.kind).toBe('time');
  expect(table?.x[0]).toBe(expected);
  expect(table?.x[1]).toBe(expected + 1_000);
});

test('lines above the header, and numbers that rise and fall, which are a curve over the rows', () => {
  const cycle = Array.from({ length: 40 }, (_, at) => `${Math.abs(20 - at)},${at}`);
  const table = read(lines('Model,TDS 3014,', 'Points,40,', '', 'Current,Field', ...cycle));
  expect(table?.axis).toMatchObject({ kind: 'row', from: 1, to: 40 });
  expect(table?.columns.map(({ name }) => name)).toEqual(['Current', 'Field']);
});

test.each([
  ['prose', 'Interlock card 3\nthermostat TS-3 opened\nreset at 03:36\n', false],
  ['words in columns', 'Name,Place\nCavity,C03\nPump,C07\n', true],
  [
    'a log of messages',
    lines(...Array.from({ length: 30 }, (_, at) => `2026-11-17 03:${at + 10}:07 pump ${at} is on again`)),
    false,
  ],
  ['one line', '1,2,3\n', true],
  ['nothing', '', true],
])('%s is no table of numbers', (_, text, isNamed) => {
  const table = read(text, isNamed);
  expect(table === undefined || table.x.length < 2 || table.columns.length === 0).toBe(true);
});

test.each([
  '0',
  '-1.5',
  '+.5',
  '2.',
  '1e3',
  '1.25E-12',
  '6.02d23',
  '1e300',
  '0.1234567890123456789',
  '123456789012345678',
])('%s is read as the number that it is', (text) => {
  const bytes = new TextEncoder().encode(text);
  expect(readNumber(bytes, 0, bytes.length, '.')).toBe(Number(text.replace('d', 'e')));
});

test.each(['', '-', '.', 'e3', '1e', '1e+', '1x', '1.2.3', '12:30', '1,5', '0x10', 'NaN'])(
  '%j is no number',
  (text) => {
    const bytes = new TextEncoder().encode(text);
    expect(readNumber(bytes, 0, bytes.length, '.')).toBe(Number.NaN);
  },
);
