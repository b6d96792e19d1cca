import { createHash } from 'node:crypto';
import type { Entry } from '../entries/entry.js';
import { type CompareDeps, compareVersion, type Difference, listFieldDifferences } from './compare-entry.js';
import { attachmentKeys } from './entry-content.js';
import type { ImportedAttachment, ImportedEntry, ImportedVersion } from './import-source.port.js';
import { isWebPageInstead, webPageHeadBytes } from './web-page.js';

/** Compares the earlier versions of an entry with the stored ones, and the bytes of the files of all versions. */
export async function* compareArchive(
  deps: CompareDeps,
  entry: ImportedEntry,
  { stored, isEditedHere }: { readonly stored: Entry; readonly isEditedHere: boolean },
  signal: AbortSignal,
): AsyncGenerator<Difference> {
  const { versions, hidden } = await entry.listArchived(signal);
  const present: Entry[] = [];
  for await (const archived of deps.storage.committed.entries.listArchived(stored.id)) present.push(archived.entry);
  // Stored versions have the date of creation of the newest version, which never changes.
  const { createdDate } = stored;
  let differing = 0;
  for (const [at, version] of versions.entries()) {
    const closest = await findClosest(deps, entry.key, { ...version, createdDate }, present);
    if (closest.length > 0) differing += 1;
    yield* closest.map((difference) => ({ ...difference, field: `earlier version ${at + 1}: ${difference.field}` }));
  }
  // Skipped for a source that hides versions, because it may have shown them to an earlier import.
  if (!isEditedHere && hidden === undefined) {
    yield* [...findForeign(entry, [...versions, entry.current], present)].slice(differing);
  }
  yield* compareBytes(deps, entry.key, [...versions, entry.current], signal);
}

/**
 * Yields the earlier versions that only this logbook has. A version that differs only in its files is not one of them:
 * it was stored before a missing file arrived.
 */
function* findForeign(
  { key, current: { createdDate } }: ImportedEntry,
  versions: readonly ImportedVersion[],
  present: readonly Entry[],
): Generator<Difference> {
  for (const stored of present) {
    const isKnown = versions.some(
      (version) => listFieldDifferences(key, { ...version, createdDate }, stored).length === 0,
    );
    if (isKnown) continue;
    yield {
      key,
      field: 'earlier version',
      source: 'missing',
      here: `“${stored.title}” of ${stored.modifyDate ?? createdDate}`,
    };
  }
}

/**
 * Returns the differences between a version and the stored version of the same edit; none when such a version is equal.
 */
async function findClosest(
  deps: CompareDeps,
  key: string,
  version: ImportedVersion,
  present: readonly Entry[],
): Promise<readonly Difference[]> {
  let closest: readonly Difference[] = [{ key, field: 'version', source: 'present', here: 'missing' }];
  for (const one of present) {
    if (one.modifyDate !== version.modifyDate) continue;
    closest = await compareVersion(deps, key, version, one);
    if (closest.length === 0) break;
  }
  return closest;
}

/**
 * Compares the bytes of each file with the source. Files that the source lacks were reported when the entry was
 * imported.
 */
async function* compareBytes(
  { storage, source }: CompareDeps,
  key: string,
  versions: readonly ImportedVersion[],
  signal: AbortSignal,
): AsyncGenerator<Difference> {
  const files = new Map<string, ImportedAttachment>();
  for (const version of versions) {
    const keys = attachmentKeys(key, version);
    for (const [at, file] of version.attachments.entries()) files.set(keys[at] as string, file);
  }
  const { imports, attachments } = storage.committed;
  for (const { key: fileKey, target } of await imports.listKnown(source.name, 'attachment', [...files.keys()])) {
    const file = files.get(fileKey) as ImportedAttachment;
    const opened = await file.open(signal);
    if (!opened || 'reason' in opened) continue;
    const { checksum, ...received } = await readDigest(opened.content);
    const isPage = await isWebPageInstead(file, opened.mediaType, received);
    const here = (await attachments.find(target))?.checksum ?? 'missing';
    if (here === checksum && !isPage) continue;
    yield { key, field: `bytes of the file ${file.filename}`, source: isPage ? 'a web page' : checksum, here };
  }
}

async function readDigest(content: AsyncIterable<Buffer>) {
  const hash = createHash('sha256');
  let head = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of content) {
    hash.update(chunk);
    size += chunk.length;
    if (head.length < webPageHeadBytes) head = Buffer.concat([head, chunk.subarray(0, webPageHeadBytes)]);
  }
  return { checksum: hash.digest('hex'), head, size };
}
