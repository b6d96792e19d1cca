import type { PartKind, ReplicaContent } from '../../../search/replica/replica-snapshot-manifest.js';
import { openDatabase } from '../database/open-database.js';
import { readUnchanged } from '../database/read-unchanged.js';
import { newestSchema, readSchema } from '../database/schema-version.js';
import { formatVersion, openIndexForReading, readState, versionOf } from '../search/index/index-database.js';
import { builtAfter, newestRedaction } from '../search/index/removed-content.js';
import { containsWrite } from '../tables/entry-writes.js';
import { readFollowed } from './replica-tables.js';

/** Whether this version of the program can use the files of a replica unchanged. */
export function isUsable({ schema, indexFormat }: ReplicaContent): boolean {
  return schema === newestSchema && indexFormat === formatVersion;
}

/**
 * Copies the current state of a replica's database while it is in use, without deleted content. Writers do not wait,
 * but a large database blocks this thread for minutes: call it in a separate process.
 * @param to path that does not exist yet
 */
export async function copyReplicaFile(kind: PartKind, from: string, to: string): Promise<void> {
  const connection = await (kind === 'entries' ? openDatabase(from, 'reader') : openIndexForReading(from));
  try {
    connection.run('VACUUM INTO ?', to);
  } finally {
    connection.close();
  }
}

/** Metadata that an index stores about itself. */
export interface IndexContent {
  readonly format: number;
  readonly runId: string;
  readonly sequence: number;
  readonly redaction: number;
}

/** @param isInUse whether a process has the file open */
export async function readIndexContent(file: string, isInUse: boolean): Promise<IndexContent> {
  return read(isInUse ? () => openIndexForReading(file) : undefined, file, (index) => {
    const { runId, sequence } = readState(index);
    return { format: versionOf(index), runId, sequence, redaction: builtAfter(index) };
  });
}

/**
 * Reads the content description of a replica; undefined if the replica is empty or its parts do not match: the
 * index may contain content redacted from the entries, or belong to other entries.
 */
export async function readReplicaContent(
  file: string,
  index: IndexContent,
  isInUse: boolean,
): Promise<ReplicaContent | undefined> {
  return read(isInUse ? () => openDatabase(file, 'reader') : undefined, file, (entries) => {
    const { position } = readFollowed(entries);
    const redaction = newestRedaction(entries);
    const isOfSameEntries = index.sequence === 0 || containsWrite(entries, index.runId, index.sequence);
    if (position === undefined || redaction > index.redaction || !isOfSameEntries) return undefined;
    const storeId = entries.get<{ value: string }>("SELECT value FROM store WHERE key = 'id'")?.value ?? '';
    return { storeId, schema: readSchema(entries), indexFormat: index.format, position, redaction };
  });
}

async function read<T>(
  open: (() => ReturnType<typeof openDatabase>) | undefined,
  file: string,
  readContent: Parameters<typeof readUnchanged<T>>[1],
): Promise<T> {
  if (!open) return readUnchanged(file, readContent);
  const connection = await open();
  try {
    return readContent(connection);
  } finally {
    connection.close();
  }
}
