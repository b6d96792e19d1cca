import { readable } from '../../../facet-terms.js';
import { findSpelling } from '../../../find-spelling.js';
import { type FoundTerm, type Kind, kinds } from '../../../search-terms.js';
import type { TermRange } from '../../../suggest-range.js';
import type { Connection } from '../../database/connection.js';
import { getSearchable } from '../../tables/entry-writes.js';
import { type Container, idOf, lowsOf } from '../index/containers.js';
import type { Postings } from './postings.js';
import type { UnindexedEntry } from './unindexed-entries.js';

export interface SpelledEntries {
  /** Returns the entries of a chunk that are in this set and whose current version is indexed. */
  indexed(chunk: number, entries: Container): Container;
  /** Entries whose current version is not indexed. */
  readonly unindexed: readonly UnindexedEntry[];
}

/** Kinds of values that each author may spell differently; names of logbooks and tags have a single spelling. */
const freelySpelled: readonly Kind[] = [kinds.level, kinds.owner, kinds.device];

/**
 * Returns a function that spells a term as the given entries do.
 * @param isRestricted whether some entries are hidden from the reader: the first spelling of a value may then come from
 * a hidden entry
 */
export function speller(
  reader: Parameters<typeof spellingOf>[0] & { readonly checkTime: () => void },
  among: SpelledEntries,
  range: Pick<TermRange, 'kind' | 'field'>,
  isRestricted: boolean,
): (term: FoundTerm & { readonly label: string }) => string {
  const trustsLabels = !(isRestricted && freelySpelled.includes(range.kind));
  return (term) => {
    if (term.label !== '' && trustsLabels) return term.label;
    reader.checkTime();
    return spellingOf(reader, among, range, term);
  };
}

/**
 * Returns a term as spelled in the newest of the given entries that contains it, so that hidden entries reveal no
 * spelling; the folded term if none contains it.
 */
function spellingOf(
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
