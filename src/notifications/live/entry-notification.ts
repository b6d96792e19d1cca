import type { RecordedChange } from '../../entries/change-feed.port.js';
import type { StoredEntry } from '../../entries/entry-json.js';
import { foldCase } from '../../kernel/text.js';

export type LiveNotification = EntryNotification | DamageNotification;

const newEntryMessage = encodeMessage('NEW_LOG_ENTRY', null);

/** A damaged change, or a change of a damaged entry. It is unknown who may read it. */
export class DamageNotification {
  readonly current = undefined;
  /** A message that makes clients list entries again, so that they see the change. */
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
