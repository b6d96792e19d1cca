import type { Request } from '../load.js';
import type { Corpus } from '../search/corpus.js';
import { distinctParams, searchRows } from '../search/rows.js';
import { entryOf } from './fill.js';
import type { Side } from './side.js';

/** One kind of request that all services are measured with. */
export interface CompareRow {
  readonly name: string;
  /** Returns a function that maps a number to a request. The same corpus gives the same requests. */
  requests(corpus: Corpus, side: Side): (index: number) => Request;
  readonly writes?: true;
}

/** Searches whose parameters every compared service supports. */
const searches = [
  'newest',
  'rare',
  'mid',
  'common',
  'two-common',
  'three',
  'word-tag',
  'tag',
  'level',
  'logbook',
  'phrase',
  'any-phrase',
  'device',
  'suffix-130',
  'prefix',
  'fuzzy',
];
const pageSize = 100;

/** Rows in the order in which they run; the names are those of the command line. */
export const compareRows: Readonly<Record<string, CompareRow>> = {
  get: {
    name: 'GET /logs/{id}',
    requests: (corpus, side) => (index) => side.get(`/logs/${1 + ((index * 7_919) % corpus.entries)}`),
  },
  ...Object.fromEntries(searches.map((name) => [name, searchRow(name)])),
  create: {
    name: 'PUT /logs',
    writes: true,
    requests: (corpus, side) => (index) => side.send('PUT', '/logs', entryOf(corpus, corpus.entries + index)),
  },
  edit: {
    name: 'POST /logs/{id}',
    writes: true,
    requests: (corpus, side) => (index) =>
      side.send('POST', `/logs/${1 + ((index * 7_919) % corpus.entries)}`, entryOf(corpus, corpus.entries + index)),
  },
};

function searchRow(name: string): CompareRow {
  const row = searchRows[name];
  if (!row) throw new Error(`unknown search ${name}`);
  return {
    name: `search: ${row.name}`,
    requests: (corpus, side) => {
      const paramsOf = distinctParams(row, corpus);
      return (index) => side.get(`/logs/search?${queryOf(paramsOf(index))}`);
    },
  };
}

/** Encodes the parameters of a search. All compared services name the parameter for text `desc`. */
function queryOf(params: object): string {
  const query = new URLSearchParams({ size: String(pageSize) });
  for (const [key, value] of Object.entries(params)) query.set(key === 'text' ? 'desc' : key, String(value));
  return query.toString();
}
