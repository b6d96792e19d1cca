import { describe, expect, test } from 'vitest';
import { ElogBytes } from './elog-bytes.js';
import { describeUnread, readElogDate } from './elog-date.js';
import { decodeText, headerOf, listRanges, parseElogEntry } from './elog-entry.js';

const head = '='.repeat(40);
const latin1 = (text: string) => Buffer.from(text, 'latin1');
const entriesOf = (content: Buffer, charset = 'iso-8859-1') =>
  [...listRanges(content)].flatMap((range) => {
    if (!range) return [];
    const { id, start, end } = range;
    const decoder = new ElogBytes(charset);
    const entry = parseElogEntry(id, content.subarray(start, end), decoder);
    return { ...entry, text: decodeText(entry.textBytes, decoder) };
  });

describe('the file of an ELOG', () => {
  test('has Latin-1 and UTF-8 in one entry and in one line', () => {
    const content = Buffer.concat([
      latin1('$@MID@$: 1\nDate: x\nAuthor: M\u00fcller | '),
      Buffer.from('Jörg'),
      latin1(`\nAttachment: 190102_093000_Me\u00dfwert.txt\n${head}\nGr\u00f6\u00dfe\n`),
      Buffer.from('Größe €\n'),
    ]);
    const [entry] = entriesOf(content);
    expect(entry && headerOf(entry, 'author')).toBe('Müller | Jörg');
    expect(entry?.text).toBe('Größe\nGröße €');
    expect(entry?.files.map(({ name, bytes }) => [name, bytes.toString('latin1')])).toEqual([
      ['190102_093000_Meßwert.txt', '190102_093000_Me\u00dfwert.txt'],
    ]);
  });

  test('has the charset of its server', () => {
    const content = Buffer.concat([latin1(`$@MID@$: 1\nDate: x\n${head}\n`), Buffer.from([0xcf, 0xf0, 0xe8])]);
    expect(entriesOf(content, 'windows-1251')[0]?.text).toBe('При');
  });

  test('has the quotation marks of Windows in the default charset', () => {
    const text = Buffer.concat([Buffer.from([0x93, 0x80, 0x94, 0x20, 0xe9]), Buffer.from(' ü')]);
    const content = Buffer.concat([latin1(`$@MID@$: 1\nDate: x\n${head}\n`), text]);
    expect(entriesOf(content)[0]?.text).toBe('“€” é ü');
  });

  test('may begin with a byte order mark, and have any line ends', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const content = Buffer.from(
        `\ufeff$@MID@$: 1\nDate: x\n${head}\na\nb\n$@MID@$: 2\nDate: y\n${head}\nc\n`.replaceAll('\n', end),
      );
      expect(entriesOf(content).map(({ id, text }) => [id, text])).toEqual([
        [1, 'a\nb'],
        [2, 'c'],
      ]);
    }
  });

  test('a text that resembles a marker stays text', () => {
    const text = `see $@MID@$: 5\n$@MID@$: 77\n\nnote: x\n$@MID@$: abc\n${head}\nafter`;
    expect(entriesOf(Buffer.from(`$@MID@$: 1\nDate: x\n${head}\n${text}\n`)).map((entry) => entry.text)).toEqual([
      text,
    ]);
  });

  test('a marker is found wherever a step of the search ends', () => {
    for (let length = 1_048_560; length < 1_048_580; length++) {
      const first = `$@MID@$: 1\nDate: x\n${head}\n`.padEnd(length, 'a');
      const content = Buffer.from(`${first}\n$@MID@$: 2\nDate: y\n${head}\nb`);
      expect([...listRanges(content)].flatMap((range) => range?.start ?? [])).toEqual([0, length + 1]);
    }
  });

  test('headers without an end are parsed only up to their maximum length', () => {
    const { isCut, headers } = parseElogEntry(
      1,
      Buffer.from(`$@MID@$: 1\nDate: x\n${'a: b\n'.repeat(100_000)}`),
      new ElogBytes('iso-8859-1'),
    );
    expect([isCut, headers.length < 60_000]).toEqual([true, true]);
  });

  test('an entry that was cut off is not lost', () => {
    expect(entriesOf(Buffer.from(`$@MID@$: 1\nDate: x\n${head}\na\n$@MID@$: 2\nDate: y\nAuthor: b`)).length).toBe(2);
  });
});

test.each([
  ['Mon, 23 Nov 2020 10:00:00 +0100', '2020-11-23T09:00:00.000Z'],
  ['Wed Jan  2 09:30:00 2019', '2019-01-02T08:30:00.000Z'],
  ['Wed Jul  3 09:30:00 2019', '2019-07-03T07:30:00.000Z'],
  ['Wed, 02 Jan 2019 09:30:00', '2019-01-02T08:30:00.000Z'],
  ['2019-07-03T09:30:00', '2019-07-03T07:30:00.000Z'],
  ['Wed, 02 Jan 2019 09:30:00 CET', '2019-01-02T08:30:00.000Z'],
  ['Wed Jan  2 09:30:00 EST 2019', '2019-01-02T14:30:00.000Z'],
  ['never', '2019-01-02T00:00:00.000Z'],
])('the date “%s” is read in the zone of the server', (text, expected) => {
  expect(new Date(readElogDate(text, 'Europe/Zurich', '190102a.log').ms).toISOString()).toBe(expected);
});

test.each([
  'Mi, 06 Mai 2020 09:00:00 +0200',
  'mer., 06 mai 2020 09:00:00 +0200',
  'mié, 06 mayo 2020 09:00:00 +0200',
  '6 de mayo de 2020, 09:00:00',
  'Mi., 6. Mai 2020, 09:00',
  '06.05.2020 09:00:00',
  'Mi 06.05.20 09:00',
  'Mi Mai  6 09:00:00 2020',
  'mer. mai  6 09:00:00 CEST 2020',
  'środa, 6 maja 2020 09:00:00 +0200',
  'Ср, 06 мая 2020 09:00:00 +0200',
  'Wed, 06 May 2020 09:00:00 +0200',
])('the date “%s”, in another language, is read', (text) => {
  const { ms, isOfFile } = readElogDate(text, 'Europe/Zurich', '990101a.log');
  expect([new Date(ms).toISOString(), isOfFile]).toEqual(['2020-05-06T07:00:00.000Z', false]);
});

test.each([
  ...['Jan Jänner', 'Feb févr.', 'Mar März mars', 'Apr abril', 'May Mai mei', 'Jun juin giugno červen czerwca'],
  ...['Jul juil. Juli července lipca', 'Aug août agosto', 'Sep sept. setembre Eylül', 'Oct Okt out ottobre'],
  ...['Nov listopad ноября', 'Dec Dez. déc. des prosince'],
])('the names %s mean the same month', (names) => {
  const [first = '', ...others] = names.split(' ').map((name) => `05 ${name} 2020 09:00:00 +0000`);
  const read = (text: string) => readElogDate(text, 'UTC', '990101a.log').ms;
  expect(others.map(read)).toEqual(others.map(() => Date.parse(first)));
});

test('an entry with an unknown month gets the date of its file, and the report quotes its date', () => {
  const text = 'Mi, 06 jui 2020 09:00:00 +0200';
  const date = readElogDate(text, 'Europe/Zurich', '200506a.log');
  expect(new Date(date.ms).toISOString()).toBe('2020-05-06T00:00:00.000Z');
  expect(describeUnread(date, text)).toBe(`The date “${text}” cannot be read; the entry has the date of its file.`);
  expect(describeUnread(readElogDate('Wed, 06 May 2020 09:00:00 +0200', 'UTC', '200506a.log'), '')).toBeUndefined();
});
