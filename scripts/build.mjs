// Builds the program and, if the client has changed, the browser client at the same time; then the manual page. With
// --program, a checkout that was never built as a whole gets only the files that the service runs. They are the same as
// in a whole build, but tests, measurements and the check of types are left out.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import './remove-stale-output.mjs';

const hashFile = 'dist/web.hash';
// TypeScript compares the sources with those of its last build. Only one of these files exists, because both kinds of
// builds write the same output.
const wholeBuild = 'dist/.tsbuildinfo';
const programBuild = 'dist/.tsbuildinfo-program';
const isWhole = !process.argv.includes('--program') || existsSync(wholeBuild);

/** Hashes the sources of the client. */
function hashClient() {
  const hash = createHash('sha256').update(process.version);
  const files = ['package-lock.json', ...listFiles('web'), ...listFiles('packages')];
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(file));
  return hash.digest('hex');
}

function listFiles(folder) {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== 'node_modules')
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => (entry.isDirectory() ? listFiles(join(folder, entry.name)) : join(folder, entry.name)));
}

// The same for everyone who builds: with another NODE_ENV, the client would contain the development build of React.
const env = { ...process.env, NODE_ENV: 'production' };

function run(command, args, cwd = '.') {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [command, ...args], { stdio: ['ignore', 'inherit', 'inherit'], cwd, env });
    child.on('close', (code) => resolve(code ?? 1));
  });
}

async function buildClient() {
  const hash = hashClient();
  if (existsSync('dist/web/index.html') && existsSync(hashFile) && readFileSync(hashFile, 'utf8') === hash) return 0;
  rmSync(hashFile, { force: true });
  const code = await run(
    join(process.cwd(), 'node_modules', 'vite', 'bin', 'vite.js'),
    ['build', '--logLevel', 'warn'],
    'web',
  );
  if (code !== 0) return code;
  mkdirSync('dist', { recursive: true });
  writeFileSync(hashFile, hash);
  return 0;
}

if (isWhole) rmSync(programBuild, { force: true });
const project = isWhole ? 'tsconfig.json' : 'tsconfig.program.json';
const codes = await Promise.all([run('node_modules/typescript/bin/tsc', ['-p', project]), buildClient()]);
process.exitCode = Math.max(...codes);
// Writes the manual page and the completions here, because `ignore-scripts` keeps npm from doing so before it packs.
if (isWhole && process.exitCode === 0) process.exitCode = await run('dist/scripts/write-command-docs.js', []);
