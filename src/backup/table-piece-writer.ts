import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { BackupTable, Row } from './backup-tables.js';
import { encodeRow } from './row-lines.js';

export interface TablePiece {
  readonly table: string;
  readonly checksum: string;
  /** Bytes. */
  readonly size: number;
  readonly rows: number;
  /** The keys of its first and its last row. */
  readonly first: Row;
  readonly last: Row;
}

/** Approximate number of rows of a piece. */
const rowsPerPiece = 1_024;
const maxPieceChars = 4_194_304;

/**
 * Cuts the rows of a table into pieces. Where a piece ends depends on the key of its last row alone, unless rows are long:
 * a row that was added or changed since an earlier backup changes its own piece, and the others are shared.
 */
export class TablePieceWriter {
  private lines: string[] = [];
  private chars = 0;
  private first: Row | undefined;

  constructor(
    private readonly table: BackupTable,
    private readonly onPiece: (piece: TablePiece, content: Buffer) => void,
  ) {}

  add(row: Row): void {
    const key = row.slice(0, this.table.key.length);
    this.first ??= key;
    const line = encodeRow(row);
    this.lines.push(line);
    this.chars += line.length;
    if (this.chars >= maxPieceChars || crc32(JSON.stringify(key)) % rowsPerPiece === 0) this.end(key);
    else this.last = key;
  }

  private last: Row = [];

  /** Ends the piece that is begun. */
  close(): void {
    if (this.lines.length > 0) this.end(this.last);
  }

  private end(last: Row): void {
    const content = Buffer.from(this.lines.join(''));
    const checksum = createHash('sha256').update(content).digest('hex');
    const { length: rows } = this.lines;
    this.onPiece(
      { table: this.table.name, checksum, size: content.length, rows, first: this.first ?? [], last },
      content,
    );
    this.lines = [];
    this.chars = 0;
    this.first = undefined;
  }
}
