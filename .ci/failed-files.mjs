// Prints the test files of a report of Vitest in which something failed, one per line, from the present directory.
import { relative } from 'node:path';
import { hasFailed, readReport } from './test-reports.mjs';

for (const { name } of (readReport(process.argv[2])?.testResults ?? []).filter(hasFailed)) {
  process.stdout.write(`${relative('.', name)}\n`);
}
