import { crc32 } from 'node:zlib';
import { type BackupTable, describeRow, type Row } from './backup-tables.js';
import { type DataFinding, problem } from './data-finding.js';

/** Finds rows whose documents were altered. */
export class RowCheck {
  private readonly document: number;
  private readonly crc: number;

  constructor(private readonly table: BackupTable) {
    this.document = table.columns.indexOf('document');
    this.crc = table.columns.indexOf('crc');
  }

  /** Undefined when nothing shows that the row is damaged. */
  findDefect(row: Row): DataFinding | undefined {
    if (this.document < 0) return undefined;
    const crc = row[this.crc];
    // Stored by a version that recorded no checksum.
    if (crc === null || crc === undefined || crc32(String(row[this.document])) === crc) return undefined;
    return problem(
      describeRow(this.table, row),
      'the stored document does not match its checksum',
      'Restore the newest backup in which it is intact, or do without it: all others are unaffected.',
    );
  }
}
