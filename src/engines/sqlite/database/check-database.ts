import { Fault } from '../../../kernel/fault.js';
import { openDatabase } from './open-database.js';
import { describeError } from './sqlite-errors.js';

const maxProblems = 10;

/**
 * Checks the pages of a database, table by table with their indexes; returns the problems found.
 * @throws Fault of the kind `full` when the disk lacks the space that a reader needs
 * @param check `integrity_check` also compares the indexes with their tables
 */
export async function checkDatabase(
  file: string,
  check: 'quick_check' | 'integrity_check' = 'quick_check',
): Promise<string[]> {
  const problems: string[] = [];
  const connection = await openDatabase(file, 'reader');
  try {
    // The connection is used only once; with the default cache size, it would use far more memory.
    connection.exec('PRAGMA cache_size = -2048');
    const tables = connection.all<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'");
    for (const { name } of tables) {
      const rows = connection.all<Record<string, string>>(`PRAGMA ${check}("${name.replaceAll('"', '""')}")`);
      problems.push(...rows.map((row) => row[check] ?? '').filter((row) => row !== 'ok'));
      if (problems.length >= maxProblems) break;
    }
  } catch (error) {
    // A full disk says nothing about the pages.
    if (!(error instanceof Fault) || error.cause === undefined || error.kind === 'full') throw error;
    problems.push(describeError(error.cause));
  } finally {
    connection.close();
  }
  return problems.slice(0, maxProblems);
}
