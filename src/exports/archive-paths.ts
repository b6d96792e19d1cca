import { extname } from 'node:path';
import type { Attachment } from '../attachments/attachment.js';

/** Maximum length of a name. It leaves room for the number of a duplicate within the limit of file systems. */
const maxNameBytes = 200;

/** Paths of files in an archive: each file is in a folder, under its own name if every system accepts it. */
export class ArchivePaths {
  private readonly attachments = new Map<string, Attachment>();
  private readonly byKey = new Map<string, string>();

  /** Returns the path of a file, which is the same for the same content and name in the same folder. */
  add(folder: string, attachment: Attachment): string {
    const key = JSON.stringify([folder, attachment.checksum, attachment.filename]);
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const name = shorten(attachment.filename.replace(/[\p{Cc}/\\:*?"<>|]/gu, '_').replace(/^[. ]+|[. ]+$/g, '_'));
    let path = `${folder}/${name}`;
    for (let number = 2; this.attachments.has(path.toLowerCase()); number++) path = `${folder}/${number}_${name}`;
    this.attachments.set(path.toLowerCase(), attachment);
    this.byKey.set(key, path);
    return path;
  }

  /** Yields the paths of the files with their attachments, in the order of adding. */
  *list(): Generator<[string, Attachment]> {
    const attachments = this.attachments.values();
    for (const path of this.byKey.values()) yield [path, attachments.next().value as Attachment];
  }
}

/** Shortens a name that file systems refuse, and keeps its extension. */
function shorten(name: string): string {
  const extension = extname(name).slice(0, 20);
  let stem = name.slice(0, name.length - extension.length);
  while (Buffer.byteLength(stem + extension) > maxNameBytes) stem = stem.slice(0, -1).toWellFormed();
  return stem + extension;
}
