// Prints what failed, and at the end one line, `N passed, N failed`, from what test runs left in a directory: for each a
// report of Vitest, NAME.json, and a file NAME.failed when the runner ended with an error. A run that failed without a
// failed test counts as one failure. The exit code is 1 when anything failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join, parse, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const maxMessageLines = 30;
const [dir] = process.argv.slice(2);
const files = readdirSync(dir).filter((file) => /[.](json|failed)$/.test(file));
let passed = 0;
let failed = 0;

function printFailure(run, file, name, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, maxMessageLines);
  process.stdout.write(
    `FAILED in ${run}: ${relative('.', file)} > ${name}\n${lines.map((line) => `    ${line}`).join('\n')}\n`,
  );
}

for (const run of new Set(files.map((file) => parse(file).name))) {
  const report = files.includes(`${run}.json`) ? JSON.parse(readFileSync(join(dir, `${run}.json`), 'utf8')) : undefined;
  passed += report?.numPassedTests ?? 0;
  failed += Math.max(report?.numFailedTests ?? 0, files.includes(`${run}.failed`) ? 1 : 0);
  for (const { name, message, assertionResults } of report?.testResults ?? []) {
    const tests = assertionResults.filter((test) => test.status === 'failed');
    for (const test of tests) printFailure(run, name, test.fullName, test.failureMessages.join('\n'));
    if (tests.length === 0 && message) printFailure(run, name, 'the file itself', message);
  }
  if (files.includes(`${run}.failed`) && !report?.numFailedTests) {
    process.stdout.write(`FAILED: the runner of ${run} ended with an error, with no failed test\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
