import { realpath, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { yearOf } from './elog-date.js';
import type { StoredName } from './elog-entry.js';

/** A stored file on disk. */
export interface StoredFile {
  readonly path: Buffer;
  /** Bytes. */
  readonly size: number;
}

/**
 * Finds a file of a logbook: in the folder of its own year, in that of the logbook, or next to an entry. The name on
 * disk may have the same bytes as in the entry, or be in UTF-8 or Latin-1. Returns undefined when there is none, or
 * when it is a link out of the logbook, because a name in an entry must not lead to other files of the machine.
 * @param root folder of the logbook
 * @param beside folder with the file of the entry
 */
export async function findStoredFile(
  root: string,
  beside: string,
  stored: StoredName,
): Promise<StoredFile | undefined> {
  const { name } = stored;
  if (name === '' || /[/\\\0]|^[.]{1,2}$/.test(name) || stored.bytes.some((byte) => byte === 0x2f || byte === 0))
    return undefined;
  const year = /^\d{2}/.exec(name)?.[0];
  const folders = new Set([beside, ...(year === undefined ? [] : [join(root, yearOf(year))]), root]);
  const inside = Buffer.from(`${await realpath(root)}${sep}`);
  for (const folder of folders) {
    for (const bytes of spellingsOf(stored)) {
      const file = await findInside(inside, Buffer.concat([Buffer.from(`${folder}${sep}`), bytes]));
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

function spellingsOf({ name, bytes }: StoredName): Buffer[] {
  const spellings = [bytes, Buffer.from(name), Buffer.from(name.normalize('NFC')), Buffer.from(name.normalize('NFD'))];
  if (!/[^\0-\xff]/.test(name.normalize('NFC'))) spellings.push(Buffer.from(name.normalize('NFC'), 'latin1'));
  return spellings.filter((one, at) => spellings.findIndex((other) => other.equals(one)) === at);
}
