import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { getTable, type Row } from './backup-tables.js';
import { decodeRow, encodeRow } from './row-lines.js';
import { type TablePiece, TablePieceWriter } from './table-piece-writer.js';

const table = getTable('archived_entry');

function piecesOf(rows: readonly Row[]): TablePiece[] {
  const pieces: TablePiece[] = [];
  const writer = new TablePieceWriter(table, (piece) => pieces.push(piece));
  for (const row of rows) writer.add(row);
  writer.close();
  return pieces;
}

const rows = Array.from({ length: 20_000 }, (_, at): Row => [at + 1, 1, `{"id":${at + 1}}`, 7]);

test('a row that is inserted, changed or removed changes one piece, and all others are shared', () => {
  const before = new Set(piecesOf(rows).map(({ checksum }) => checksum));
  expect(before.size).toBeGreaterThan(5);
  for (const changed of [
    rows.toSpliced(9_000, 0, [9_000, 2, '{}', 7]),
    rows.toSpliced(9_000, 1, [9_001, 1, '{}', 7]),
    rows.toSpliced(9_000, 1),
  ]) {
    const after = piecesOf(changed);
    expect(after.filter(({ checksum }) => !before.has(checksum))).toHaveLength(1);
    expect(after.reduce((sum, piece) => sum + piece.rows, 0)).toBe(changed.length);
  }
});

test('long rows end a piece before it becomes large', () => {
  const long = Array.from({ length: 20 }, (_, at): Row => [at + 1, 1, 'x'.repeat(1_000_000), 7]);
  expect(Math.max(...piecesOf(long).map(({ size }) => size))).toBeLessThan(6_000_000);
});

test('a line is decoded to the row that it was encoded from, and any altered character is noticed', () => {
  const row: Row = ['ü\n“\u2028"\\', null, 9_007_199_254_740_991, -1];
  const line = encodeRow(row).slice(0, -1);
  expect(decodeRow(line)).toEqual(row);
  for (let at = 0; at < line.length; at += 1) {
    const altered = `${line.slice(0, at)}${String.fromCharCode(line.charCodeAt(at) ^ 1)}${line.slice(at + 1)}`;
    expect(decodeRow(altered), altered).toBeUndefined();
  }
});

test.each(['null', '{}', '"x"', '7', '[1', ''])(
  'a line with the CRC of %s is damaged, because it has no row',
  (json) => {
    expect(decodeRow(`${crc32(json).toString(16).padStart(8, '0')} ${json}`)).toBeUndefined();
  },
);
