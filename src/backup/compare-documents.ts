import { type BackupTable, backupTables, describeRow, type Row } from './backup-tables.js';
import { type OnFinding, problem } from './data-finding.js';
import type { DocumentSnapshot } from './document-snapshot.port.js';

/** In the table `store`: all else is what an engine continues by itself. */
const comparedKeys = new Set(['id', 'feed_secret']);

/**
 * Compares everything that two logbooks store beside their files, row by row, and reports the first difference of each
 * table. The numbers of writes may differ; the order of the writes may not.
 * @returns how many rows were compared
 * @throws the reason of `signal`
 */
export async function compareDocuments(
  one: DocumentSnapshot,
  other: DocumentSnapshot,
  onFinding: OnFinding,
  signal: AbortSignal,
): Promise<number> {
  let compared = 0;
  for (const table of backupTables) {
    const [ours, theirs] = [new Rows(one, table), new Rows(other, table)];
    for (;;) {
      signal.throwIfAborted();
      const [mine, its] = await Promise.all([ours.next(), theirs.next()]);
      if (mine === undefined && its === undefined) break;
      compared += 1;
      if (mine && its && JSON.stringify(comparable(table, mine)) === JSON.stringify(comparable(table, its))) continue;
      const row = describeRow(table, mine ?? its ?? []);
      onFinding(problem(row, mine ? (its ? 'it differs' : 'the copy lacks it') : 'only the copy has it', copyAgain));
      break;
    }
    if (table.name === 'entry' && ours.orderOfWrites() !== theirs.orderOfWrites()) {
      onFinding(problem('entries', 'the order in which they were written differs', copyAgain));
    }
  }
  return compared;
}

const copyAgain = 'Copy again into an empty place, while nothing is written';

/** The rows of a table, one after the other. */
class Rows {
  private readonly batches: AsyncIterator<readonly Row[]>;
  private batch: readonly Row[] = [];
  private at = 0;
  private readonly writes: [write: number, id: number][] = [];

  constructor(
    snapshot: DocumentSnapshot,
    private readonly table: BackupTable,
  ) {
    this.batches = snapshot.rows(table)[Symbol.asyncIterator]();
  }

  async next(): Promise<Row | undefined> {
    for (;;) {
      while (this.at >= this.batch.length) {
        const { value, done } = await this.batches.next();
        if (done) return undefined;
        this.batch = value;
        this.at = 0;
      }
      const row = this.batch[this.at++] as Row;
      if (this.table.name === 'store' && !comparedKeys.has(String(row[0]))) continue;
      if (this.table.name === 'entry') this.writes.push([Number(row[writeColumn(this.table)]), Number(row[0])]);
      return row;
    }
  }

  /** The ids of the entries that were read, from the one written first on. */
  orderOfWrites(): string {
    this.writes.sort(([write, id], [otherWrite, otherId]) => write - otherWrite || id - otherId);
    return this.writes.map(([, id]) => id).join();
  }
}

const writeColumn = ({ columns }: BackupTable): number => columns.indexOf('write');

function comparable(table: BackupTable, row: Row): Row {
  return table.name === 'entry' ? row.toSpliced(writeColumn(table), 1) : row;
}
