// Runs a program of tools/ with the arguments that follow its name. If there is no name, only checks that the tools are
// installed.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const modules = join(import.meta.dirname, '..', 'tools', 'node_modules');
const [name, ...args] = process.argv.slice(2);

if (!existsSync(modules)) {
  process.stderr.write('The tools are not installed: run “npm ci --prefix tools”.\n');
  process.exitCode = 1;
} else if (name !== undefined) {
  const { bin } = JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8'));
  const { status } = spawnSync(process.execPath, [join(modules, name, bin[name]), ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}
