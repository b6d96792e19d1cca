import { cosine } from '../../../packages/token-vectors/token-vectors.js';
import { wholeTextOf } from '../../entries/earlier-description.js';
import type { EntryWriteReader } from '../../entries/entry-writes.port.js';
import { FairQueue } from '../../kernel/fair-queue.js';
import { nextSharedTurn } from '../../kernel/fair-turns.js';
import type { Query } from '../../search/query.js';
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
import { allOf, anyOf, compileQuery, type Filter } from './compile-query.js';
import { newestId } from './find-page.js';
import { allWords, type ValueKind, valueFields } from './index-mapping.js';
import { tooManyComparisons } from './opensearch-errors.js';
import type { PageReader } from './page-reader.js';
import type { SearchCluster } from './search-cluster.js';
import { type Hit, IndexSnapshot } from './search-requests.js';
import { decodeVector, weighedParts } from './vector-terms.js';

/** Number of documents, chosen by approximate scores, whose vectors are read and compared. */
const maxCompared = 1_000;
/** Maximum number of documents whose approximate scores are computed. Each takes about 1.5 µs. */
const maxScored = 200_000;
/**
 * Approximate gain in the cosine of two vectors for a part of average weight that their signatures have in common. Only
 * the choice of the compared documents depends on it.
 */
const partGain = 0.03;
/** Maximum numbers of comparisons that run and wait. Searches need the rest of the cluster. */
const limits = { slots: 2, slotsPerClient: 2, waitingPerClient: 16, waiting: 16 };
const maxWaitMs = 10_000;

type Near = EntryRevision & Similarity;
/** Groups of terms by which documents are chosen: few documents share a word, but many share a level or a time. */
const choosing: ReadonlySet<SharedTerm['group']> = new Set<SharedTerm['group']>(['words', 'devices', 'tags']);

/** Finds the entries that are similar to an entry or a text. */
export class SimilarEntries {
  private readonly queue = new FairQueue(limits, undefined, () => tooManyComparisons(limits.slots));

  constructor(
    private readonly cluster: SearchCluster,
    private readonly pages: PageReader,
    private readonly entryWrites: Pick<EntryWriteReader, 'findSearchable'>,
    private readonly maxScoredDocuments = maxScored,
  ) {}

  /**
   * Returns the most similar entries, best first, each with reasons; none if the given entry does not exist.
   * @throws Fault busy `search.busy`; the reason of the signal when it aborts while the request waits for its turn
   */
  async list(index: string, request: SimilarRequest, signal?: AbortSignal): Promise<SimilarEntry[]> {
    const list = (snapshot: IndexSnapshot) => this.listIn(snapshot, request);
    const patience = { maxWaitMs, ...(signal && { signal }) };
    return this.queue.run('', () => IndexSnapshot.use(this.cluster, index, signal, list), patience);
  }

  private async listIn(snapshot: IndexSnapshot, { to, query, size }: SimilarRequest): Promise<SimilarEntry[]> {
    const entry = typeof to === 'number' && (await this.entryWrites.findSearchable(to));
    if (typeof to === 'number' && !entry) return [];
    const compared = entry ? entryToCompare(entry) : textToCompare(String(to));
    const near = await findNear(snapshot, { to, query, size }, compared, this.maxScoredDocuments);
    const entries = await this.pages.readFirst(near);
    const reasons: string[][] = [];
    for (const entry of entries) {
      reasons.push(reasonsFor({ ...entry, description: wholeTextOf(entry) }, compared, tokenVectors()));
      await nextSharedTurn();
    }
    const hasReason = (_: unknown, at: number) => near[at]?.isByTerms === true || reasons[at]?.length !== 0;
    const shown = { query, view: { isList: true, hasHighlights: false } };
    const like = reasons.filter(hasReason);
    const similar: SimilarEntry[] = [];
    for await (const json of this.pages.view(snapshot, shown, entries.filter(hasReason))) {
      similar.push({ entry: JSON.parse(Buffer.from(json).toString()) as object, like: like[similar.length] ?? [] });
    }
    return similar;
  }
}

