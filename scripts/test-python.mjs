// Runs the tests of the Python client, in an environment of its own in the cache. pytest gets the other arguments.
//   node scripts/test-python.mjs [--prepare] [--junitxml=FILE] …
// --prepare only makes the environment. If Python is missing or a package cannot be installed, the tests are skipped,
// and the output says why.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

const folder = join('clients', 'python');
const [required, ...optional] = ['requirements.txt', 'requirements-examples.txt', 'requirements-archiver.txt'].map(
  (name) => join(folder, 'tests', name),
);
const cache = process.env.LOGBOOK_TEST_CACHE ?? join(homedir(), '.cache', 'logbook-test');

function run(command, args, options = {}) {
  return spawnSync(command, args, { stdio: 'inherit', ...options }).status === 0;
}

function skip(reason) {
  process.stdout.write(`The tests of the client in Python are skipped: ${reason}\n`);
  // The workflow must not skip tests.
  process.exit(process.env.GITHUB_ACTIONS ? 1 : 0);
}

/** Returns the version of a Python that can make environments; undefined if there is none. */
function findPython() {
  const script = 'import ensurepip, sys, venv; assert sys.version_info >= (3, 9); print(sys.version)';
  const { status, stdout } = spawnSync('python3', ['-c', script], { encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}

/** Makes the environment. It gets its name at the end, so that an interrupted installation does not look complete. */
function makeEnvironment(target) {
  mkdirSync(cache, { recursive: true });
  for (const name of readdirSync(cache)) {
    if (name.startsWith('python-client-')) rmSync(join(cache, name), { recursive: true, force: true });
  }
  const part = mkdtempSync(join(cache, 'part-'));
  const python = join(part, 'bin', 'python');
  const install = (file, timeout) =>
    run(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '-r', file], { timeout });
  try {
    if (!run('python3', ['-m', 'venv', part]) || !install(required, 600_000)) return false;
    for (const file of optional) {
      if (!install(file, 300_000)) process.stdout.write(`The libraries in ${file} could not be installed.\n`);
    }
    renameSync(part, target);
    return true;
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

const version = findPython();
if (version === undefined) skip('python3 3.9 or later with venv is missing.');
const hash = createHash('sha256').update(version);
for (const file of [required, ...optional]) hash.update(readFileSync(file));
const environment = join(cache, `python-client-${hash.digest('hex').slice(0, 16)}`);
if (!existsSync(environment) && !makeEnvironment(environment)) skip('pip could not install the packages (see above).');
const args = process.argv.slice(2).filter((arg) => arg !== '--prepare');
if (!process.argv.includes('--prepare')) {
  const env = {
    ...process.env,
    PYTHONPATH: resolve(folder, 'src'),
    // Compiled files make commands start faster.
    PYTHONDONTWRITEBYTECODE: '',
    MYPY_CACHE: join(environment, 'mypy'),
  };
  const passed = run(join(environment, 'bin', 'python'), ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', ...args], {
    cwd: folder,
    env,
  });
  process.exitCode = passed ? 0 : 1;
}
