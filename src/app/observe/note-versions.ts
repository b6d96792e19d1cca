import type { Transaction } from '../../engines/storage.port.js';
import type { Tracing } from '../../kernel/tracing.js';

/** Name of a version of an entry in traces. */
export const versionName = ({ id, version }: { readonly id: number; readonly version: number }): string =>
  `version ${version} of entry ${id}`;

/**
 * Returns the same work, but notes the versions of entries that it adds to the change feed as caused by the current
 * span.
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
