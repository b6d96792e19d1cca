import { type BackupTable, backupTables, columnReader, describeRow, foreignKeys, type Row } from './backup-tables.js';
import { type DataFinding, type OnFinding, problem } from './data-finding.js';
import { type DocumentSnapshot, feedGap } from './document-snapshot.port.js';

export const copyAgain = 'Copy again, while nothing is written';

/**
 * Compares a logbook and its copy without their files, row by row, and reports the first difference of each table. The
 * numbers of writes may differ, but not their order. Future rows must get numbers above all assigned ones.
 * @returns the number of compared rows
 * @throws the reason of `signal`
 */
export async function compareDocuments(
  original: DocumentSnapshot,
  copy: DocumentSnapshot,
  onFinding: OnFinding,
  signal: AbortSignal,
): Promise<number> {
  const numbers = new NextNumbers(await copy.nextNumbers());
  numbers.noteGiven('entry.id', original.highestEntryId);
  numbers.noteGiven('change.sequence', original.feedPosition + feedGap);
  let compared = 0;
  for (const table of backupTables) {
    const copies = numbers.noteRows(table, rowsOf(copy, table));
    compared += await compareTable(table, [rowsOf(original, table), copies], onFinding, signal);
  }
  await compareOrder(original, copy, onFinding, signal);
  numbers.report(onFinding);
  return compared;
}

async function compareTable(
  table: BackupTable,
  [originals, copies]: readonly [AsyncIterator<Row>, AsyncIterator<Row>],
  onFinding: OnFinding,
  signal: AbortSignal,
): Promise<number> {
  for (let compared = 0; ; compared += 1) {
    signal.throwIfAborted();
    const [mine, its] = await Promise.all([nextOf(originals), nextOf(copies)]);
    if (mine === undefined && its === undefined) return compared;
    if (mine && its && JSON.stringify(comparable(table, mine)) === JSON.stringify(comparable(table, its))) continue;
    onFinding(differenceOf(table, mine, its));
    return compared + 1;
  }
}

/** Returns the difference between two rows, at least one of which exists. */
function differenceOf(table: BackupTable, mine: Row | undefined, its: Row | undefined): DataFinding {
  const order = mine && its ? compareKeys(table, mine, its) : mine ? -1 : 1;
  const row = describeRow(table, (order > 0 ? its : mine) ?? []);
  const what = order === 0 ? 'it differs' : order < 0 ? 'the copy lacks it' : 'only the copy has it';
  return problem(row, what, copyAgain);
}

/** Compares two rows by their keys; the result is negative if `one` comes first. */
function compareKeys({ key }: BackupTable, one: Row, other: Row): number {
  for (const at of key.keys()) {
    const [value, otherValue] = [one[at] ?? '', other[at] ?? ''];
    if (value !== otherValue) return value < otherValue ? -1 : 1;
  }
  return 0;
}

/** Yields the rows of a table, without those that belong to the engine rather than to the logbook. */
async function* rowsOf(snapshot: DocumentSnapshot, table: BackupTable): AsyncGenerator<Row, undefined> {
  for await (const rows of snapshot.rows(table)) {
    for (const row of rows) if (table.name !== 'store' || !foreignKeys.has(row[0])) yield row;
  }
}

async function nextOf<T>(items: AsyncIterator<T, unknown>): Promise<T | undefined> {
  const { value, done } = await items.next();
  return done ? undefined : (value as T);
}

function comparable(table: BackupTable, row: Row): Row {
  return table.name === 'entry' ? row.toSpliced(table.columns.indexOf('write'), 1) : row;
}

async function compareOrder(
  original: DocumentSnapshot,
  copy: DocumentSnapshot,
  onFinding: OnFinding,
  signal: AbortSignal,
): Promise<void> {
  const [originals, copies] = [idsOf(original), idsOf(copy)];
  for (;;) {
    signal.throwIfAborted();
    const [mine, its] = await Promise.all([nextOf(originals), nextOf(copies)]);
    if (mine !== its) onFinding(problem('entries', 'the order in which they were written differs', copyAgain));
    if (mine !== its || mine === undefined) return;
  }
}

async function* idsOf(snapshot: DocumentSnapshot): AsyncGenerator<number, undefined> {
  for await (const ids of snapshot.idsInWriteOrder()) yield* ids;
}

/** Compares the numbers of future rows with the numbers that were assigned. */
class NextNumbers {
  private readonly given = new Map<string, number>();

  constructor(private readonly next: Readonly<Record<string, number>>) {}

  noteGiven(column: string, number: number): void {
    this.given.set(column, Math.max(this.given.get(column) ?? 0, number));
  }

  async *noteRows(table: BackupTable, rows: AsyncIterable<Row>): AsyncGenerator<Row, undefined> {
    const columns = table.columns.filter((column) => `${table.name}.${column}` in this.next);
    const readers = columns.map((column) => [`${table.name}.${column}`, columnReader(table, column)] as const);
    for await (const row of rows) {
      for (const [name, read] of readers) this.noteGiven(name, Number(read(row)));
      yield row;
    }
  }

  report(onFinding: OnFinding): void {
    for (const [column, next] of Object.entries(this.next)) {
      const given = this.given.get(column) ?? -1;
      if (next > given) continue;
      const what = `it would be ${next}, but must be above ${given}`;
      onFinding(problem(`the next number in the column ${column}`, what, copyAgain));
    }
  }
}
