import type { Facet, Query } from '../../../../search/query.js';
import type {
  EntryRevision,
  FacetOptions,
  PageEntries,
  PageOptions,
  SearchExplanation,
  SearchFacets,
  SearchPage,
  ShownPage,
  SimilarEntry,
  SimilarRequest,
  ValueCount,
} from '../../../../search/search-index.port.js';
import type { SuggestRequest } from '../../../../search/suggestions.js';
import { isFacet } from '../../../facet-terms.js';
import { withoutWords } from '../../../query-clauses.js';
import { entryToCompare, reasonsFor, textToCompare } from '../../../similarity.js';
import { tokenVectors } from '../../../text-vectors.js';
import type { Connection } from '../../database/connection.js';
import { findSearchable, getSearchable } from '../../tables/entry-writes.js';
import { and, andNot, type Container, empty, or } from '../index/containers.js';
import { LearnedVectors } from '../index/entry-vectors.js';
import { FrequentWords } from '../index/frequent-words.js';
import { readState } from '../index/index-database.js';
import { builtAfter, mayHoldRemoved } from '../index/removed-content.js';
import { newestOfGroups } from './collapse-groups.js';
import { type CompiledClause, QueryCompiler } from './compile-query.js';
import { allOf, type Condition } from './conditions.js';
import { CreationOrder } from './creation-order.js';
import { Dictionary } from './dictionary.js';
import { contains, entrySetFromIds, toEntrySet } from './entry-set.js';
import { explain } from './explain.js';
import { countFacets } from './facets.js';
import { amongFound, type FoundEntries } from './found-entries.js';
import { GroupMap } from './group-map.js';
import { GroupReader } from './group-reader.js';
import { PageReader } from './page-reader.js';
import { PageShower } from './page-shower.js';
import { Postings } from './postings.js';
import { pageByRelevance } from './relevance.js';
import { findSimilar } from './similar-entries.js';
import { suggest } from './suggest.js';
import { UnindexedEntries, UnindexedEntry } from './unindexed-entries.js';
import { VisibleEntries } from './visible-entries.js';
import type { WordStore } from './vocabulary.js';

/** Throws when the time limit is exceeded or the search is cancelled. */
export type CheckTime = () => void;

type Constraint = Pick<CompiledClause, 'condition' | 'excluded'>;

interface CompiledQuery {
  readonly query: Query;
  readonly compiler: QueryCompiler;
  readonly clauses: readonly CompiledClause[];
  readonly hidden: readonly Condition[];
  readonly checkTime: CheckTime;
}

