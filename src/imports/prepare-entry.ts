import type { Attachment } from '../attachments/attachment.js';
import type { BlobStore } from '../attachments/blob-store.port.js';
import { attachmentKeys, digestOf, digestOfVersion } from './entry-content.js';
import { describeChanges, type FetchedFile, fetchFile } from './fetch-file.js';
import { adapted, problem } from './import-notes.js';
import type { ImportReport, Note } from './import-report.js';
import type { ImportedAttachment, ImportedEntry, ImportedVersion } from './import-source.port.js';
import type { ImportStorage } from './import-storage.js';
import type { ImportedItem } from './import-store.port.js';

/** A file of an entry, which was imported before or is staged. */
export type PreparedFile =
  | { readonly kind: 'known'; readonly attachment: Attachment }
  | ({ readonly kind: 'fetched' } & FetchedFile);

/** An entry with everything that a transaction needs to store it. */
export interface PreparedEntry {
  readonly entry: ImportedEntry;
  /** Digest to record; empty when something is missing, so that a later run tries again. */
  readonly digest: string;
  /** Oldest first; the last one is the current one. */
  readonly versions: readonly ImportedVersion[];
  /** Files by key, except those that the source lacks. */
  readonly files: ReadonlyMap<string, PreparedFile>;
  readonly stagedBytes: number;
  /** Notes about the entry for the report. */
  readonly notes: readonly Note[];
}

interface Deps {
  readonly storage: ImportStorage;
  readonly blobs: BlobStore;
  readonly report: ImportReport;
  readonly source: string;
  readonly maxFileBytes: number;
}

const noFiles: ReadonlyMap<string, PreparedFile> = new Map();

/** Receives the earlier versions and the files of an entry that is new or has changed. */
export async function prepareEntry(
  deps: Deps,
  entry: ImportedEntry,
  known: ImportedItem | undefined,
  signal: AbortSignal,
): Promise<PreparedEntry> {
  const notes = [...entry.remarks.map(adapted), ...(entry.lost ?? []).map(problem)];
  const archived: ImportedVersion[] = [];
  let isComplete = true;
  // Skipped for a new entry that was never edited, because only edits archive versions.
  if (known || entry.current.modifyDate !== null) {
    const list = await entry.listArchived(signal);
    archived.push(...withoutDoubles(list.versions, entry.current));
    notes.push(...list.remarks.map(problem));
    if (list.hidden !== undefined) notes.push({ level: 'hidden', text: list.hidden });
    isComplete = !list.isUnreadable;
  }
  const versions = [...archived, entry.current];
  const wanted = new Map<string, ImportedAttachment>();
  for (const version of versions) {
    if (version.attachments.length === 0) continue;
    const keys = attachmentKeys(entry.key, version);
    for (const [at, file] of version.attachments.entries()) wanted.set(keys[at] as string, file);
  }
  const prepared = wanted.size === 0 ? { files: noFiles, notes: [] } : await prepareFiles(deps, wanted, signal);
  const { files } = prepared;
  notes.push(...prepared.notes);
  isComplete &&= files.size === wanted.size;
  let stagedBytes = 0;
  for (const file of files.values()) if (file.kind === 'fetched') stagedBytes += file.attachment.size;
  return { entry, digest: isComplete ? digestOf(entry) : '', versions, files, stagedBytes, notes };
}

/**
 * Removes duplicates. Some services list a version twice. If the entry was edited after it was read, the version that
 * was read as the current one is also listed as archived.
 */
function withoutDoubles(versions: readonly ImportedVersion[], current: ImportedVersion): Iterable<ImportedVersion> {
  if (versions.length === 0) return versions;
  const different = new Map(versions.map((version) => [digestOfVersion(version), version]));
  different.delete(digestOfVersion(current));
  return different.values();
}

async function prepareFiles(
  deps: Deps,
  wanted: ReadonlyMap<string, ImportedAttachment>,
  signal: AbortSignal,
): Promise<{ readonly files: Map<string, PreparedFile>; readonly notes: readonly Note[] }> {
  const files = new Map<string, PreparedFile>();
  const { imports, attachments } = deps.storage.committed;
  for (const { key, target } of await imports.listKnown(deps.source, 'attachment', [...wanted.keys()])) {
    const attachment = await attachments.find(target);
    if (attachment) files.set(key, { kind: 'known', attachment });
  }
  const notes: Note[] = [];
  for (const [key, file] of wanted) {
    const known = files.get(key);
    // Repeats the notes about files of earlier runs, because the stored notes about the entry are replaced.
    if (known) notes.push(...describeChanges(file, key, known.attachment).map(adapted));
    if (known) continue;
    const fetched = await fetchFile(deps, file, key, signal);
    if ('reason' in fetched) {
      notes.push(problem(fetched.reason));
      continue;
    }
    files.set(key, { kind: 'fetched', ...fetched });
    deps.report.counts.files += 1;
    deps.report.counts.bytes += fetched.attachment.size;
    notes.push(...describeChanges(file, key, fetched.attachment).map(adapted));
  }
  return { files, notes };
}
