import type { Entry } from '../../../../entries/entry.js';
import { decodeEntry } from '../../../../entries/entry-json.js';
import { highlightersOf } from '../../../../search/highlights.js';
import type { EntryVersion, PageEntries, ShownPage } from '../../../../search/search-index.port.js';
import { snippetOf } from '../../../../search/snippet.js';
import { type IdentifiedDocument, joinPage, maxPageBytes, type PageReader } from './page-reader.js';
import type { ThreadReader } from './thread-reader.js';

/** Shows the entries of a page in a view of it. */
export class PageShower {
  private readonly highlighters;

  constructor(
    private readonly reader: PageReader,
    private readonly shown: ShownPage,
    private readonly threads: ThreadReader,
    private readonly checkTime: () => void,
  ) {
    this.highlighters = highlightersOf(shown.query);
  }

  /** Returns the entries, in this order. Those that would make the page too long are left for `versions`. */
  page(ids: readonly number[]): PageEntries {
    return this.join(this.reader.each(ids), (from) => this.reader.versionsOf(ids.slice(from)));
  }

  /** As `page`, for versions that were found earlier. */
  versions(versions: readonly EntryVersion[]): PageEntries {
    return this.join(this.reader.eachVersion(versions), (from) => versions.slice(from));
  }

  private join(
    documents: Iterable<IdentifiedDocument>,
    restFrom: (shown: number) => readonly EntryVersion[],
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
    return Buffer.from(
      JSON.stringify({ ...this.ownFields(entry), ...this.matches(entry), thread: this.threads.find(entry) }),
    );
  }

  private ownFields(entry: Entry): Partial<Entry> {
    if (!this.shown.view.isList) return entry;
    const { source: _source, description: _description, ...fields } = entry;
    return fields;
  }

  private matches({ title, description }: Entry): object {
    const { isList, hasHighlights } = this.shown.view;
    if (!isList && !hasHighlights) return {};
    const { text, ranges } = snippetOf(description, this.highlighters.description);
    if (!hasHighlights) return { snippet: text };
    return { snippet: text, highlights: { title: this.highlighters.title.rangesIn(title), snippet: ranges } };
  }
}
