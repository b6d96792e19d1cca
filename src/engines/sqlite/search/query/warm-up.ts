import { partsOf } from '../../../../../packages/search-language/tokenize.js';
import { parseQuery } from '../../../../search/parse-query.js';
import type { Query } from '../../../../search/query.js';
import type { SearchParams } from '../../../../search/search-params.js';
import type { Connection } from '../../database/connection.js';
import { newestId } from '../../tables/entries.js';
import type { EntrySearcher } from './entry-search.js';

/** Time limit for warming up, regardless of the number of searches: startup waits for it. */
const warmUpMs = 150;
/** Maximum size of an entry whose words are used. */
const maxSampleBytes = 100_000;
const fewEntries = 100;

type Sample = Partial<Record<'title' | 'source' | 'level' | 'owner', string | null>> & {
  readonly logbooks?: readonly { readonly name: string }[];
  readonly tags?: readonly { readonly name: string }[];
};

/**
 * Runs searches of every kind for the content of the newest entry. Their code is then compiled, and the most-used parts
 * of the index are in memory; otherwise the first searches of users would take many times as long.
 * @param checkStop throws when the service stops
 */
export function warmUp(searcher: EntrySearcher, documents: Connection, checkStop: () => void): void {
  const endMs = performance.now() + warmUpMs;
  const queries = queriesLike(newestEntry(documents));
  // With few entries, any search is fast.
  let rounds = newestId(documents) < fewEntries ? 1 : Number.POSITIVE_INFINITY;
  while (rounds-- > 0) {
    for (const query of queries) {
      searcher.search(query, {}, checkStop);
      if (performance.now() >= endMs) return;
    }
    searcher.facets(queries[0] as Query, {}, checkStop);
  }
}

function newestEntry(documents: Connection): Sample {
  const row = documents.get<{ document: string }>(
    'SELECT document FROM entry WHERE octet_length(document) <= ? ORDER BY id DESC LIMIT 1',
    maxSampleBytes,
  );
  return row ? (JSON.parse(row.document) as Sample) : {};
}

function queriesLike({ title, source, level, owner, logbooks, tags }: Sample): Query[] {
  const words = partsOf(`${title ?? ''} ${source ?? ''}`).filter((word) => /^\w{4,}$/.test(word));
  const [first = 'beam', second = 'current'] = words;
  const params: SearchParams[] = [
    {},
    { text: first },
    { text: `${first} ${second}` },
    { text: `"${first} ${second}"` },
    { text: `${first.slice(0, 3)}*` },
    { text: `*${first.slice(-3)}` },
    { text: first, fuzzy: 'true' },
    { title: first },
    { query: `${first} ${second}`, sort: 'relevance' },
    { level: level ?? 'Info' },
    { owner: owner ?? 'admin' },
    { logbooks: logbooks?.[0]?.name ?? 'operations' },
    { tags: tags?.[0]?.name ?? 'alarm' },
    { text: first, start: '1 week', end: 'now' },
  ];
  return params.map((one) => parseQuery({ size: '100', ...one }, { nowMs: Date.now(), zone: 'UTC' }));
}
