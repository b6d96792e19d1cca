import type { Storage } from '../src/engines/storage.port.js';
import { Corpus } from './search/corpus.js';

const perWrite = 250;

/** Stores new entries with their changes in the feed. Returns the total size of their documents, in bytes. */
export async function fill(storage: Storage, entries: number): Promise<number> {
  const corpus = new Corpus(1, entries);
  let bytes = 0;
  for (let first = 0; first < entries; first += perWrite) {
    await storage.write(async (tx) => {
      for (let at = first; at < Math.min(first + perWrite, entries); at++) {
        const { content } = corpus.entry(at);
        for (const attachment of content.attachments) await tx.attachments.insert(attachment);
        const entry = await tx.entries.insert(content);
        bytes += Buffer.byteLength(entry.json);
        const change = {
          kind: 'created',
          entryId: entry.id,
          revision: 1,
          notify: false,
          atMs: content.createdDate,
        } as const;
        await tx.feed.append(change);
      }
    });
  }
  return bytes;
}
