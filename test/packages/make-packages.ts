import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { productDir } from '../../src/kernel/product.js';

const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';
const run = (command: string, ...args: string[]) =>
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });

/** Runs the release of a checkout; the compression is fast, and the time is given. */
export function makeRelease(checkout: string, out: string): void {
  execFileSync(process.execPath, ['scripts/release.mjs', '--out', out, '--compression', '1'], {
    cwd: checkout,
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export interface Packages {
  readonly debian: string;
  readonly nextDebian: string;
  readonly rpm: string;
  readonly nextRpm: string;
  /**
   * Packages in the layout of an earlier version: a conffile, and Node.js from another package. The second one ships
   * another configuration.
   */
  readonly earlier: readonly [string, string];
  /** A package with the name of Debian's Node.js. */
  readonly nodejs: string;
}

/** Makes packages of a next and of an earlier version from those of a release, in a directory. */
export async function derivePackages(release: string, version: string, dir: string): Promise<Packages> {
  const debian = join(release, `logbook_${version}_${architecture}.deb`);
  const rpm = join(release, `logbook-${version}-1.${architecture === 'arm64' ? 'aarch64' : 'x86_64'}.rpm`);
  const root = join(dir, 'next');
  run('dpkg-deb', '-R', debian, root);
  const setVersion = (folder: string, to: string) =>
    edit(join(folder, 'DEBIAN', 'control'), (text) => text.replace(/^Version: .*$/m, `Version: ${to}`));
  const next = version.replace(/\d+$/, (patch) => String(Number(patch) + 1));
  setVersion(root, next);
  const nextDebian = build(root, join(dir, `logbook_${next}.deb`));
  const nextRpm = await makeNextRpm(root, dir, next);
  const nodejs = makeNodePackage(root, dir);
  makeEarlier(root);
  setVersion(root, '0.0.8');
  const first = build(root, join(dir, 'logbook_0.0.8.deb'));
  setVersion(root, '0.0.9');
  edit(join(root, 'etc/logbook/logbook.properties'), (text) => `${text}\n# Another default.\n`);
  const earlier = [first, build(root, join(dir, 'logbook_0.0.9.deb'))] as const;
  rmSync(root, { recursive: true });
  return { debian, nextDebian, rpm, nextRpm, earlier, nodejs };
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}

function build(root: string, file: string): string {
  run('dpkg-deb', '--root-owner-group', '-Znone', '--build', root, file);
  return file;
}

async function makeNextRpm(root: string, dir: string, version: string): Promise<string> {
  const staged = join(dir, 'staged');
  run('cp', '-a', '--link', root, staged);
  rmSync(join(staged, 'DEBIAN'), { recursive: true });
  run('mv', join(staged, 'usr/share/zsh/vendor-completions'), join(staged, 'usr/share/zsh/site-functions'));
  const { makeRpm } = (await import(join(productDir, 'scripts/packaging/rpm-package.mjs'))) as {
    makeRpm(staged: string, release: object): string;
  };
  const release = { version, arch: process.arch, epoch: '1700000000', compression: '1', dir, target: dir };
  const file = makeRpm(staged, release);
  rmSync(staged, { recursive: true });
  return file;
}

function makeNodePackage(root: string, dir: string): string {
  const folder = join(dir, 'nodejs');
  mkdirSync(join(folder, 'usr/bin'), { recursive: true });
  mkdirSync(join(folder, 'DEBIAN'));
  cpSync(join(root, 'usr/lib/logbook/bin/node'), join(folder, 'usr/bin/node'));
  const fields = [
    'Package: nodejs',
    'Version: 24.0.0',
    `Architecture: ${architecture}`,
    'Maintainer: Nobody <nobody@example.org>',
  ];
  writeFileSync(join(folder, 'DEBIAN/control'), `${[...fields, 'Description: Node.js'].join('\n')}\n`);
  return build(folder, join(dir, 'nodejs.deb'));
}

/** Gives unpacked files the layout and the scripts of an earlier version. */
function makeEarlier(root: string): void {
  const earlier = join(productDir, 'test/packages/earlier');
  rmSync(join(root, 'usr/lib/logbook/bin'), { recursive: true });
  rmSync(join(root, 'DEBIAN'), { recursive: true });
  mkdirSync(join(root, 'DEBIAN'));
  for (const name of ['conffiles', 'control', 'postinst', 'prerm', 'postrm']) {
    cpSync(join(earlier, name), join(root, 'DEBIAN', name));
    chmodSync(join(root, 'DEBIAN', name), ['conffiles', 'control'].includes(name) ? 0o644 : 0o755);
  }
  edit(join(root, 'DEBIAN/control'), (text) => text.replace('@ARCHITECTURE@', architecture).replace('@SIZE@', '1'));
  cpSync(join(earlier, 'logbook'), join(root, 'usr/bin/logbook'));
  cpSync(join(earlier, 'logbook.service'), join(root, 'usr/lib/systemd/system/logbook.service'));
  const configuration = join(root, 'etc/logbook/logbook.properties');
  cpSync(join(productDir, 'deploy/logbook.properties'), configuration);
  chmodSync(configuration, 0o640);
}
