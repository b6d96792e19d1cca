import type { PageView } from '../../../../search/page-view.js';
import type { Query } from '../../../../search/query.js';
import type {
  EntryVersion,
  PageEntries,
  SearchFacets,
  SearchPage,
  ShownPage,
} from '../../../../search/search-index.port.js';
import type { TimeInterval } from '../../../../search/time-buckets.js';
import type { Connection } from '../../database/connection.js';
import { findSearchable } from '../../tables/entry-writes.js';
import { andNot, type Container, empty, or } from '../index/containers.js';
import { FrequentWords } from '../index/frequent-words.js';
import { readState } from '../index/index-database.js';
import { type CompiledClause, QueryCompiler } from './compile-query.js';
import { allOf, type Condition } from './conditions.js';
import { CreationOrder } from './creation-order.js';
import { Dictionary } from './dictionary.js';
import { type EntrySet, entrySetFromIds, toEntrySet } from './entry-set.js';
import { explain } from './explain.js';
import { FacetCounter } from './facets.js';
import { PageReader } from './page-reader.js';
import { PageShower } from './page-shower.js';
import { Postings } from './postings.js';
import { pageByRelevance } from './relevance.js';
import { UnindexedEntries, UnindexedEntry } from './unindexed-entries.js';

/** Throws when the time limit is exceeded or the search is cancelled. */
export type CheckTime = () => void;

type Constraint = Pick<CompiledClause, 'condition' | 'excluded'>;

/** The entries that were found. */
interface Found extends EntrySet {
  /** Those whose current version is indexed, by chunk. */
  readonly indexed: readonly Container[];
  /** The others. */
  readonly unindexed: readonly UnindexedEntry[];
}

/** Searches the index and, for entries that are not indexed yet, the documents, both in one snapshot. */
export class EntrySearcher {
  private readonly postings: Postings;
  private readonly dictionary: Dictionary;
  private readonly frequentWords: FrequentWords;
  private readonly order: CreationOrder;
  private readonly unindexed: UnindexedEntries;
  private readonly pages: PageReader;
  private generation = -1;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
  ) {
    this.postings = new Postings(index);
    this.dictionary = new Dictionary(index);
    this.frequentWords = new FrequentWords(index);
    this.order = new CreationOrder(documents);
    this.unindexed = new UnindexedEntries(documents);
    this.pages = new PageReader(documents);
  }

  /** @param view undefined: the entries as they are stored */
  search(
    query: Query,
    { explain: explained, view }: { readonly explain: boolean; readonly view?: PageView | undefined },
    checkTime: CheckTime,
  ): SearchPage {
    return this.inSnapshot(checkTime, () => {
      const compiler = this.compiler(checkTime);
      const clauses = compiler.compile(query);
      const hidden = compiler.hidden(query);
      const found = this.find(clauses, hidden, checkTime);
      const ids = this.page(query, clauses, found, compiler, checkTime);
      const entries = view ? this.shown({ query, view }, checkTime).page(ids) : this.pages.read(ids);
      if (!explained) return { hitCount: found.count, entries };
      const find = (some: readonly Constraint[]) => this.find(some, hidden, checkTime);
      const explanation = explain(clauses, found.count, {
        find,
        occurs: (kind, name) => find([{ condition: compiler.has(kind, name), excluded: false }]).count > 0,
        dictionary: this.dictionary,
        unindexed: this.unindexed.filter(() => true),
        // Terms of the index could reveal the contents of hidden entries.
        mayNameTerms: hidden.length === 0,
        checkTime,
      });
      return { hitCount: found.count, entries, explanation };
    });
  }

  /** Returns these versions as the page shows them. */
  show(page: ShownPage, versions: readonly EntryVersion[], checkTime: CheckTime): PageEntries {
    return this.inSnapshot(checkTime, () => this.shown(page, checkTime).versions(versions));
  }

  facets(query: Query, interval: TimeInterval | undefined, checkTime: CheckTime): SearchFacets {
    return this.inSnapshot(checkTime, () => {
      const { documents, postings, dictionary, order } = this;
      const compiler = this.compiler(checkTime);
      const found = this.find(compiler.compile(query), compiler.hidden(query), checkTime);
      const reader = { documents, postings, dictionary, order, checkTime };
      return new FacetCounter(reader, found.indexed, found.unindexed, found).count(interval, query.zone);
    });
  }

  /** Returns those of the entries that match the query; each is read and checked by itself. */
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

  /** Runs `work` in one snapshot. The index is read first, so that the documents are never older than the index. */
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

  private shown(page: ShownPage, checkTime: CheckTime): PageShower {
    return new PageShower(this.pages, page, checkTime);
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

  private find(clauses: readonly Constraint[], hidden: readonly Condition[], checkTime: CheckTime): Found {
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

  private page(
    query: Query,
    clauses: readonly CompiledClause[],
    found: Found,
    compiler: QueryCompiler,
    checkTime: CheckTime,
  ): number[] {
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
    const unindexed = entrySetFromIds(found.unindexed.map(({ entry }) => entry.id));
    const { documents, order } = this;
    return pageByRelevance(found, unindexed, terms, from, size, {
      documents,
      order,
      // The rarity of a word could reveal the contents of hidden entries.
      total: query.hiddenLogbooks.length > 0 ? undefined : compiler.flag('any').size(),
      checkTime,
    });
  }
}
