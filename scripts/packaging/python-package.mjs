import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { run } from './run.mjs';

/**
 * Makes the wheel and the source archive of the Python client, with the Python that the variable PYTHON names. If this
 * lacks the modules to build them, says so and makes nothing.
 */
export function makePythonPackages({ epoch, dir, target }) {
  const python = process.env.PYTHON ?? 'python3';
  const { status } = spawnSync(python, ['-c', 'import build, hatchling'], { stdio: 'ignore' });
  if (status !== 0) {
    process.stderr.write(`No packages for Python: ${python} lacks the modules build and hatchling (pip install).\n`);
    return;
  }
  const source = join('clients', 'python');
  const out = join(dir, 'python');
  const env = { ...process.env, SOURCE_DATE_EPOCH: String(epoch), PYTHONDONTWRITEBYTECODE: '1' };
  run(python, ['-m', 'build', '--no-isolation', '--outdir', out, source], { env });
  run('cp', ['-r', `${out}/.`, target]);
}
