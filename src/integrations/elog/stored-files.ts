import { realpath, stat } from 'node:fs/promises';
import { sep } from 'node:path';
import type { ElogBytes } from './elog-bytes.js';
import { yearOf } from './elog-date.js';
import type { StoredName } from './elog-entry.js';

export interface StoredFile {
  readonly path: Buffer;
  /** Bytes. */
  readonly size: number;
}

/** Folders in which the files of an entry may be. */
export interface FileFolders {
  /** Folder of the logbook. */
  readonly root: Buffer;
  /** Folder with the file of the entry. */
  readonly beside: Buffer;
  readonly decoder: ElogBytes;
}

export const joinPath = (dir: Buffer, name: Buffer): Buffer => Buffer.concat([dir, Buffer.from(sep), name]);

/**
 * Finds a file of a logbook in the folder of its year, in the folder of the logbook, or next to an entry. The name on
 * disk may have the same bytes as in the entry, or be in UTF-8, Latin-1 or the charset of the server. Returns undefined
 * when there is none, or when it is a link out of the logbook, because a name in an entry must not give access to other
 * files of the machine.
 */
export async function findStoredFile(
  { root, beside, decoder }: FileFolders,
  stored: StoredName,
): Promise<StoredFile | undefined> {
  const { name } = stored;
  if (name === '' || /[/\\\0]|^[.]{1,2}$/.test(name) || stored.bytes.some((byte) => byte === 0x2f || byte === 0))
    return undefined;
  const year = /^\d{2}/.exec(name)?.[0];
  const folders = [beside, ...(year === undefined ? [] : [joinPath(root, Buffer.from(yearOf(year)))]), root];
  const inside = joinPath(await realpath(root, { encoding: 'buffer' }), Buffer.alloc(0));
  const spellings = unique(spellingsOf(stored, decoder));
  for (const folder of unique(folders)) {
    for (const bytes of spellings) {
      const file = await findInside(inside, joinPath(folder, bytes));
      if (file) return file;
    }
  }
  return undefined;
}

async function findInside(inside: Buffer, path: Buffer): Promise<StoredFile | undefined> {
  try {
    const real = await realpath(path, { encoding: 'buffer' });
    const found = real.subarray(0, inside.length).equals(inside) ? await stat(real) : undefined;
    return found?.isFile() ? { path: real, size: found.size } : undefined;
  } catch {
    return undefined;
  }
}

function spellingsOf({ name, bytes }: StoredName, decoder: ElogBytes): Buffer[] {
  const composed = name.normalize('NFC');
  const isLatin1 = !/[^\0-\xff]/.test(composed);
  const inCharset = decoder.encode(composed);
  return [
    bytes,
    Buffer.from(name),
    Buffer.from(composed),
    Buffer.from(name.normalize('NFD')),
    ...(isLatin1 ? [Buffer.from(composed, 'latin1')] : []),
    ...(inCharset ? [inCharset] : []),
  ];
}

function unique(all: readonly Buffer[]): Buffer[] {
  return all.filter((one, at) => all.findIndex((other) => other.equals(one)) === at);
}
