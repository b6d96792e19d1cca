import { type BackupTable, backupTables, columnReader, describeRow, foreignKeys, type Row } from './backup-tables.js';
import { type OnFinding, problem } from './data-finding.js';
import { type DocumentSnapshot, feedGap } from './document-snapshot.port.js';

export const copyAgain = 'Copy again, while nothing is written';

/**
 * Compares everything that a logbook and its copy store beside their files, row by row, and reports the first difference
 * of each table. The numbers of writes may differ; the order of the writes may not. What is written next must get numbers
 * above all that were given.
 * @returns how many rows were compared
 * @throws the reason of `signal`
 */
export async function compareDocuments(
  original: DocumentSnapshot,
  copy: DocumentSnapshot,
  onFinding: OnFinding,
  signal: AbortSignal,
): Promise<number> {
  const highest = new HighestNumbers(await copy.nextNumbers());
  let compared = 0;
  for (const table of backupTables) {
    const theirs = highest.note(table, rowsOf(copy, table));
    compared += await compareTable(table, [rowsOf(original, table), theirs], onFinding, signal);
  }
  await compareOrder(original, copy, onFinding, signal);
  highest.report(onFinding);
  await compareNumbers(original, copy, onFinding);
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
    const row = describeRow(table, mine ?? its ?? []);
    onFinding(problem(row, mine ? (its ? 'it differs' : 'the copy lacks it') : 'only the copy has it', copyAgain));
    return compared + 1;
  }
}

/** The rows of a table without what an engine has for itself. */
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

/** Compares what no row shows: above which numbers both go on. */
async function compareNumbers(original: DocumentSnapshot, copy: DocumentSnapshot, onFinding: OnFinding): Promise<void> {
  const next = await copy.nextNumbers();
  reportBelow('entry.id', next['entry.id'] ?? 0, original.highestEntryId, onFinding);
  reportBelow('change.sequence', next['change.sequence'] ?? 0, original.feedPosition + feedGap, onFinding);
}

function reportBelow(column: string, next: number, given: number, onFinding: OnFinding): void {
  if (next > given) return;
  const what = `it would be ${next}, but must be above ${given}`;
  onFinding(problem(`the next number in the column ${column}`, what, copyAgain));
}

/** The highest numbers in the columns whose next numbers are known. */
class HighestNumbers {
  private readonly highest = new Map<string, number>();

  constructor(private readonly next: Readonly<Record<string, number>>) {}

  /** Yields the rows of a table. */
  async *note(table: BackupTable, rows: AsyncIterable<Row>): AsyncGenerator<Row, undefined> {
    const columns = table.columns.filter((column) => `${table.name}.${column}` in this.next);
    const readers = columns.map((column) => [`${table.name}.${column}`, columnReader(table, column)] as const);
    for await (const row of rows) {
      for (const [name, read] of readers) {
        this.highest.set(name, Math.max(this.highest.get(name) ?? 0, Number(read(row))));
      }
      yield row;
    }
  }

  report(onFinding: OnFinding): void {
    for (const [name, highest] of this.highest) reportBelow(name, this.next[name] ?? 0, highest, onFinding);
  }
}
