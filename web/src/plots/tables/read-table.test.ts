import fc from 'fast-check';
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
])('%s is not a table of numbers', (_, text, isNamed) => {
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
  '%j is not a number',
  (text) => {
    const bytes = new TextEncoder().encode(text);
    expect(readNumber(bytes, 0, bytes.length, '.')).toBe(Number.NaN);
  },
);

/** Reads all rows, as the table below the plot shows them. */
function readRows(text: string, delimiter: string): string[][] {
  const bytes = new TextEncoder().encode(text);
  const reader = new RowReader(bytes, delimiter);
  const rows: string[][] = [];
  for (let at = 0; at < bytes.length; ) {
    at = reader.read(at);
    if (reader.count > 0) rows.push(reader.texts(new TextDecoder('utf-8', { ignoreBOM: true })));
  }
  return rows;
}

test.each(['\n', '\r\n', '\r'])('rows that were written as CSV with the line end %j are read back', (end) => {
  const cell = fc.string({ unit: fc.constantFrom('a', '1', ' ', '"', ',', ';', '\t', '\r', '\n', 'é', '|') });
  const rows = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { minLength: 1, maxLength: 8 });
  const delimiters = fc.constantFrom(',', ';', '\t', '|');
  fc.assert(
    fc.property(rows, delimiters, fc.boolean(), fc.boolean(), (written, delimiter, isQuoted, hasLastEnd) => {
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const needsQuotes = (text: string) => isQuoted || /["\r\n]/.test(text) || text.includes(delimiter);
      const lines = written.map((row) => row.map((one) => (needsQuotes(one) ? quoted(one) : one)).join(delimiter));
      const text = lines.join(end) + (hasLastEnd ? end : '');
      expect(readRows(text, delimiter)).toEqual(written);
    }),
    { numRuns: 500 },
  );
});

test('a quote that does not close before the end of a cell is text, and all rows are read', () => {
  const stray = ['1,"5 inch flange,3', '2,"5 inch" flange,3', '3,5" pipe,3', '4,"a,b",3', '5,"c', '6,"d'];
  expect(readRows(stray.join('\n'), ',')).toEqual([
    ['1', '"5 inch flange', '3'],
    ['2', '"5 inch" flange', '3'],
    ['3', '5" pipe', '3'],
    ['4', 'a,b', '3'],
    ['5', '"c'],
    ['6', '"d'],
  ]);
  const rows = Array.from({ length: 500 }, (_, at) => `${at},${at === 10 ? '"5 inch flange' : 'pipe'},${at * 2}`);
  const table = read(lines('Nr,Part,Value', ...rows));
  expect(table?.x).toHaveLength(500);
  expect(table?.values[0]?.[499]).toBe(998);
});

test('every cell begins with a quote that never closes: each byte is looked at a few times only', () => {
  const bytes = new TextEncoder().encode('"5 inch,"""6 inch\n""""7 inch,""\n'.repeat(2_000));
  let looks = 0;
  const counted = new Proxy(bytes, {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks += 1;
      return Reflect.get(target, key, target);
    },
  });
  const reader = new RowReader(counted, ',');
  for (let at = 0; at < bytes.length; ) at = reader.read(at);
  expect(looks).toBeLessThan(bytes.length * 20);
});

test.each(['\r', '\r\n'])('a table with the line end %j', (end) => {
  const table = read(['Time,Value', '1,10', '2,20', '3,30', ''].join(end));
  expect([...(table?.values[0] ?? [])]).toEqual([10, 20, 30]);
  expect(table?.rows).toHaveLength(3);
});
