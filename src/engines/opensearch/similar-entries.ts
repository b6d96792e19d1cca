import { cosine } from '../../../packages/token-vectors/token-vectors.js';
import { wholeTextOf } from '../../entries/earlier-description.js';
import type { EntryWriteReader } from '../../entries/entry-writes.port.js';
import { nextSharedTurn } from '../../kernel/fair-turns.js';
import type { EntryRevision, SimilarEntry, SimilarRequest } from '../../search/search-index.port.js';
import { withoutWords } from '../query-clauses.js';
import { kinds } from '../search-terms.js';
import {
  bestFirst,
  type ComparedText,
  entryToCompare,
  listSharedTerms,
  reasonsFor,
  type SharedTerm,
  type Similarity,
  similarityOf,
  textToCompare,
  weigh,
} from '../similarity.js';
import { tokenVectors } from '../text-vectors.js';
import { allOf, compileQuery, type Filter } from './compile-query.js';
import { allWords, type ValueKind, valueFields } from './index-mapping.js';
import type { PageReader } from './page-reader.js';
import type { Hit, IndexSnapshot } from './search-requests.js';
import { decodeVector, weighedParts } from './vector-terms.js';

/** Number of documents, chosen by approximate scores, whose vectors are read and compared. */
const maxCompared = 1_000;
/**
 * Approximate gain in the cosine of two vectors for a part of average weight that their signatures have in common. Only
 * the choice of the compared documents depends on it.
 */
const partGain = 0.03;

type Near = EntryRevision & Similarity;

/** Returns the most similar entries, best first, each with reasons; none if the given entry does not exist. */
export async function listSimilar(
  snapshot: IndexSnapshot,
  pages: PageReader,
  entryWrites: Pick<EntryWriteReader, 'findSearchable'>,
  { to, query, size }: SimilarRequest,
): Promise<SimilarEntry[]> {
  const entry = typeof to === 'number' && (await entryWrites.findSearchable(to));
  if (typeof to === 'number' && !entry) return [];
  const compared = entry ? entryToCompare(entry) : textToCompare(String(to));
  const near = await findNear(snapshot, amongOf(to, query), compared, size);
  const entries = await pages.readFirst(near);
  const reasons: string[][] = [];
  for (const entry of entries) {
    reasons.push(reasonsFor({ ...entry, description: wholeTextOf(entry) }, compared, tokenVectors()));
    await nextSharedTurn();
  }
  const hasReason = (_: unknown, at: number) => near[at]?.isByTerms === true || reasons[at]?.length !== 0;
  const shown = { query, view: { isList: true, hasHighlights: false } };
  const like = reasons.filter(hasReason);
  const similar: SimilarEntry[] = [];
  for await (const json of pages.view(snapshot, shown, entries.filter(hasReason))) {
    similar.push({ entry: JSON.parse(Buffer.from(json).toString()) as object, like: like[similar.length] ?? [] });
  }
  return similar;
}

/** Returns a filter for the documents that are compared: those that match the filters and contain other words. */
function amongOf(to: SimilarRequest['to'], query: SimilarRequest['query']): Filter {
  const clauses = compileQuery(query);
  const filters = withoutWords(clauses);
  const unwanted: Filter[] = typeof to === 'number' ? [{ term: { id: to } }] : [];
  if (filters.length < clauses.length) unwanted.push(allOf(clauses, query));
  return { bool: { filter: [allOf(filters, query)], must_not: unwanted } };
}

async function findNear(snapshot: IndexSnapshot, among: Filter, to: ComparedText, size: number): Promise<Near[]> {
  const vector = tokenVectors().embed(to.texts);
  const terms = await countTerms(snapshot, among, to);
  const scores = [
    ...terms.map(({ name, filter, gain }) => ({ constant_score: { filter, boost: gain, _name: name } })),
    ...weighedParts(vector).map(({ part, weight }) => ({
      constant_score: { filter: { term: { signature: part } }, boost: partGain * weight },
    })),
  ];
  if (scores.length === 0) return [];
  const { hits } = await snapshot.search({ filter: among, compared: scores, size: maxCompared });
  const similarTo = ({ vector: encoded, matched }: Hit): Similarity | undefined => {
    const near = encoded === undefined ? 0 : cosine(decodeVector(encoded), vector);
    const names = new Set(matched);
    return similarityOf(near, terms, ({ name }) => names.has(name));
  };
  return hits
    .flatMap((hit) => {
      const similarity = similarTo(hit);
      return similarity ? [{ id: hit.id, revision: hit.revision, ...similarity }] : [];
    })
    .sort(bestFirst)
    .slice(0, size);
}

/** Returns what the compared documents may have in common with the text, weighed by the number that have it. */
async function countTerms(snapshot: IndexSnapshot, among: Filter, to: ComparedText) {
  const shared = listSharedTerms(to).map((term) => ({ group: term.group, filter: filterFor(term) }));
  if (shared.length === 0) return [];
  const each = { filters: { filters: shared.map(({ filter }) => filter) } };
  const { count: all, aggregations } = await snapshot.search({ filter: among, aggregations: { each } });
  const counts = (aggregations.each?.buckets ?? []).map((bucket) => bucket.doc_count);
  const counted = shared.map((term, at) => ({ ...term, name: String(at), count: counts[at] ?? 0 }));
  return all === 0 ? [] : weigh(counted, all);
}

function filterFor({ is }: SharedTerm): Filter {
  if ('createdFromMs' in is) return { range: { created: { gte: is.createdFromMs, lte: is.createdToMs } } };
  const field = is.kind === kinds.word ? allWords : valueFields[is.kind as ValueKind];
  return { term: { [field]: is.name } };
}
