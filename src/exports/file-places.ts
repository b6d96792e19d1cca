import type { Attachment } from '../attachments/attachment.js';

/** Where files are in an archive: each in a folder, under its own name as far as every system accepts that. */
export class FilePlaces {
  private readonly places = new Map<string, Attachment>();
  private readonly byKey = new Map<string, string>();

  /** Returns the path of a file; the same for the same content and name in the same folder. */
  place(folder: string, attachment: Attachment): string {
    const key = JSON.stringify([folder, attachment.checksum, attachment.filename]);
    const known = this.byKey.get(key);
    if (known !== undefined) return known;
    const name = attachment.filename.replace(/[\p{Cc}/\\:*?"<>|]/gu, '_').replace(/^[. ]+|[. ]+$/g, '_');
    let path = `${folder}/${name}`;
    for (let number = 2; this.places.has(path.toLowerCase()); number++) path = `${folder}/${number}_${name}`;
    this.places.set(path.toLowerCase(), attachment);
    this.byKey.set(key, path);
    return path;
  }

  /** The files with their paths, in the order in which they were placed. */
  *list(): Generator<[string, Attachment]> {
    const attachments = this.places.values();
    for (const path of this.byKey.values()) yield [path, attachments.next().value as Attachment];
  }
}
