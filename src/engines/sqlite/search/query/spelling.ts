import { readable } from '../../../facet-terms.js';
import { findSpelling } from '../../../find-spelling.js';
import type { FoundTerm } from '../../../search-terms.js';
import type { TermRange } from '../../../suggest-range.js';
import type { Connection } from '../../database/connection.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { type Container, idOf, lowsOf } from '../index/containers.js';
import type { Postings } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';

/** The entries from which spellings are taken. */
export interface SpelledEntries {
  /** Returns those of the entries of a chunk that are among them and whose current version is indexed. */
  indexed(chunk: number, entries: Container): Container;
  /** Those whose current version is not indexed. */
  readonly unindexed: readonly UnindexedEntry[];
}

/**
 * Returns a term as it is written in the newest of the entries that has it, so that nothing else shows; folded when it
 * is not found there.
 */
export function spellingOf(
  { documents, postings }: { readonly documents: Connection; readonly postings: Postings },
  among: SpelledEntries,
  { kind, field }: Pick<TermRange, 'kind' | 'field'>,
  { id, name }: FoundTerm,
): string {
  const unindexed = among.unindexed.findLast((entry) => entry.has(kind, field, name))?.entry.view;
  const entryId = unindexed ? undefined : newestWith(postings, among, id, field);
  const entry = unindexed ?? (entryId === undefined ? undefined : getSearchable(documents, entryId).view);
  if (!entry) return readable(name);
  return findSpelling(entry, kind, field, name);
}

function newestWith(postings: Postings, among: SpelledEntries, termId: number, field: number): number | undefined {
  const { chunks } = postings.list(termId, field);
  for (const chunk of [...chunks.keys()].sort((one, other) => other - one)) {
    const container = chunks.get(chunk);
    const low = container && lowsOf(among.indexed(chunk, container)).at(-1);
    if (low !== undefined) return idOf(chunk, low);
  }
  return undefined;
}
