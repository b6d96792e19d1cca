import { rowChecksum } from '../kernel/row-checksum.js';
import { type BackupTable, describeRow, type Row } from './backup-tables.js';
import { type DataFinding, problem } from './data-finding.js';

const advice: Readonly<Record<string, string>> = {
  file_text: 'No action is needed: the running service extracts it again from the file.',
  change: 'No entry is lost. Compare what receivers of changes have with the entries.',
};

/** Finds altered rows of a table by their checksums. */
export class RowCheck {
  private readonly checked: readonly number[];
  private readonly crc: number;

  constructor(private readonly table: BackupTable) {
    this.checked = table.checked.map((column) => table.columns.indexOf(column));
    this.crc = table.columns.indexOf('crc');
  }

  /** Returns a finding for a damaged row; undefined when it matches its checksum or has none. */
  findDefect(row: Row): DataFinding | undefined {
    if (this.checked.length === 0) return undefined;
    const crc = row[this.crc];
    // An earlier version, which recorded no checksum, stored the row.
    if (crc === null || crc === undefined) return undefined;
    if (rowChecksum(this.checked.map((column) => row[column] ?? null)) === crc) return undefined;
    return problem(
      describeRow(this.table, row),
      'what is stored does not match its checksum',
      advice[this.table.name] ??
        'Restore the newest backup in which it is intact, or do without it: all others are unaffected.',
    );
  }
}
