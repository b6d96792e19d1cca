// Makes a release in release/: the npm package, packages for Debian and Red Hat with the runtime, packages of the
// Python client, a software bill of materials, and their checksums. The same commit gives the same bytes in any folder.
//   node scripts/release.mjs [--arch x64,arm64] [--out DIR] [--compression 1…19]
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makeBillOfMaterials } from './packaging/bill-of-materials.mjs';
import { makeDebianPackage } from './packaging/debian-package.mjs';
import { makePythonPackages } from './packaging/python-package.mjs';
import { makeRpm } from './packaging/rpm-package.mjs';
import { run } from './packaging/run.mjs';
import { stage } from './packaging/stage.mjs';

const { arch, out, compression } = parseArgs({
  options: {
    arch: { type: 'string', default: process.arch },
    out: { type: 'string', default: 'release' },
    compression: { type: 'string', default: '12' },
  },
}).values;
const archs = arch.split(',');
if (!archs.every((one) => ['x64', 'arm64'].includes(one))) {
  throw new Error(`--arch ${arch}: give x64, arm64 or both, comma-separated`);
}
const { name, version } = JSON.parse(readFileSync('package.json', 'utf8'));
// All files get the time of the commit.
const epoch = process.env.SOURCE_DATE_EPOCH ?? run('git', ['log', '-1', '--format=%ct']).trim();
process.umask(0o022);

function makeSums(folder) {
  const lineOf = (file) => {
    const hash = createHash('sha256').update(readFileSync(join(folder, file)));
    return `${hash.digest('hex')}  ${file}\n`;
  };
  return readdirSync(folder).sort().map(lineOf).join('');
}

const target = resolve(out);
const dir = mkdtempSync(join(tmpdir(), 'logbook-release-'));
try {
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  run('npm', ['pack', '--silent', '--pack-destination', target]);
  const runtimes = archs.map((one) => {
    const release = { version, arch: one, epoch, compression, dir: join(dir, one), target };
    const staged = stage(join(target, `${name}-${version}.tgz`), join(dir, one, 'staged'), release);
    makeDebianPackage(staged.root, release);
    makeRpm(staged.root, release);
    return staged.node;
  });
  makeBillOfMaterials(join(target, `${name}-${version}.cdx.json`), { name, epoch, runtimes });
  makePythonPackages({ epoch, dir, target });
  const sums = makeSums(target);
  writeFileSync(join(target, 'SHA256SUMS'), sums);
  process.stdout.write(sums);
} finally {
  rmSync(dir, { recursive: true, force: true });
}
