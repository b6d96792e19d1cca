import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { run } from './run.mjs';

/** Files of a package in addition to the program: source, path in the package, mode. */
const files = [
  ['deploy/debian/logbook', 'usr/bin/logbook', 0o755],
  ['deploy/systemd/logbook.service', 'usr/lib/systemd/system/logbook.service', 0o644],
  ['deploy/systemd/logbook.socket', 'usr/lib/systemd/system/logbook.socket', 0o644],
  ['deploy/systemd/logbook-tls.socket', 'usr/lib/systemd/system/logbook-tls.socket', 0o644],
  ['deploy/systemd/logbook-migrate.service', 'usr/lib/systemd/system/logbook-migrate.service', 0o644],
  ['deploy/logbook.properties', 'usr/share/doc/logbook/examples/logbook.properties', 0o644],
  ['LICENSE', 'usr/share/doc/logbook/copyright', 0o644],
  ['dist/share/man/man1/logbook.1', 'usr/share/man/man1/logbook.1', 0o644],
  ['dist/share/bash-completion/logbook', 'usr/share/bash-completion/completions/logbook', 0o644],
  ['dist/share/zsh/_logbook', 'usr/share/zsh/site-functions/_logbook', 0o644],
];

/**
 * Lays out the files of the packages as they are installed: the program with its dependencies and its runtime for an
 * architecture, the command, the units, the manual page and the completions. Returns the folder, and the npm package of
 * the runtime.
 */
export function stage(archive, root, { arch, epoch }) {
  const program = join(root, 'usr', 'lib', 'logbook');
  const platform = ['--os=linux', `--cpu=${arch}`, '--libc=glibc'];
  unpack(archive, program, platform);
  removeUnused(join(program, 'node_modules'), `linux-${arch}`);
  const node = addRuntime(program, platform, `node-linux-${arch}`);
  requireArchitecture(program, arch);
  for (const [from, to, mode] of files) {
    cpSync(from, join(root, to));
    chmodSync(join(root, to), mode);
  }
  run('gzip', ['-9n', join(root, 'usr/share/man/man1/logbook.1')]);
  mkdirSync(join(root, 'etc', 'logbook'), { recursive: true });
  run('chmod', ['-R', 'u=rwX,go=rX', root]);
  chmodSync(join(root, 'etc', 'logbook'), 0o750);
  setTimes(root, epoch);
  return { root, node };
}

/** Gives all files the time of the commit. */
export function setTimes(root, epoch) {
  run('find', [root, '-exec', 'touch', '--no-dereference', '--date', `@${epoch}`, '{}', '+']);
}

/** Unpacks the npm package and installs its dependencies. */
function unpack(archive, folder, platform) {
  mkdirSync(folder, { recursive: true });
  run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
  for (const file of ['package-lock.json', 'web/package.json']) cpSync(file, join(folder, file));
  installPackages(folder, ['--omit=dev', ...platform]);
  for (const file of ['package-lock.json', 'web', 'node_modules/.package-lock.json', 'node_modules/web']) {
    rmSync(join(folder, file), { recursive: true, force: true });
  }
}

/** Removes the compiled code for other platforms, and types and source maps, which only developers use. */
function removeUnused(modules, platform) {
  for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isForeign = basename(entry.parentPath) === 'prebuilds' && entry.name !== platform;
    if (isForeign || (entry.isFile() && /[.](d[.][cm]?ts|map)$/.test(entry.name)))
      rmSync(path, { recursive: true, force: true });
  }
}

/** Number of each architecture in compiled code (`e_machine` of ELF). */
const machines = { x64: 62, arm64: 183 };

/** @throws Error when compiled code is for another architecture, which only a machine with `arch` would reveal */
function requireArchitecture(program, arch) {
  for (const entry of readdirSync(program, { recursive: true, withFileTypes: true })) {
    const isCompiled = /^node$|[.]node$|[.]so([.]|$)/.test(entry.name) && entry.name !== 'LICENSE.node';
    if (!entry.isFile() || !isCompiled) continue;
    const file = join(entry.parentPath, entry.name);
    const header = readFileSync(file).subarray(0, 20);
    const isElf = header.length === 20 && header.readUInt32BE(0) === 0x7f454c46;
    if (isElf && header.readUInt16LE(18) === machines[arch]) continue;
    throw new Error(`${file} is not compiled for ${arch}`);
  }
}

/** Adds the Node.js whose version and checksum are in `deploy/runtime/`. */
function addRuntime(program, platform, name) {
  const folder = join(program, 'runtime');
  mkdirSync(folder);
  for (const file of ['package.json', 'package-lock.json']) cpSync(join('deploy', 'runtime', file), join(folder, file));
  installPackages(folder, platform);
  const source = join(folder, 'node_modules', name);
  const { version } = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8'));
  mkdirSync(join(program, 'bin'));
  cpSync(join(source, 'bin', 'node'), join(program, 'bin', 'node'));
  cpSync(join(source, 'LICENSE'), join(program, 'bin', 'LICENSE.node'));
  rmSync(folder, { recursive: true });
  return { name, version };
}

function installPackages(cwd, options) {
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...options], { cwd });
}
