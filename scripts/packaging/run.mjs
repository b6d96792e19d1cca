import { execFileSync } from 'node:child_process';

/** Runs a program and returns its output. @throws Error that says which package has the program when it is missing */
export function run(command, args, options = {}) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
      maxBuffer: 1e8,
      ...options,
    });
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    const name = { rpmbuild: 'rpm (rpm-build on Red Hat)', 'dpkg-deb': 'dpkg' }[command] ?? command;
    throw new Error(`${command} is missing: install the package ${name}`);
  }
}
