// Prints what failed, and at the end one line, `N passed, N failed`, from what test runs left in a directory: for each a report of
// Vitest, NAME.json, NAME.errors with the errors from outside of all tests, and a file NAME.failed when the runner ended
// with an error; or a report of JUnit, NAME.xml.
// A run that failed without a failed test counts as one failure. The exit code is 1 when anything failed.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, parse, relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

const maxMessageLines = 60;
const [dir] = process.argv.slice(2);
let passed = 0;
let failed = 0;

function read(name) {
  const file = join(dir, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function countFailure(run, file, name, message) {
  failed += 1;
  const lines = stripVTControlCharacters(message).split('\n').slice(0, maxMessageLines);
  process.stdout.write(
    `FAILED in ${run}: ${relative('.', file)} > ${name}\n${lines.map((line) => `    ${line}`).join('\n')}\n`,
  );
}

function countFile(run, { name, message, status, assertionResults }) {
  passed += assertionResults.filter((test) => test.status === 'passed').length;
  const failedTests = assertionResults.filter((test) => test.status === 'failed');
  for (const { fullName, failureMessages } of failedTests)
    countFailure(run, name, fullName, failureMessages.join('\n'));
  // Nothing of it ran, or a hook failed: the tests of its suite did not run then.
  if (status === 'failed' && failedTests.length === 0)
    countFailure(
      run,
      name,
      'the file itself',
      message || 'A hook of a suite failed; the output of the run says which.',
    );
}

/** Counts the tests of a JUnit report; skipped ones do not count. */
function countJunit(run, report) {
  for (const [test, attributes = '', body = ''] of report.matchAll(
    /<testcase\b([^>]*?)(?:\/>|>([\s\S]*?)<\/testcase>)/g,
  )) {
    if (/<skipped\b/.test(body)) continue;
    const [, name = test] = / name="([^"]*)"/.exec(attributes) ?? [];
    if (/<(?:failure|error)\b/.test(body)) countFailure(run, '.', name, body);
    else passed += 1;
  }
}

const files = readdirSync(dir).filter((file) => /[.](json|xml|failed)$/.test(file));
for (const run of new Set(files.map((file) => parse(file).name))) {
  const before = failed;
  for (const file of JSON.parse(read(`${run}.json`) ?? '{"testResults":[]}').testResults) countFile(run, file);
  countJunit(run, read(`${run}.xml`) ?? '');
  for (const error of JSON.parse(read(`${run}.errors`) ?? '[]')) countFailure(run, '.', 'outside of all tests', error);
  if (files.includes(`${run}.failed`) && failed === before) {
    failed += 1;
    process.stdout.write(`FAILED: the runner of ${run} ended with an error, with no failed test\n`);
  }
}
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed > 0 ? 1 : 0;
