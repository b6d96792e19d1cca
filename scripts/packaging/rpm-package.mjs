import { join } from 'node:path';
import { run } from './run.mjs';

const architectures = { x64: 'x86_64', arm64: 'aarch64' };

/** Makes the package of the staged files for Red Hat, Alma, Rocky and Fedora; returns its path. */
export function makeRpm(staged, { version, arch, epoch, compression, dir, target }) {
  const architecture = architectures[arch];
  const file = `logbook-${version}-1.${architecture}.rpm`;
  const definitions = {
    logbook_version: version,
    logbook_staged: staged,
    _topdir: join(dir, 'rpmbuild'),
    _rpmdir: target,
    _build_name_fmt: file,
    _buildhost: 'logbook',
    // A separate database keeps the packages of this machine from having an effect.
    _dbpath: join(dir, 'rpmdb'),
    use_source_date_epoch_as_buildtime: '1',
    clamp_mtime_to_source_date_epoch: '1',
    _binary_payload: `w${compression}.zstdio`,
    debug_package: '%{nil}',
    __os_install_post: '%{nil}',
    _build_id_links: 'none',
  };
  const defined = Object.entries(definitions).flatMap(([name, value]) => ['--define', `${name} ${value}`]);
  run('rpmbuild', ['-bb', '--quiet', '--target', `${architecture}-linux`, ...defined, 'deploy/rpm/logbook.spec'], {
    env: { ...process.env, SOURCE_DATE_EPOCH: epoch },
  });
  return join(target, file);
}
