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
  /** Keys of the first and the last row. */
  readonly first: Row;
  readonly last: Row;
}

/** Average number of rows of a piece, unless rows are long. */
const rowsPerPiece = 1_024;
const maxPieceChars = 4_194_304;

/**
 * Divides the rows of a table into pieces. Unless rows are long, the end of a piece depends only on the key of its last
 * row, so that a row that was added or changed since an earlier backup changes only its own piece. The other pieces are
 * shared.
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

  /** Ends the last piece. */
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
