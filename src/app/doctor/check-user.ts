import { currentUser } from '../../kernel/file-error.js';
import { findDataOwner, findObstacle } from '../service-user.js';
import type { Diagnosis } from './diagnosis.js';

/**
 * Reports whether the examination runs as the user of the service. Other users may be unable to examine some files.
 * Root can read files that the service cannot, so for root those files are reported.
 * @param files configuration file and the files that it names
 */
export function* checkUser(dataDir: string, files: readonly string[]): Generator<Diagnosis> {
  const check = 'user';
  const owner = findDataOwner(dataDir);
  const uid = process.getuid?.();
  if (!owner || uid === undefined) return;
  if (uid === owner.uid) {
    yield { check, status: 'ok', text: `examined as ${owner.name}, to whom the data directory belongs` };
    return;
  }
  if (uid !== 0) {
    const text = `examined as ${currentUser()}, but the data directory belongs to ${owner.name}`;
    const advice = `Files that only that user can read were not examined. Run “sudo -u ${owner.name} logbook doctor”.`;
    yield { check, status: 'warning', text, advice };
    return;
  }
  let obstacles = 0;
  for (const file of files) {
    const obstacle = findObstacle(file, owner);
    if (obstacle === undefined) continue;
    obstacles += 1;
    const isFile = obstacle === file;
    const text = `the user ${owner.name} cannot read ${file}${isFile ? '' : `, because of ${obstacle}`}`;
    const advice = isFile
      ? `Give it to root:${owner.name} with the mode 0640.`
      : `Let this user enter ${obstacle}, or move the file to another directory.`;
    yield { check, status: 'problem', text, advice };
  }
  if (obstacles > 0) return;
  const text = `examined as root; ${owner.name}, to whom the data directory belongs, can read the configuration`;
  yield { check, status: 'ok', text };
}
