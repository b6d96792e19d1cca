import type { RecordedChange } from '../../entries/change-feed.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';
import { foldCase } from '../../kernel/text.js';

/** A change with its entry as it stands now. What is derived from it is computed once for all clients. */
export class EntryNotification {
  private message: Buffer | undefined;
  private names: ReadonlySet<string> | undefined;

  constructor(
    readonly change: RecordedChange,
    readonly current: StoredEntry,
  ) {}

  /** The JSON message for clients that are notified without the entry and fetch it themselves. */
  get changeMessage(): Buffer {
    const { kind, entryId } = this.change;
    this.message ??= Buffer.from(
      JSON.stringify(
        kind === 'created'
          ? { messageType: 'NEW_LOG_ENTRY', payload: null }
          : { messageType: 'LOG_ENTRY_UPDATED', payload: String(entryId) },
      ),
    );
    return this.message;
  }

  /** The names of the entry's logbooks, case folded. */
  get logbooks(): ReadonlySet<string> {
    this.names ??= new Set(this.current.entry.logbooks.map(({ name }) => foldCase(name)));
    return this.names;
  }
}
