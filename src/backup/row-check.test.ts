import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { getTable } from './backup-tables.js';
import { RowCheck } from './row-check.js';

const file = 'ab'.repeat(32);
const change = (crc: number | null | undefined, kind = 'created') => [
  17,
  kind,
  41,
  1,
  1,
  1_700_000_000_000,
  crc ?? null,
];
const changeCrc = crc32('created\n41\n1\n1\n1700000000000');

test.each([
  ['a document', 'template', ['t', 't', '{"title":"ä"}', crc32('{"title":"ä"}')]],
  ['an extracted text', 'file_text', [file, 'Ünïcode', null, crc32('Ünïcode\n')]],
  ['a reason', 'file_text', [file, '', 'is a bomb', crc32('\nis a bomb')]],
  ['a change', 'change', change(changeCrc)],
  ['a change of an earlier version', 'change', change(null)],
  ['a row of a backup from before there were checksums', 'file_text', [file, 'text', null]],
])('%s that is whole has no finding', (_, table, row) => {
  expect(new RowCheck(getTable(table)).findDefect(row)).toBeUndefined();
});

test.each([
  ['a document', 'template', ['t', 't', '{"title":"b"}', crc32('{"title":"a"}')], 'template t', /backup/],
  ['an extracted text', 'file_text', [file, 'texu', null, crc32('text\n')], `row ${file} of`, /extracts it again/],
  ['a reason', 'file_text', [file, '', 'is a bond', crc32('\nis a bomb')], `row ${file} of`, /extracts it again/],
  ['a change', 'change', change(changeCrc, 'edited'), 'row 17 of the table change', /No entry is lost/],
])('%s that was altered is a problem, with what to do', (_, table, row, subject, advice) => {
  expect(new RowCheck(getTable(table)).findDefect(row)).toMatchObject({
    subject: expect.stringContaining(subject),
    advice: expect.stringMatching(advice),
  });
});
