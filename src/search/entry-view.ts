import type { Entry } from '../entries/entry.js';
import { highlightersOf } from './highlights.js';
import type { ShownPage } from './search-index.port.js';
import { snippetOf } from './snippet.js';

/** The group of an entry, as a page shows it. Only entries that the user may read count. */
export interface GroupOfEntry {
  readonly id: string;
  /** Number of entries in the group, at least 2. */
  readonly size: number;
  /** Position of the entry in the group by creation; 1 for the oldest. */
  readonly position: number;
  /** Time at which the newest entry of the group was created. */
  readonly lastDate: number;
  readonly lastOwner: string;
}

/** Shows entries in the view of a page. */
export class EntryView {
  private readonly highlighters;

  constructor(private readonly shown: ShownPage) {
    this.highlighters = highlightersOf(shown.query);
  }

  /** Returns the entry as JSON in UTF-8. */
  show(entry: Entry, group: GroupOfEntry | null): Uint8Array {
    return Buffer.from(JSON.stringify({ ...this.ownFields(entry), ...this.matches(entry), thread: group }));
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
