import type { Storage } from '../../src/engines/storage.port.js';
import type { GivenEntryDocument } from '../../src/entries/entry.js';
import type { ImportSource } from '../../src/imports/import-source.port.js';

const entriesPerWrite = 500;
const writesInFlight = 3;

/** The versions of an entry as the storage takes them, oldest first. */
export interface BulkEntry {
  readonly versions: readonly GivenEntryDocument[];
  readonly inReplyTo: number | undefined;
}

/** Reads all entries of a source into memory, without their files. */
export async function readEntries(source: ImportSource, signal: AbortSignal): Promise<BulkEntry[]> {
  const found: BulkEntry[] = [];
  for await (const { entries } of source.walk(undefined, signal)) {
    for (const { id, current, inReplyTo, listArchived } of entries) {
      const { versions } = await listArchived(signal);
      found.push({
        versions: [...versions, current].map((version) => ({ ...version, id: id as number, attachments: [] })),
        inReplyTo: inReplyTo === undefined ? undefined : Number(inReplyTo),
      });
    }
  }
  return found;
}

/** Stores entries with their earlier versions, as fast as the storage alone can. */
export async function storeInBulk(storage: Storage, entries: readonly BulkEntry[]): Promise<void> {
  let next = 0;
  const writer = async () => {
    while (next < entries.length) {
      const batch = entries.slice(next, next + entriesPerWrite);
      next += batch.length;
      await storage.write(async (tx) => {
        const stores = { entries: tx.entries, feed: tx.feed };
        for (const { versions, inReplyTo } of batch) {
          const [first, ...later] = versions as [GivenEntryDocument, ...GivenEntryDocument[]];
          let { id, revision } = await stores.entries.insertGiven(first, { inReplyTo });
          for (const edit of later) ({ id, revision } = await stores.entries.edit({ ...edit, version: 0 }));
          const atMs = first.createdDate;
          await stores.feed.append({ kind: 'created', entryId: id, revision, notify: false, atMs });
        }
      });
    }
  };
  await Promise.all(Array.from({ length: writesInFlight }, writer));
}
