import { readFileSync, type Stats, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';

/**
 * Describes in sentences why the operating system refused to open, create or change a file: the path, the user, the
 * owner, and what to do. Undefined if the error is of another kind or names no file.
 */
export function describeFileError(error: unknown): string | undefined {
  const { code, path, dest, syscall } = error as NodeJS.ErrnoException & { dest?: string };
  if (typeof path !== 'string') return code === 'ENOSPC' || code === 'EDQUOT' ? full(undefined) : undefined;
  switch (code) {
    case 'EACCES':
    case 'EPERM':
      return refused(path, dest);
    case 'EROFS':
      return `The file system of ${dest ?? path} is read-only for this process. Choose another directory, mount it for writing, or name it in ReadWritePaths of the unit.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return full(dest ?? path);
    case 'ENOENT':
      return `${path} does not exist. Check its name, and that its disk is mounted.`;
    case 'ENOTDIR':
      return `${path} is not a directory, or part of its path is a file. Check its name.`;
    case 'EISDIR':
      return `${path} is a directory, and a file is expected. Name a file.`;
    case 'EEXIST':
      return syscall === 'mkdir'
        ? `${path} is not a directory. Choose another name, or move it away.`
        : `${path} exists already, and is not overwritten. Choose another name, or move it away.`;
    case 'ELOOP':
      return `${path} is a symbolic link that leads to itself. Correct the link.`;
    case 'ENAMETOOLONG':
      return `${path} is too long for a file name. Choose a shorter one.`;
    case 'EMFILE':
    case 'ENFILE':
      return `${path} cannot be opened: too many files are open. Raise the limit (LimitNOFILE of the unit, or ulimit -n).`;
    default:
      return undefined;
  }
}

function full(path: string | undefined): string {
  const where = path === undefined ? 'The disk' : `The disk with ${path}`;
  return `${where} is full, or the quota of its owner is used up. Free some space there, and run the command again.`;
}

function refused(path: string, dest: string | undefined): string {
  const { place, found } = nearest(path, dest);
  const owner = found === undefined ? 'A directory above it cannot be entered' : `${place} ${describeOwner(found)}`;
  return `The user ${currentUser()} has no permission for ${dest ?? path}. ${owner}. Change its owner or mode, or run the command as another user, such as with “sudo -u”.`;
}

/** Returns the path itself, or the nearest directory above it that this process can inspect. */
function nearest(path: string, dest: string | undefined): { place: string; found: Stats | undefined } {
  for (let place = dest ?? path; ; place = dirname(place)) {
    try {
      return { place, found: statSync(place) };
    } catch {
      if (place === dirname(place)) return { place, found: undefined };
    }
  }
}

/** Describes the owner and mode of a file, such as `belongs to root:root with the mode 0700`. */
export function describeOwner(found: Stats): string {
  return `belongs to ${nameOf('passwd', found.uid)}:${nameOf('group', found.gid)} with the mode ${modeOf(found)}`;
}

const modeOf = ({ mode }: Stats): string => (mode & 0o7777).toString(8).padStart(4, '0');

/** Returns the name of the user of this process, or the user id if there is no name. */
export function currentUser(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'of this process');
  }
}

/** Returns the name of a user or group, or its id if the system does not know it. */
export function nameOf(table: 'passwd' | 'group', id: number): string {
  const names = readTable(table).find(([, , number]) => number === String(id));
  return names?.[0] ?? String(id);
}

/** Returns the fields of each line of /etc/passwd or /etc/group; empty if there is no such file. */
export function readTable(table: 'passwd' | 'group'): string[][] {
  try {
    return readFileSync(`/etc/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.split(':'));
  } catch {
    return [];
  }
}