/** Searches the index, and the documents of entries that are not indexed yet, in one snapshot. */
export class EntrySearcher {
  private readonly postings: Postings;
  private readonly dictionary: Dictionary;
  private readonly frequentWords: FrequentWords;
  private readonly order: CreationOrder;
  private readonly unindexed: UnindexedEntries;
  private readonly pages: PageReader;
  private readonly groups: GroupMap;
  private readonly learned: LearnedVectors;
  private generation = -1;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
    words?: WordStore,
  ) {
    this.postings = new Postings(index);
    this.dictionary = new Dictionary(index, words);
    this.frequentWords = new FrequentWords(index);
    this.order = new CreationOrder(documents);
    this.unindexed = new UnindexedEntries(documents, builtAfter(index));
    this.pages = new PageReader(documents);
    this.learned = new LearnedVectors(index);
    this.groups = new GroupMap(index, documents, this.dictionary);
  }

  search(query: Query, options: PageOptions, checkTime: CheckTime): SearchPage {
    return this.inSnapshot(checkTime, () => {
      const compiled = this.compile(query, checkTime);
      const { clauses, hidden, compiler } = compiled;
      const matches = this.find(clauses, hidden, checkTime);
      const found = query.perGroup ? this.collapse(matches, checkTime) : matches;
      const visible = new VisibleEntries(hidden, this.unindexed, checkTime);
      const ids = this.page(compiled, found);
      const { view, explain: explained, position } = options;
      return {
        hitCount: found.count,
        entries: view ? this.shower({ query, view }, visible, checkTime).page(ids) : this.pages.read(ids),
        ...(position && { position: query.asOf ?? visible.newestId(compiler.flag('any'), this.postings.chunks) }),
        ...(explained && { explanation: this.explain(compiled, found.count) }),
      };
    });
  }

  /** Returns these versions in the view of the page. */
  show(page: ShownPage, versions: readonly EntryRevision[], checkTime: CheckTime): PageEntries {
    return this.inSnapshot(checkTime, () => {
      const hidden = this.compiler(checkTime).hidden(page.query);
      const visible = new VisibleEntries(hidden, this.unindexed, checkTime);
      return this.shower(page, visible, checkTime).versions(versions);
    });
  }

  facets(query: Query, options: FacetOptions, checkTime: CheckTime): SearchFacets {
    return this.inSnapshot(checkTime, () => {
      const { documents, postings, dictionary, order } = this;
      const compiled = this.compile(query, checkTime);
      const all = this.find(compiled.clauses, compiled.hidden, checkTime);
      const found = { all, countedFor: options.excludeOwn ? this.foundWithout(compiled) : () => all };
      return countFacets({ documents, postings, dictionary, order, checkTime }, found, options, query);
    });
  }

  /** Returns a function that finds the entries matching all filters except those of one facet. */
  private foundWithout({ clauses, hidden, checkTime }: CompiledQuery): (facet: Facet) => FoundEntries {
    const others = clauses.filter(({ key }) => !isFacet(key));
    const base = this.find(others, hidden, checkTime);
    const among = { condition: amongFound(base), excluded: false };
    return (facet) => {
      const filters = clauses.filter(({ key }) => isFacet(key) && key !== facet);
      return filters.length === 0 ? base : this.find([among, ...filters], [], checkTime);
    };
  }

  suggest(request: SuggestRequest, checkTime: CheckTime): ValueCount[] {
    return this.inSnapshot(checkTime, () => {
      const { documents, postings, dictionary, frequentWords } = this;
      const visible = new VisibleEntries(this.compiler(checkTime).hidden(request), this.unindexed, checkTime);
      return suggest({ documents, postings, dictionary, frequentWords, checkTime }, visible, request);
    });
  }

  /** Returns the entries with the most similar meaning, each with reasons; none if the given entry does not exist. */
  similar({ to, query, size }: SimilarRequest, restricted: readonly string[], checkTime: CheckTime): SimilarEntry[] {
    return this.inSnapshot(checkTime, () => {
      this.learned.requireComparable(restricted, this.documents);
      const { clauses, hidden, compiler } = this.compile(query, checkTime);
      const entry = typeof to === 'number' && findSearchable(this.documents, to);
      if (typeof to === 'number' && !entry) return [];
      const compared = entry ? entryToCompare(entry) : textToCompare(String(to));
      const filters = withoutWords(clauses);
      const all = this.find(filters, hidden, checkTime);
      const byWords = filters.length < clauses.length ? this.find(clauses, hidden, checkTime).chunks : [];
      const same = typeof to === 'number' ? entrySetFromIds([to]).chunks : [];
      const omitted = (chunk: number) => or([byWords[chunk] ?? empty, same[chunk] ?? empty]);
      const others = all.indexed.map((found, chunk) => andNot(found, omitted(chunk)));
      const { index, documents, order } = this;
      const vectors = mayHoldRemoved(documents, index) ? tokenVectors() : this.learned.get();
      const near = findSimilar({ index, order, compiler, vectors, checkTime }, toEntrySet(others), compared, size);
      const visible = new VisibleEntries(hidden, this.unindexed, checkTime);
      const shown = this.shower({ query, view: { isList: true, hasHighlights: false } }, visible, checkTime);
      return near.flatMap(({ id, isByTerms }) => {
        const like = reasonsFor(getSearchable(this.documents, id).view, compared, vectors);
        return like.length > 0 || isByTerms ? shown.list([id]).map((found) => ({ entry: found, like })) : [];
      });
    });
  }

  /** Returns the given entries that match the query; each is read and checked separately. */
  matching(query: Query, entryIds: readonly number[], checkTime: CheckTime): number[] {
    return this.inSnapshot(checkTime, () => {
      const compiler = this.compiler(checkTime);
      const { condition, unwanted } = this.combine(compiler.compile(query), compiler.hidden(query), checkTime);
      return entryIds.filter((id) => {
        checkTime();
        const searchable = findSearchable(this.documents, id);
        if (!searchable) return false;
        const entry = new UnindexedEntry(searchable, 0);
        return condition.matches(entry) && !unwanted.some((one) => one.matches(entry));
      });
    });
  }

  /** Runs `work` in one snapshot. The index snapshot begins first, so the documents are never older. */
  private inSnapshot<T>(checkTime: CheckTime, work: () => T): T {
    try {
      this.index.run('BEGIN');
      this.documents.run('BEGIN');
      const { sequence, generation } = readState(this.index);
      if (generation !== this.generation) {
        this.postings.refresh(generation);
        this.frequentWords.refresh();
        this.generation = generation;
      }
      this.unindexed.refresh(sequence, checkTime);
      this.order.refresh();
      this.pages.refresh();
      return work();
    } finally {
      this.documents.rollBack();
      this.index.rollBack();
    }
  }

  private compiler(checkTime: CheckTime): QueryCompiler {
    const { index, documents, postings, dictionary, frequentWords, order } = this;
    return new QueryCompiler({ index, documents, postings, dictionary, frequentWords, order }, checkTime);
  }

  private compile(query: Query, checkTime: CheckTime): CompiledQuery {
    const compiler = this.compiler(checkTime);
    return { query, compiler, clauses: compiler.compile(query), hidden: compiler.hidden(query), checkTime };
  }

  private explain(compiled: CompiledQuery, hitCount: number): SearchExplanation {
    const { query, clauses, hidden, compiler, checkTime } = compiled;
    const find = (some: readonly Constraint[]) => this.find(some, hidden, checkTime);
    return explain(clauses, hitCount, {
      find,
      occurs: (kind, name) => find([{ condition: compiler.has(kind, name), excluded: false }]).count > 0,
      dictionary: this.dictionary,
      unindexed: this.unindexed.filter(() => true),
      // Index terms could reveal the contents of hidden entries.
      mayNameTerms: query.hiddenLogbooks.length === 0,
      checkTime,
    });
  }

  private shower(page: ShownPage, visible: VisibleEntries, checkTime: CheckTime): PageShower {
    const { documents, dictionary, postings, order } = this;
    const groups = new GroupReader({ documents, dictionary, postings, order }, visible);
    return new PageShower(this.pages, page, groups, checkTime);
  }

  /** Keeps only the newest entry of each group. */
  private collapse(found: FoundEntries, checkTime: CheckTime): FoundEntries {
    const { documents, order } = this;
    const groupOf = this.groups.refresh(readState(this.index), found.unindexed, checkTime);
    const newest = newestOfGroups(found, groupOf, { documents, order, checkTime });
    return {
      ...newest,
      indexed: found.indexed.map((container, chunk) => and(container, newest.chunks[chunk] ?? empty)),
      unindexed: found.unindexed.filter(({ entry }) => contains(newest, entry.id)),
    };
  }

  private combine(clauses: readonly Constraint[], hidden: readonly Condition[], checkTime: CheckTime) {
    const conditions = (excluded: boolean): Condition[] =>
      clauses.filter((clause) => clause.excluded === excluded).map(({ condition }) => condition);
    const wanted = conditions(false);
    return {
      condition: allOf(wanted.length > 0 ? wanted : [this.compiler(checkTime).flag('any')]),
      unwanted: [...conditions(true), ...hidden],
    };
  }

  private find(clauses: readonly Constraint[], hidden: readonly Condition[], checkTime: CheckTime): FoundEntries {
    const { condition, unwanted } = this.combine(clauses, hidden, checkTime);
    const unindexed = this.unindexed.filter((entry) => {
      checkTime();
      return condition.matches(entry) && !unwanted.some((one) => one.matches(entry));
    });
    const unindexedChunks = entrySetFromIds(unindexed.map(({ entry }) => entry.id)).chunks;
    const outOfDate = entrySetFromIds(this.unindexed.ids).chunks;
    const indexed: Container[] = [];
    for (let chunk = 0; chunk < Math.max(this.postings.chunks, unindexedChunks.length); chunk++) {
      checkTime();
      let entries = condition.idsIn(chunk);
      for (const one of unwanted) {
        if (entries.length > 0) entries = andNot(entries, one.filter?.(chunk, entries) ?? one.idsIn(chunk));
      }
      indexed.push(andNot(entries, outOfDate[chunk] ?? empty));
    }
    const all = toEntrySet(indexed.map((container, chunk) => or([container, unindexedChunks[chunk] ?? empty])));
    return { ...all, indexed, unindexed };
  }

  private page({ query, clauses, compiler, checkTime }: CompiledQuery, found: FoundEntries): number[] {
    const { sort, from, size } = query;
    checkTime();
    if (from >= found.count || size === 0) return [];
    if (sort !== 'relevance') return this.order.page(found, sort, from, size);
    const anywhere = clauses.filter(({ key }) => key === 'anywhere');
    if (anywhere.length === 0) return this.order.page(found, 'newest', from, size);
    const terms = anywhere.flatMap(({ condition }, at) => {
      const match = query.anywhere[at];
      return match ? [{ match, inTitle: compiler.inTitle(match), entries: condition.size() }] : [];
    });
    const first = entrySetFromIds(found.unindexed.map(({ entry }) => entry.id));
    const { documents, order } = this;
    return pageByRelevance({ entries: found, first, terms }, query, {
      documents,
      order,
      // The rarity of a word could reveal the contents of hidden entries.
      total: query.hiddenLogbooks.length > 0 ? undefined : compiler.flag('any').size(),
      checkTime,
    });
  }
}
