import type { Transaction } from '../../engines/storage.port.js';
import type { Tracing } from '../../kernel/tracing.js';

/** Returns the name of a version of an entry in traces. */
export const versionName = ({ id, version }: { readonly id: number; readonly version: number }): string =>
  `version ${version} of entry ${id}`;

/**
 * Returns the same work, which also notes that the current span has caused the entry versions added to the change feed.
 */
export function notingVersions<T>(
  tracing: Tracing,
  work: (tx: Transaction) => Promise<T>,
): (tx: Transaction) => Promise<T> {
  const note = tracing.noteCauses();
  return (tx) => {
    const append: Transaction['feed']['append'] = (change) => {
      note(versionName({ id: change.entryId, version: change.revision }));
      return tx.feed.append(change);
    };
    const feed = Object.create(tx.feed, { append: { value: append } }) as Transaction['feed'];
    return work(Object.create(tx, { feed: { value: feed } }) as Transaction);
  };
}
