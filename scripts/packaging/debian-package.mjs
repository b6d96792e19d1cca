import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.mjs';
import { setTimes } from './stage.mjs';

const architectures = { x64: 'amd64', arm64: 'arm64' };

/** Makes the Debian package of the staged files. */
export function makeDebianPackage(staged, { version, arch, epoch, compression, dir, target }) {
  const root = join(dir, 'debian');
  run('cp', ['-a', '--link', staged, root]);
  // zsh reads the completions of Debian packages from this folder.
  renameSync(join(root, 'usr/share/zsh/site-functions'), join(root, 'usr/share/zsh/vendor-completions'));
  mkdirSync(join(root, 'DEBIAN'));
  for (const script of ['postinst', 'prerm', 'postrm']) {
    cpSync(join('deploy/debian', script), join(root, 'DEBIAN', script));
    chmodSync(join(root, 'DEBIAN', script), 0o755);
  }
  const architecture = architectures[arch];
  const files = listFiles(root);
  const control = readFileSync('deploy/debian/control', 'utf8')
    .replace('@VERSION@', version)
    .replace('@ARCHITECTURE@', architecture)
    .replace('@SIZE@', String(sizeInKilobytes(files)));
  writeFileSync(join(root, 'DEBIAN', 'control'), control);
  writeFileSync(join(root, 'DEBIAN', 'md5sums'), checksums(root, files));
  setTimes(root, epoch);
  const file = join(target, `logbook_${version}_${architecture}.deb`);
  // With one thread, the bytes do not depend on the machine.
  run('dpkg-deb', ['--root-owner-group', '-Zzstd', `-z${compression}`, '--threads-max=1', '--build', root, file], {
    env: { ...process.env, SOURCE_DATE_EPOCH: epoch },
  });
}

function listFiles(root) {
  return readdirSync(join(root, 'usr'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Returns the installed size, which must not depend on the file system of this machine. */
function sizeInKilobytes(files) {
  return files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / 1_024), 0);
}

/** Returns the checksums by which `dpkg --verify` examines an installation. */
function checksums(root, files) {
  const lines = files.map((file) => {
    const hash = createHash('md5').update(readFileSync(file)).digest('hex');
    return `${hash}  ${file.slice(root.length + 1)}\n`;
  });
  return lines.join('');
}
