import { damagedEntry } from '../../entries/damaged-entry.js';
import type { Entry } from '../../entries/entry.js';
import { decodeEntry, encodeEntry } from '../../entries/entry-json.js';
import type { EntryReader } from '../../entries/entry-store.port.js';
import { isDamage } from '../../entries/unless-damaged.js';
import { nextSharedTurn } from '../../kernel/fair-turns.js';
import { EntryView } from '../../search/entry-view.js';
import { joinPage, maxPageBytes } from '../../search/page-frame.js';
import type { EntryRevision, PageEntries, ShownPage } from '../../search/search-index.port.js';
import { readGroups } from './read-groups.js';
import type { IndexSnapshot } from './search-requests.js';

const parallelDocuments = 16;
/** Maximum size of an entry of a joined page. With a longer entry, all are read one by one while they are sent. */
const longEntryBytes = 65_536;

/** Reads the entries of result pages from the storage, in the versions that the search found. */
export class PageReader {
  constructor(private readonly entries: Pick<EntryReader, 'findJson'>) {}

  async read(versions: readonly EntryRevision[]): Promise<PageEntries> {
    const documents: Uint8Array[] = [];
    let bytes = 0;
    for await (const document of this.each(versions)) {
      bytes += document.byteLength;
      if (bytes > maxPageBytes || document.byteLength > longEntryBytes) return { kind: 'long', versions };
      documents.push(document);
    }
    return { kind: 'joined', json: joinPage(documents, bytes) };
  }

  /** Returns the entries in a view. Once the page is full, the remaining entries are left for the next call. */
  async show(snapshot: IndexSnapshot, shown: ShownPage, versions: readonly EntryRevision[]): Promise<PageEntries> {
    const entries = await this.readFirst(versions);
    const pieces: Uint8Array[] = [];
    for await (const piece of this.view(snapshot, shown, entries)) pieces.push(piece);
    const json = joinPage(
      pieces,
      pieces.reduce((sum, { byteLength }) => sum + byteLength, 0),
    );
    const rest = versions.slice(entries.length);
    return rest.length === 0 ? { kind: 'joined', json } : { kind: 'begun', json, rest };
  }

  /** Returns the first of the entries, up to the one with which they exceed the size of a page. */
  async readFirst(versions: readonly EntryRevision[]): Promise<Entry[]> {
    const entries: Entry[] = [];
    let bytes = 0;
    for await (const document of this.each(versions)) {
      entries.push(decodeEntry(Buffer.from(document.buffer, document.byteOffset, document.byteLength)));
      bytes += document.byteLength;
      if (bytes > maxPageBytes) break;
    }
    return entries;
  }

  /** Yields the JSON of each entry in the view. */
  async *view(snapshot: IndexSnapshot, shown: ShownPage, entries: readonly Entry[]): AsyncGenerator<Uint8Array> {
    const groupOf = await readGroups(snapshot, entries, shown.query);
    const view = new EntryView(shown);
    for (const entry of entries) {
      yield view.show(entry, groupOf(entry));
      await nextSharedTurn();
    }
  }

  private async *each(versions: readonly EntryRevision[]): AsyncGenerator<Uint8Array> {
    for (let at = 0; at < versions.length; at += parallelDocuments) {
      const some = versions.slice(at, at + parallelDocuments);
      yield* await Promise.all(some.map((one) => this.readOne(one)));
      await nextSharedTurn();
    }
  }

  private async readOne({ id, revision }: EntryRevision): Promise<Uint8Array> {
    const json = await this.entries.findJson(id, revision).catch((error: unknown) => {
      if (isDamage(error)) return encodeEntry(damagedEntry(id));
      throw error;
    });
    if (!json) throw new Error(`entry ${id} is in the search index and is not stored`);
    return json;
  }
}
