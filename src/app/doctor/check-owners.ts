import type { Stats } from 'node:fs';
import { access, opendir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceOptions } from '../../config/service-options.js';
import { describeOwner } from '../../kernel/file-error.js';
import { findDataOwner, findObstacle, findUser, permits, type ServiceUser } from '../service-user.js';
import type { Diagnosis } from './diagnosis.js';

/** Maximum number of files that are examined in each directory. The first ones usually reveal a mistake. */
const maxFiles = 20_000;
const packagedUser = 'logbook';

/**
 * Reports directories of the service, and files in them, that its user cannot use. Usually, root has created them.
 * Other checks report paths that the user of this process cannot use.
 * @param isInUse whether a process uses the data directory, so that the owner of the directory is the user of the
 *   service
 */
export async function* checkOwners(
  { storage, backup }: Pick<ServiceOptions, 'storage' | 'backup'>,
  isInUse: boolean,
): AsyncGenerator<Diagnosis> {
  const owner = findDataOwner(storage.dataDir);
  const user = !isInUse && (owner === undefined || owner.uid === 0) ? findUser(packagedUser) : owner;
  const uid = process.getuid?.();
  if (!user || user.uid === 0 || (uid !== 0 && uid !== user.uid)) return;
  const directories = [
    storage.dataDir,
    ...(storage.kind === 'postgres' && storage.blobs.kind === 'files' ? [storage.attachmentsDir] : []),
    ...(backup.target?.kind === 'directory' ? [backup.target.dir] : []),
  ];
  for (const dir of directories) {
    const unusable = await findUnusable(dir, user);
    if (!unusable) continue;
    const { path, found, others } = unusable;
    yield {
      check: 'owner',
      status: 'problem',
      text: `${withoutControls(path)} ${describeOwner(found)}; the service runs as ${user.name}, who cannot use it${others > 0 ? `, nor ${others} more in ${withoutControls(dir)}` : ''}`,
      advice:
        path === dir || path.startsWith(join(dir, '/'))
          ? `Run “sudo chown -R ${user.name}: ${quote(dir)}”.`
          : `Let ${user.name} enter it, such as with “sudo chmod o+x ${quote(path)}”.`,
    };
  }
}

interface Unusable {
  /** Path of the first unusable file or directory. */
  readonly path: string;
  readonly found: Stats;
  readonly others: number;
}

/** Returns the unusable paths; undefined when the user can use everything, or the directory does not exist. */
async function findUnusable(dir: string, user: ServiceUser): Promise<Unusable | undefined> {
  if (!(await stat(dir).catch(() => undefined))) return undefined;
  const obstacle = findObstacle(dir, user);
  const paths = obstacle === undefined || obstacle === dir ? [] : [obstacle];
  // The walk starts at the top, because a directory of attachments may contain more files than it examines.
  const known = [dir];
  for (let at = 0; at < Math.min(known.length, maxFiles); at++) {
    const path = known[at] ?? dir;
    const found = await stat(path).catch(() => undefined);
    if (!found) continue;
    if (!(await canUse(path, found, user))) paths.push(path);
    else if (found.isDirectory()) known.push(...(await listFiles(path, maxFiles - known.length)));
  }
  // Sorting makes the highest path the first one, and the result independent of the file system.
  const [path] = paths.sort();
  const found = path === undefined ? undefined : await stat(path).catch(() => undefined);
  return path !== undefined && found ? { path, found, others: paths.length - 1 } : undefined;
}

/** Asks the system about the user of this process, because the system also considers access control lists. */
async function canUse(path: string, found: Stats, user: ServiceUser): Promise<boolean> {
  const bits = neededBits(path, found);
  if (process.getuid?.() !== user.uid) return permits(found, user, bits);
  return access(path, bits).then(
    () => true,
    () => false,
  );
}

/** Lists at most `most` files of a directory; fewer if the directory cannot be read now. */
async function listFiles(dir: string, most: number): Promise<string[]> {
  const paths: string[] = [];
  try {
    for await (const { name } of await opendir(dir)) {
      if (paths.length >= most) break;
      if (!isOfFileSystem(name)) paths.push(join(dir, name));
    }
  } catch {
    // It has vanished, or is on a network file system that denies root access.
  }
  return paths;
}

/** Whether the name belongs to the file system, such as `lost+found`. */
const isOfFileSystem = (name: string): boolean => name === 'lost+found' || name.startsWith('.');

/**
 * Returns the permissions that the service needs. It creates and removes files in directories, and changes only
 * databases.
 */
function neededBits(path: string, found: Stats): number {
  if (found.isDirectory()) return 0o7;
  return /[.]sqlite(-wal|-shm)?$/.test(path) ? 0o6 : 0o4;
}

/** Replaces control characters, because other people may have chosen the names of files. */
function withoutControls(path: string): string {
  return path.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '�');
}

function quote(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}
