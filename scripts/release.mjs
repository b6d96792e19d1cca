// Makes what a release consists of, in release/: the npm package, a Debian package for this architecture, a software
// bill of materials, and their checksums. The same commit gives the same bytes.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
const run = (command, args, options = {}) =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'], maxBuffer: 1e8, ...options });

/** The time of the commit, for all files. */
const epoch = run('git', ['log', '-1', '--format=%ct']).trim();
process.umask(0o022);

function makePackage() {
  run('npm', ['pack', '--silent', '--pack-destination', 'release']);
  return join('release', `${name}-${version}.tgz`);
}

/** Unpacks the package, with what it depends on, as an installation has them. */
function install(archive, folder) {
  mkdirSync(folder, { recursive: true });
  run('tar', ['-xzf', archive, '-C', folder, '--strip-components=1']);
  for (const file of ['package-lock.json', 'web/package.json']) cpSync(file, join(folder, file));
  run('npm', ['ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], { cwd: folder });
  for (const file of ['package-lock.json', 'web', 'node_modules/.package-lock.json', 'node_modules/web']) {
    rmSync(join(folder, file), { recursive: true, force: true });
  }
}

function makeBillOfMaterials(file) {
  const bill = JSON.parse(run('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx', '--package-lock-only']));
  delete bill.serialNumber;
  bill.metadata.timestamp = new Date(epoch * 1_000).toISOString();
  bill.components = bill.components.sort((a, b) => (a['bom-ref'] < b['bom-ref'] ? -1 : 1));
  writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`);
}

function makeDebianPackage(archive, dir) {
  const root = join(dir, 'root');
  const architecture = run('dpkg', ['--print-architecture']).trim();
  install(archive, join(root, 'usr', 'lib', 'logbook'));
  const files = [
    ['deploy/debian/logbook', 'usr/bin/logbook', 0o755],
    ...['logbook.service', 'logbook-migrate.service'].map((unit) => [
      `deploy/systemd/${unit}`,
      `usr/lib/systemd/system/${unit}`,
      0o644,
    ]),
    ['deploy/logbook.properties', 'etc/logbook/logbook.properties', 0o640],
    ['LICENSE', 'usr/share/doc/logbook/copyright', 0o644],
    ...['conffiles', 'postinst', 'prerm', 'postrm'].map((file) => [
      `deploy/debian/${file}`,
      `DEBIAN/${file}`,
      file === 'conffiles' ? 0o644 : 0o755,
    ]),
  ];
  for (const [from, to, mode] of files) {
    cpSync(from, join(root, to));
    chmodSync(join(root, to), mode);
  }
  chmodSync(join(root, 'etc', 'logbook'), 0o750);
  const kilobytes = run('du', ['-sk', '--apparent-size', root]).split('\t')[0];
  const control = readFileSync('deploy/debian/control', 'utf8')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@SIZE@', kilobytes);
  writeFileSync(join(root, 'DEBIAN', 'control'), control);
  run('find', [root, '-exec', 'touch', '--no-dereference', '--date', `@${epoch}`, '{}', '+']);
  const file = join('release', `logbook_${version}_${architecture}.deb`);
  run('dpkg-deb', ['--root-owner-group', '-z3', '--build', root, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: epoch },
  });
}

const dir = mkdtempSync(join(tmpdir(), 'logbook-release-'));
try {
  rmSync('release', { recursive: true, force: true });
  mkdirSync('release');
  const archive = makePackage();
  makeBillOfMaterials(join('release', `${name}-${version}.cdx.json`));
  makeDebianPackage(archive, dir);
  const sums = readdirSync('release')
    .sort()
    .map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join('release', file)))
          .digest('hex')}  ${file}\n`,
    );
  writeFileSync(join('release', 'SHA256SUMS'), sums.join(''));
  process.stdout.write(sums.join(''));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
