import { lstatSync, type Stats, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { nameOf, readTable } from '../kernel/file-error.js';

export interface ServiceUser {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly groups: readonly number[];
}

/** Returns the user with this name; undefined when the machine has none. */
export function findUser(name: string): ServiceUser | undefined {
  const [, , uid, gid] = readTable('passwd').find(([found]) => found === name) ?? [];
  return uid === undefined || gid === undefined ? undefined : withGroups(name, Number(uid), Number(gid));
}

/**
 * Returns the owner of the data directory; undefined when the directory does not exist, or the system has no owners.
 */
export function findDataOwner(dataDir: string): ServiceUser | undefined {
  const found = lstatSync(dataDir, { throwIfNoEntry: false });
  if (!found || process.getuid === undefined) return undefined;
  return withGroups(nameOf('passwd', found.uid), found.uid, found.gid);
}

function withGroups(name: string, uid: number, gid: number): ServiceUser {
  const others = readTable('group').filter(([, , , members = '']) => members.split(',').includes(name));
  return { name, uid, gid, groups: [gid, ...others.map(([, , number]) => Number(number))] };
}

/**
 * Returns the file or the parent directory whose mode prevents the user from reading the file; undefined if the user
 * may read it.
 */
export function findObstacle(file: string, user: ServiceUser): string | undefined {
  if (user.uid === 0) return undefined;
  const parents: string[] = [];
  for (let dir = dirname(resolve(file)); ; dir = dirname(dir)) {
    parents.unshift(dir);
    if (dir === dirname(dir)) break;
  }
  return parents.find((dir) => !mayUse(dir, user, 0o1)) ?? (mayUse(file, user, 0o4) ? undefined : file);
}

/**
 * Whether the modes grant the user all permissions in `bits`.
 * @param bits sum of 4 (read), 2 (write) and 1 (enter)
 */
function mayUse(path: string, user: ServiceUser, bits: number): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && permits(found, user, bits);
}

/** Checks like `mayUse`, for a file whose modes were already read. */
export function permits(found: Stats, { uid, groups }: ServiceUser, bits: number): boolean {
  const shift = found.uid === uid ? 6 : groups.includes(found.gid) ? 3 : 0;
  return ((found.mode >> shift) & bits) === bits;
}
