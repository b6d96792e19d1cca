import type { Transaction } from '../../engines/storage.port.js';
import type { Tracing } from '../../kernel/tracing.js';

/** Returns the name of a version of an entry in traces. */
export const versionName = ({ id, version }: { readonly id: number; readonly version: number }): string =>
  `version ${version} of entry ${id}`;

/**
 * Wraps `work` so that the entry versions that it adds to the change feed are noted as caused by the current span.
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
