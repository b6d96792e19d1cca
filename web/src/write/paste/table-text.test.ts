import { expect, test } from 'vitest';
import { tableFromText } from './table-text.ts';

test.each([
  ['cells', 'PV\tValue\r\nSR:RF{Cav:2}\t9.8 kW\r\n', '| PV | Value |\n| --- | --- |\n| SR:RF{Cav:2} | 9.8 kW |'],
  ['an empty cell', 'a\tb\n\t2', '| a | b |\n| --- | --- |\n|  | 2 |'],
  ['a cell of two lines', 'a\tb\n"1\n""2"""\tc', '| a | b |\n| --- | --- |\n| 1 "2" | c |'],
  ['signs of a table', 'a|b\tc\n1\t*', '| a\\|b | c |\n| --- | --- |\n| 1 | \\* |'],
])('%s become a table', (_name, text, table) => {
  expect(tableFromText(text)).toBe(table);
});

test.each([
  ['a line', 'a\tb'],
  ['indented lines', '\tif (a)\n\tb();'],
  ['lines with different numbers of tabs', 'a\tb\nc'],
  ['text without tabs', 'a\nb'],
  ['a table that is too long to read', 'a\tb\n'.repeat(10_000)],
])('%s stays text', (_name, text) => {
  expect(tableFromText(text)).toBeUndefined();
});
