// Prints one line, `N passed, N failed`, from what test runs left in a directory: for each a report of Vitest, NAME.json,
// and a file NAME.failed when the runner ended with an error. A run that failed without a failed test counts as one
// failure. The exit code is 1 when anything failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse } from 'node:path';

const [dir] = process.argv.slice(2);
const files = readdirSync(dir).filter((file) => /[.](json|failed)$/.test(file));
let passed = 0;
let failed = 0;
for (const run of new Set(files.map((file) => parse(file).name))) {
  const report = files.includes(`${run}.json`) ? JSON.parse(readFileSync(join(dir, `${run}.json`), 'utf8')) : undefined;
  passed += report?.numPassedTests ?? 0;
  failed += Math.max(report?.numFailedTests ?? 0, files.includes(`${run}.failed`) ? 1 : 0);
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
