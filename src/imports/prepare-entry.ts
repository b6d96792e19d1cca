import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import { attachmentKeys, digestOf, digestOfVersion } from './entry-content.js';
import { type FetchedFile, fetchFile } from './fetch-file.js';
import type { ImportReport } from './import-report.js';
import type { SourceAttachment, SourceEntry, SourceVersion } from './import-source.port.js';
import type { ImportStorage } from './import-storage.js';
import type { ImportedItem } from './import-store.port.js';

/** A file of an entry: one that was brought before, or one that is staged. */
export type PreparedFile =
  | { readonly kind: 'known'; readonly attachment: Attachment }
  | ({ readonly kind: 'fetched' } & FetchedFile);

/** An entry with everything that a transaction needs to store it. */
export interface PreparedEntry {
  readonly entry: SourceEntry;
  /** Empty when something is missing, so that a later run tries again. */
  readonly digest: string;
  /** Oldest first; the last one is the current one. */
  readonly versions: readonly SourceVersion[];
  /** By key. Those that the source does not have are not in it. */
  readonly files: ReadonlyMap<string, PreparedFile>;
  readonly stagedBytes: number;
}

interface Deps {
  readonly storage: ImportStorage;
  readonly blobs: BlobStore;
  readonly report: ImportReport;
  readonly source: string;
  readonly maxFileBytes: number;
}

const noFiles: ReadonlyMap<string, PreparedFile> = new Map();

/** Gets the earlier versions and the files of an entry that is new or has changed. */
export async function prepareEntry(
  deps: Deps,
  entry: SourceEntry,
  known: ImportedItem | undefined,
  signal: AbortSignal,
): Promise<PreparedEntry> {
  const { report } = deps;
  const archived: SourceVersion[] = [];
  // Only an edit archives a version, and it sets the date.
  if (known || entry.current.modifyDate !== null) {
    const { versions, remarks } = await entry.listArchived(signal);
    archived.push(...withoutDoubles(versions));
    for (const remark of remarks) report.problem('entry', entry.key, remark);
  }
  const versions = [...archived, entry.current];
  if (versions.every(({ attachments }) => attachments.length === 0)) {
    return { entry, digest: digestOf(entry), versions, files: noFiles, stagedBytes: 0 };
  }
  const wanted = new Map<string, SourceAttachment>();
  for (const version of versions) {
    const keys = attachmentKeys(entry.key, version);
    for (const [at, file] of version.attachments.entries()) wanted.set(keys[at] as string, file);
  }
  const { files, isComplete } = await prepareFiles(deps, entry, wanted, signal);
  let stagedBytes = 0;
  for (const file of files.values()) if (file.kind === 'fetched') stagedBytes += file.attachment.size;
  return { entry, digest: isComplete ? digestOf(entry) : '', versions, files, stagedBytes };
}

/** Some services list a version twice. */
function withoutDoubles(versions: readonly SourceVersion[]): Iterable<SourceVersion> {
  if (versions.length < 2) return versions;
  return new Map(versions.map((version) => [digestOfVersion(version), version])).values();
}

async function prepareFiles(
  deps: Deps,
  { key: entryKey }: SourceEntry,
  wanted: ReadonlyMap<string, SourceAttachment>,
  signal: AbortSignal,
): Promise<{ readonly files: Map<string, PreparedFile>; readonly isComplete: boolean }> {
  const files = new Map<string, PreparedFile>();
  const { imports, attachments } = deps.storage.committed;
  for (const { key, target } of await imports.listKnown(deps.source, 'attachment', [...wanted.keys()])) {
    const attachment = await attachments.find(target);
    if (attachment) files.set(key, { kind: 'known', attachment });
  }
  let isComplete = true;
  for (const [key, file] of wanted) {
    if (files.has(key)) continue;
    const fetched = await fetchFile(deps, file, key, signal);
    if ('reason' in fetched) {
      isComplete = false;
      deps.report.problem('entry', entryKey, fetched.reason);
      continue;
    }
    files.set(key, { kind: 'fetched', ...fetched });
    deps.report.counts.files += 1;
    deps.report.counts.bytes += fetched.attachment.size;
    for (const remark of fetched.remarks) deps.report.remark('entry', entryKey, remark);
  }
  return { files, isComplete };
}
