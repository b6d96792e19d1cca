import type { RecordedChange } from '../../entries/change-feed.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';
import { foldCase } from '../../kernel/text.js';

export type LiveNotification = EntryNotification | DamageNotification;

const newEntryMessage = encodeMessage('NEW_LOG_ENTRY', null);

/** A change whose stored row is damaged, or whose entry is: who may know of it is not known. */
export class DamageNotification {
  readonly current = undefined;
  /** The message after which clients list entries again, which shows them the change. */
  readonly changeMessage = newEntryMessage;
}

/** A change with the current version of its entry. Values derived from it are computed once for all clients. */
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
    if (kind === 'created') return newEntryMessage;
    this.message ??= encodeMessage('LOG_ENTRY_UPDATED', String(entryId));
    return this.message;
  }

  /** The names of the entry's logbooks, case folded. */
  get logbooks(): ReadonlySet<string> {
    this.names ??= new Set(this.current.entry.logbooks.map(({ name }) => foldCase(name)));
    return this.names;
  }
}

function encodeMessage(messageType: string, payload: string | null): Buffer {
  return Buffer.from(JSON.stringify({ messageType, payload }));
}
