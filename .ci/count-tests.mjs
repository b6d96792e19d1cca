// Prints what failed, or passed only at the second attempt, and at the end one line, `N passed, N failed`, from what test runs left in a directory: for each a
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

function print(outcome, run, file, name, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, maxMessageLines);
  process.stdout.write(
    `${outcome} in ${run}: ${relative('.', file)} > ${name}\n${lines.map((line) => `    ${line}`).join('\n')}\n`,
  );
}

for (const run of new Set(files.map((file) => parse(file).name))) {
  const report = files.includes(`${run}.json`) ? JSON.parse(readFileSync(join(dir, `${run}.json`), 'utf8')) : undefined;
  passed += report?.numPassedTests ?? 0;
  failed += Math.max(report?.numFailedTests ?? 0, files.includes(`${run}.failed`) ? 1 : 0);
  for (const { name, message, assertionResults } of report?.testResults ?? []) {
    for (const { status, fullName, failureMessages } of assertionResults) {
      const text = failureMessages.join('\n');
      if (status === 'failed') print('FAILED', run, name, fullName, text);
      else if (status === 'passed' && text) print('PASSED AT THE SECOND ATTEMPT', run, name, fullName, text);
    }
    const hasFailedTest = assertionResults.some(({ status }) => status === 'failed');
    if (!hasFailedTest && message) print('FAILED', run, name, 'the file itself', message);
  }
  if (files.includes(`${run}.failed`) && !report?.numFailedTests) {
    process.stdout.write(`FAILED: the runner of ${run} ended with an error, with no failed test\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
