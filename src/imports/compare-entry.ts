import type { Entry } from '../entries/entry.js';
import { attachmentKeys } from './entry-content.js';
import type { ImportSource, SourceEntry } from './import-source.port.js';
import type { ImportStorage } from './import-storage.js';

export interface Difference {
  /** The entry, the item of a list, or the logbook and month. */
  readonly key: string;
  readonly field: string;
  readonly source: unknown;
  readonly here: unknown;
}

const fields = [
  'owner',
  'source',
  'description',
  'title',
  'level',
  'state',
  'createdDate',
  'modifyDate',
  'modifiedBy',
  'events',
  'logbooks',
  'tags',
  'properties',
] as const;

/** Compares the current version of an entry with the one that is stored here, field by field. */
export async function compareEntry(
  deps: { readonly storage: ImportStorage; readonly source: Pick<ImportSource, 'name'> },
  entry: SourceEntry,
  stored: Entry,
): Promise<Difference[]> {
  const { key, id, current } = entry;
  const differences = fields
    .filter((field) => JSON.stringify(current[field]) !== JSON.stringify(stored[field]))
    .map((field): Difference => ({ key, field, source: shown(current[field]), here: shown(stored[field]) }));
  if (id !== undefined && id !== stored.id) differences.push({ key, field: 'id', source: id, here: stored.id });
  return [...differences, ...(await compareFiles(deps, entry, stored))];
}

async function compareFiles(
  { storage, source }: Parameters<typeof compareEntry>[0],
  { key, current }: SourceEntry,
  stored: Entry,
): Promise<Difference[]> {
  const keys = attachmentKeys(key, current);
  const known = keys.length === 0 ? [] : await storage.committed.imports.listKnown(source.name, 'attachment', keys);
  const targets = new Map(known.map((item) => [item.key, item.target]));
  const wanted = keys.map((fileKey) => targets.get(fileKey) ?? `missing: ${fileKey}`);
  const present = stored.attachments.map(({ id }) => id);
  if (JSON.stringify(wanted) !== JSON.stringify(present)) {
    return [{ key, field: 'attachments', source: shown(wanted), here: shown(present) }];
  }
  return current.attachments.flatMap((file, at): Difference[] => {
    const { checksum } = stored.attachments[at] ?? {};
    if (file.checksum === undefined || file.checksum === checksum) return [];
    return [{ key, field: `checksum of ${file.filename}`, source: file.checksum, here: checksum }];
  });
}

/** A value for the report, which lists many. */
function shown(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= 300 ? value : `${text.slice(0, 300)}…`;
}