/** Returns a filter for the documents to compare: those that match the filters of the query, but not its words. */
function amongOf(to: SimilarRequest['to'], query: SimilarRequest['query']): Filter {
  const clauses = compileQuery(query);
  const filters = withoutWords(clauses);
  const unwanted: Filter[] = typeof to === 'number' ? [{ term: { id: to } }] : [];
  if (filters.length < clauses.length) unwanted.push(allOf(clauses, query));
  return { bool: { filter: [allOf(filters, query)], must_not: unwanted } };
}

async function findNear(
  snapshot: IndexSnapshot,
  { to, query, size }: SimilarRequest,
  compared: ComparedText,
  maxScoredDocuments: number,
): Promise<Near[]> {
  const vector = tokenVectors().embed(compared.texts);
  const among = amongOf(to, query);
  const counts = await countTerms(snapshot, among, compared);
  const scores = [
    ...counts.terms.map(({ name, filter, gain }) => ({ constant_score: { filter, boost: gain, _name: name } })),
    ...weighedParts(vector).map(({ part, weight }) => ({
      constant_score: { filter: { term: { signature: part } }, boost: partGain * weight },
    })),
  ];
  if (counts.matching === 0 || scores.length === 0) return [];
  const chosen =
    counts.matching > maxScoredDocuments ? await choose(snapshot, query, counts.terms, maxScoredDocuments) : undefined;
  const { hits } = await snapshot.search({
    filter: chosen ? { bool: { filter: [among, chosen] } } : among,
    compared: scores,
    filtersFirst: counts.all > maxScoredDocuments,
    size: maxCompared,
  });
  const similarTo = ({ vector: encoded, matched }: Hit): Similarity | undefined => {
    const near = encoded === undefined ? 0 : cosine(decodeVector(encoded), vector);
    const names = new Set(matched);
    return similarityOf(near, counts.terms, ({ name }) => names.has(name));
  };
  return hits
    .flatMap((hit) => {
      const similarity = similarTo(hit);
      return similarity ? [{ id: hit.id, revision: hit.revision, ...similarity }] : [];
    })
    .sort(bestFirst)
    .slice(0, size);
}

type Term = Awaited<ReturnType<typeof countTerms>>['terms'][number];

/**
 * Returns a filter for at most `maxDocuments` documents: those with the rarest terms, or the newest ones if each term
 * occurs in more documents.
 */
async function choose(
  snapshot: IndexSnapshot,
  query: Query,
  terms: readonly Term[],
  maxDocuments: number,
): Promise<Filter> {
  const chosen: Filter[] = [];
  let left = maxDocuments;
  const byCount = terms.filter(({ group }) => choosing.has(group)).sort((one, other) => one.count - other.count);
  for (const { filter, count } of byCount) {
    if (count > left) break;
    left -= count;
    if (count > 0) chosen.push(filter);
  }
  if (chosen.length > 0) return anyOf(chosen);
  return { range: { id: { gt: (await newestId(snapshot, query)) - maxDocuments } } };
}

/**
 * Returns the terms that documents may share with the text, weighed by the number of documents that have them. Also
 * returns the number of documents that match the filter, and of all documents.
 */
async function countTerms(snapshot: IndexSnapshot, among: Filter, to: ComparedText) {
  const shared = listSharedTerms(to).map((term) => ({ group: term.group, filter: filterFor(term) }));
  const each = { filters: { filters: shared.map(({ filter }) => filter) } };
  const [found, everything] = await snapshot.searchAll([
    { filter: among, ...(shared.length > 0 && { aggregations: { each } }) },
    { filter: allOf([], { hiddenLogbooks: [] }) },
  ]);
  const counts = (found?.aggregations.each?.buckets ?? []).map((bucket) => bucket.doc_count);
  const counted = shared.map((term, at) => ({ ...term, name: String(at), count: counts[at] ?? 0 }));
  const matching = found?.count ?? 0;
  return { terms: weigh(counted, matching), matching, all: everything?.count ?? 0 };
}

function filterFor({ is }: SharedTerm): Filter {
  if ('createdFromMs' in is) return { range: { created: { gte: is.createdFromMs, lte: is.createdToMs } } };
  const field = is.kind === kinds.word ? allWords : valueFields[is.kind as ValueKind];
  return { term: { [field]: is.name } };
}
