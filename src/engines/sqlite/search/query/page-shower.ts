import { decodeEntry } from '../../../../entries/entry-json.js';
import { EntryView } from '../../../../search/entry-view.js';
import { joinPage, maxPageBytes } from '../../../../search/page-frame.js';
import type { EntryRevision, PageEntries, ShownPage } from '../../../../search/search-index.port.js';
import type { GroupReader } from './group-reader.js';
import type { IdentifiedDocument, PageReader } from './page-reader.js';

export class PageShower {
  private readonly view: EntryView;

  constructor(
    private readonly reader: PageReader,
    shown: ShownPage,
    private readonly groups: GroupReader,
    private readonly checkTime: () => void,
  ) {
    this.view = new EntryView(shown);
  }

  /** Returns the entries in this order. Once the page is full, the remaining entries are left for `versions`. */
  page(ids: readonly number[]): PageEntries {
    return this.join(this.reader.each(ids), (from) => this.reader.versionsOf(ids.slice(from)));
  }

  /** Returns entries like `page`, for versions found by an earlier search. */
  versions(versions: readonly EntryRevision[]): PageEntries {
    return this.join(this.reader.eachVersion(versions), (from) => versions.slice(from));
  }

  /** Returns entries like `page`, as objects; none if they are too long. */
  list(ids: readonly number[]): readonly object[] {
    const page = this.page(ids);
    return page.kind === 'joined' ? (JSON.parse(new TextDecoder().decode(page.json).trim()) as object[]) : [];
  }

  private join(
    documents: Iterable<IdentifiedDocument>,
    restFrom: (shown: number) => readonly EntryRevision[],
  ): PageEntries {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for (const { document } of documents) {
      this.checkTime();
      if (bytes > maxPageBytes) return { kind: 'begun', json: joinPage(pieces, bytes), rest: restFrom(pieces.length) };
      const piece = this.show(document);
      pieces.push(piece);
      bytes += piece.byteLength;
    }
    return { kind: 'joined', json: joinPage(pieces, bytes) };
  }

  private show(document: Uint8Array): Uint8Array {
    const entry = decodeEntry(Buffer.from(document.buffer, document.byteOffset, document.byteLength));
    return this.view.show(entry, this.groups.find(entry));
  }
}
