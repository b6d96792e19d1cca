import { createHash } from 'node:crypto';
import type { Entry } from '../entries/entry.js';
import { encodeEntry } from '../entries/entry-json.js';
import type { ImportedEntry, ImportedVersion } from './import-source.port.js';

/** Returns a string that is equal for versions with the same content. It does not include derived values. */
export function contentOf(entry: Omit<Entry, 'version'>): string {
  return encodeEntry({ ...entry, devices: undefined, version: 0 }).toString();
}

/** Returns the digest of an entry at its source, by which a later run detects changes. */
export function digestOf({ digest, current, links }: Pick<ImportedEntry, 'digest' | 'current' | 'links'>): string {
  const own = digest ?? digestOfVersion(current);
  return links
    ? createHash('sha256')
        .update(JSON.stringify([own, links.keys]))
        .digest('hex')
    : own;
}

export function digestOfVersion({ attachments, ...version }: ImportedVersion): string {
  const content = contentOf({ ...version, id: 0, attachments: [] });
  const files = attachments.map(({ id, filename, fileMetadataDescription, size, checksum }) => [
    id ?? null,
    filename,
    fileMetadataDescription ?? null,
    size ?? null,
    checksum ?? null,
  ]);
  return createHash('sha256').update(content).update(JSON.stringify(files)).digest('hex');
}

/** Returns the keys of the attachments of a version, in their order: the id, else the name within the entry. */
export function attachmentKeys(entryKey: string, { attachments }: ImportedVersion): string[] {
  if (attachments.length === 0) return [];
  const named = new Map<string, number>();
  return attachments.map(({ id, filename }) => {
    if (id !== undefined) return id;
    const count = (named.get(filename) ?? 0) + 1;
    named.set(filename, count);
    return `${entryKey}/${filename}${count > 1 ? `/${count}` : ''}`;
  });
}
