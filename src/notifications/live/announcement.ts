import type { RecordedChange } from '../../entries/change-feed.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';
import { foldCase } from '../../kernel/text.js';

/** A change with its entry as it stands; what is made of it is made once for all clients. */
export class EntryNotification {
  private made: Buffer | undefined;
  private names: ReadonlySet<string> | undefined;

  constructor(
    readonly change: RecordedChange,
    readonly current: StoredEntry,
  ) {}

  /** What clients are told that look for themselves. */
  get notice(): Buffer {
    const { kind, entryId } = this.change;
    this.made ??= Buffer.from(
      JSON.stringify(
        kind === 'created'
          ? { messageType: 'NEW_LOG_ENTRY', payload: null }
          : { messageType: 'LOG_ENTRY_UPDATED', payload: String(entryId) },
      ),
    );
    return this.made;
  }

  /** The logbooks that the entry is filed under, as they are compared. */
  get logbooks(): ReadonlySet<string> {
    this.names ??= new Set(this.current.entry.logbooks.map(({ name }) => foldCase(name)));
    return this.names;
  }
}
