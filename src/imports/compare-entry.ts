import { checkFilename } from '../attachments/attachment.js';
import { addedDataOf, withoutAddedData } from '../entries/added-data.js';
import type { Entry } from '../entries/entry.js';
import { attachmentKeys } from './entry-content.js';
import type { ImportedEntry, ImportedVersion, ImportSource } from './import-source.port.js';
import type { ImportStorage } from './import-storage.js';

export interface Difference {
  /** Key of the entry or of the item of a list, or the logbook and month. */
  readonly key: string;
  readonly field: string;
  readonly source: unknown;
  readonly here: unknown;
}

/** The fields that a comparison covers; files are compared separately. Omitting a field is a compile error. */
const compared = {
  owner: true,
  ownerName: true,
  source: true,
  description: true,
  title: true,
  level: true,
  state: true,
  createdDate: true,
  modifyDate: true,
  modifiedBy: true,
  events: true,
  logbooks: true,
  tags: true,
  properties: true,
  run: true,
  automatic: true,
} as const satisfies Record<keyof Omit<ImportedVersion, 'attachments'>, true>;
const fields = Object.keys(compared) as (keyof typeof compared)[];

export interface CompareDeps {
  readonly storage: ImportStorage;
  readonly source: Pick<ImportSource, 'name'>;
}

/** Compares the current version of an entry with the stored one, field by field, and their parents. */
export async function compareEntry(deps: CompareDeps, entry: ImportedEntry, stored: Entry): Promise<Difference[]> {
  const { key, id, current } = entry;
  const differences = await compareVersion(deps, key, current, stored);
  if (id !== undefined && id !== stored.id) differences.push({ key, field: 'id', source: id, here: stored.id });
  const parent = await compareParent(deps, entry, stored.id);
  return parent ? [...differences, parent] : differences;
}

/** Compares a version of an entry with a stored one: its fields and its list of files. */
export async function compareVersion(
  deps: CompareDeps,
  key: string,
  version: ImportedVersion,
  stored: Entry,
): Promise<Difference[]> {
  return [...listFieldDifferences(key, version, stored), ...(await compareFiles(deps, key, version, stored))];
}

/** Compares the fields of a version with those of a stored one, except its files and the data that were added here. */
export function listFieldDifferences(key: string, version: ImportedVersion, here: Entry): Difference[] {
  const stored = withoutAddedData(here, addedDataOf(here, version));
  return fields
    .filter((field) => version[field] !== stored[field])
    .filter((field) => comparable(version[field]) !== comparable(stored[field]))
    .map((field): Difference => ({ key, field, source: shown(version[field]), here: shown(stored[field]) }));
}

/**
 * Returns a value as text. An abandoned run counts as running, because the settings of each logbook decide when a run
 * is abandoned.
 */
function comparable(value: ImportedVersion[keyof typeof compared]): string | undefined {
  const isAbandoned = typeof value === 'object' && value !== null && 'blocks' in value && value.status === 'abandoned';
  return JSON.stringify(isAbandoned ? { ...value, status: 'running' } : value);
}

async function compareFiles(
  { storage, source }: CompareDeps,
  key: string,
  version: ImportedVersion,
  here: Entry,
): Promise<Difference[]> {
  const stored = withoutAddedData(here, addedDataOf(here, version));
  const keys = attachmentKeys(key, version);
  const known = keys.length === 0 ? [] : await storage.committed.imports.listKnown(source.name, 'attachment', keys);
  const targets = new Map(known.map((item) => [item.key, item.target]));
  const wanted = keys.map((fileKey) => targets.get(fileKey) ?? `missing: ${fileKey}`);
  const present = stored.attachments.map(({ id }) => id);
  if (JSON.stringify(wanted) !== JSON.stringify(present)) {
    return [{ key, field: 'attachments', source: shown(wanted), here: shown(present) }];
  }
  return version.attachments.flatMap((file, at): Difference[] => {
    const { checksum, filename } = stored.attachments[at] ?? {};
    if (filename !== file.filename && isFilename(file.filename)) {
      return [{ key, field: 'filename', source: file.filename, here: filename }];
    }
    if (file.checksum === undefined || file.checksum === checksum) return [];
    return [{ key, field: `checksum of ${file.filename}`, source: file.checksum, here: checksum }];
  });
}

function isFilename(name: string): boolean {
  try {
    checkFilename(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Compares the parent of an entry, if the source gives it. Most sources show only the group, which is one of the
 * properties.
 */
async function compareParent(
  { storage, source }: CompareDeps,
  { key, inReplyTo }: ImportedEntry,
  storedId: number,
): Promise<Difference | undefined> {
  if (inReplyTo === undefined) return undefined;
  const [parent] = await storage.committed.imports.listKnown(source.name, 'entry', [inReplyTo]);
  const here = await storage.committed.entries.findParent(storedId);
  if (parent && Number(parent.target) === here) return undefined;
  return { key, field: 'inReplyTo', source: inReplyTo, here: here ?? 'missing' };
}

/** Returns a value for the report, in which long values are shortened. */
function shown(value: unknown): unknown {
  const text = JSON.stringify(value ?? null);
  return text.length <= 300 ? value : `${text.slice(0, 300)}…`;
}
