// Prints what failed, or passed only at the second attempt, and at the end one line, `N passed, N failed`, from what test runs left in a directory: for each a
// report of Vitest, NAME.json, a file NAME.failed when the runner ended with an error, and NAME.again.json of the second attempt at the files that failed then.
// A run that failed without a failed test counts as one failure. The exit code is 1 when anything failed.
import { readdirSync } from 'node:fs';
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

const passedTests = ({ assertionResults }) => assertionResults.filter(({ status }) => status === 'passed');

/** Counts the tests of a file; `again`: what the second attempt found in it, if there was one. */
function countFile(run, { name, message, assertionResults }, again) {
  const tests = assertionResults.filter(({ status }) => status === 'failed');
  const passedAgain = new Set(again && passedTests(again).map(({ fullName }) => fullName));
  passed += passedTests({ assertionResults }).length;
  for (const { fullName, failureMessages } of tests) {
    const isPassed = passedAgain.has(fullName);
    passed += isPassed ? 1 : 0;
    failed += isPassed ? 0 : 1;
    print(isPassed ? 'PASSED AT THE SECOND ATTEMPT' : 'FAILED', run, name, fullName, failureMessages.join('\n'));
  }
  if (tests.length > 0 || !message) return;
  // Nothing of it ran, or something failed before or after its tests.
  const isPassed = again !== undefined && !hasFailed(again);
  passed += isPassed ? passedAgain.size - passedTests({ assertionResults }).length : 0;
  failed += isPassed ? 0 : 1;
  print(isPassed ? 'PASSED AT THE SECOND ATTEMPT' : 'FAILED', run, name, 'the file itself', message);
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
  if (files.includes(`${run}.failed`) && !report?.testResults.some(hasFailed)) {
    failed += 1;
    process.stdout.write(`FAILED: the runner of ${run} ended with an error, with no failed test\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
