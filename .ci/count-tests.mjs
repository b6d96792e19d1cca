// Prints what failed, or passed only at the second attempt, and at the end one line, `N passed, N failed`, from what test runs left in a directory: for each a
// report of Vitest, NAME.json, NAME.errors with the number of errors from outside of all tests, a file NAME.failed when the runner ended with an error, and
// NAME.again.json and NAME.again.errors of the second attempt at the files that failed then.
// A run that failed without a failed test counts as one failure. The exit code is 1 when anything failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, parse, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { hasFailed, readReport } from './test-reports.mjs';

const maxMessageLines = 60;
const [dir] = process.argv.slice(2);
let passed = 0;
let failed = 0;

function print(outcome, run, file, name, message) {
  const lines = stripVTControlCharacters(message).split('\n').slice(0, maxMessageLines);
  process.stdout.write(
    `${outcome} in ${run}: ${relative('.', file)} > ${name}\n${lines.map((line) => `    ${line}`).join('\n')}\n`,
  );
}

const namesOf = (file, wanted) =>
  (file?.assertionResults ?? []).filter(({ status }) => status === wanted).map(({ fullName }) => fullName);

/** Counts the tests of a file; `again`: what the second attempt found in it, if there was one. */
function countFile(run, file, again) {
  const { name, message, assertionResults } = file;
  const failedTests = assertionResults.filter(({ status }) => status === 'failed');
  const failedAgain = new Set(namesOf(again, 'failed'));
  const passedAgain = new Set(namesOf(again, 'passed').filter((one) => !failedAgain.has(one)));
  passed += namesOf(file, 'passed').length;
  for (const { fullName, failureMessages } of failedTests) {
    const isPassed = passedAgain.has(fullName);
    passed += isPassed ? 1 : 0;
    failed += isPassed ? 0 : 1;
    print(isPassed ? 'PASSED AT THE SECOND ATTEMPT' : 'FAILED', run, name, fullName, failureMessages.join('\n'));
  }
  if (failedTests.length > 0 || !hasFailed(file)) {
    // A hook after the tests, which has no result of its own.
    if (again && hasFailed(again) && failedAgain.size === 0) countHooks(run, name, again.message);
    return;
  }
  // Nothing of it ran, or a hook failed: the tests of its suite did not run then.
  const isPassed = again !== undefined && !hasFailed(again) && passedAgain.size > 0;
  if (!isPassed) return countHooks(run, name, message);
  passed += passedAgain.size - namesOf(file, 'passed').length;
  print('PASSED AT THE SECOND ATTEMPT', run, name, 'the file itself', message || hookFailed);
}

const hookFailed = 'A hook of a suite failed; the output of the run says which.';

function countHooks(run, name, message) {
  failed += 1;
  print('FAILED', run, name, 'the file itself', message || hookFailed);
}

/** Errors from outside of all tests, in the first or second attempt. */
function countErrors(run) {
  for (const file of [`${run}.errors`, `${run}.again.errors`]) {
    const count = existsSync(join(dir, file)) ? Number(readFileSync(join(dir, file), 'utf8')) : 0;
    if (count === 0) continue;
    failed += count;
    process.stdout.write(`FAILED: ${count} errors of ${run} came from outside of all tests; its output has them\n`);
  }
}

const files = readdirSync(dir).filter((file) => /[.](json|failed)$/.test(file) && !file.endsWith('.again.json'));
for (const run of new Set(files.map((file) => parse(file).name))) {
  const report = readReport(join(dir, `${run}.json`));
  const again = readReport(join(dir, `${run}.again.json`));
  for (const file of report?.testResults ?? []) {
    countFile(
      run,
      file,
      again?.testResults.find(({ name }) => name === file.name),
    );
  }
  const before = failed;
  countErrors(run);
  if (files.includes(`${run}.failed`) && failed === before && !report?.testResults.some(hasFailed)) {
    failed += 1;
    process.stdout.write(`FAILED: the runner of ${run} ended with an error, with no failed test\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
