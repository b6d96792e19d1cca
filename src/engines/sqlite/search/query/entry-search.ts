import type { Query } from '../../../../search/query.js';
import type { EntryVersion, PageEntries, SearchFacets, SearchPage } from '../../../../search/search-index.port.js';
import type { TimeInterval } from '../../../../search/time-buckets.js';
import type { Connection } from '../../database/connection.js';
import { findSearchable } from '../../tables/entry-writes.js';
import { andNot, type Container, empty, or } from '../index/containers.js';
import { FrequentWords } from '../index/frequent-words.js';
import { readState } from '../index/index-database.js';
import { type CompiledClause, QueryCompiler } from './compile-query.js';
import { allOf, type Condition } from './conditions.js';
import { CreationOrder, type EntrySet, entrySetOf, setOf } from './creation-order.js';
import { Dictionary } from './dictionary.js';
import { explain } from './explain.js';
import { FacetCounter } from './facets.js';
import { Postings } from './postings.js';
import { pageByRelevance } from './relevance.js';
import { UnindexedEntries, UnindexedEntry } from './unindexed-entries.js';

/** Entries of a page that are joined at once. */
const documentsAtOnce = 100;
/** The entries of longer pages are read while they are sent, so that no client makes the service hold much. */
const maxJoinedBytes = 1_048_576;
const longEntryBytes = 65_536;

/** Throws when the time is over or nobody waits for the answer any more. */
export type CheckTime = () => void;

type Constraint = Pick<CompiledClause, 'condition' | 'excluded'>;

/** The entries that were found. */
interface Found extends EntrySet {
  /** Those that the index knows as they are now, by chunk. */
  readonly indexed: readonly Container[];
  /** The others. */
  readonly fresh: readonly UnindexedEntry[];
}

/** Searches the index and, for what it does not hold yet, the documents: both at one moment. */
export class EntrySearcher {
  private readonly postings: Postings;
  private readonly dictionary: Dictionary;
  private readonly frequentWords: FrequentWords;
  private readonly order: CreationOrder;
  private readonly fresh: UnindexedEntries;
  private generation = -1;

  constructor(
    private readonly index: Connection,
    private readonly documents: Connection,
  ) {
    this.postings = new Postings(index);
    this.dictionary = new Dictionary(index);
    this.frequentWords = new FrequentWords(index);
    this.order = new CreationOrder(documents);
    this.fresh = new UnindexedEntries(documents);
  }

  search(query: Query, explained: boolean, checkTime: CheckTime): SearchPage {
    return this.inSnapshot(checkTime, () => {
      const reader = this.reader(checkTime);
      const parts = reader.read(query);
      const hidden = reader.hidden(query);
      const found = this.find(parts, hidden, checkTime);
      const entries = this.entriesOf(this.page(query, parts, found, reader, checkTime));
      if (!explained) return { hitCount: found.count, entries };
      const find = (some: readonly Constraint[]) => this.find(some, hidden, checkTime);
      const explanation = explain(
        parts,
        found.count,
        find,
        (kind, name) => find([{ condition: reader.has(kind, name), excluded: false }]).count > 0,
        this.dictionary,
        this.fresh.filter(() => true),
        // Which words there are would tell of what is hidden.
        hidden.length === 0,
        checkTime,
      );
      return { hitCount: found.count, entries, explanation };
    });
  }

  facets(query: Query, interval: TimeInterval | undefined, checkTime: CheckTime): SearchFacets {
    return this.inSnapshot(checkTime, () => {
      const { documents, postings, dictionary, order } = this;
      const reader = this.reader(checkTime);
      const found = this.find(reader.read(query), reader.hidden(query), checkTime);
      const parts = { documents, postings, dictionary, order, checkTime };
      return new FacetCounter(parts, found.indexed, found.fresh, found).count(interval, query.zone);
    });
  }

  /** Those of the entries that the query finds, each looked at by itself. */
  matching(query: Query, entryIds: readonly number[], checkTime: CheckTime): number[] {
    return this.inSnapshot(checkTime, () => {
      const reader = this.reader(checkTime);
      const { condition, unwanted } = this.conditionsOf(reader.read(query), reader.hidden(query), checkTime);
      return entryIds.filter((id) => {
        checkTime();
        const searchable = findSearchable(this.documents, id);
        if (!searchable) return false;
        const entry = new UnindexedEntry(searchable, 0);
        return condition.holds(entry) && !unwanted.some((one) => one.holds(entry));
      });
    });
  }

  /** The index first: the documents are then the same or newer, and what is newer is known to be. */
  private inSnapshot<T>(checkTime: CheckTime, work: () => T): T {
    try {
      this.index.exec('BEGIN');
      this.documents.exec('BEGIN');
      const { sequence, generation } = readState(this.index);
      if (generation !== this.generation) {
        this.postings.refresh(generation);
        this.frequentWords.refresh();
        this.generation = generation;
      }
      this.fresh.refresh(sequence, checkTime);
      this.order.refresh();
      return work();
    } finally {
      this.documents.rollBack();
      this.index.rollBack();
    }
  }

  private reader(checkTime: CheckTime): QueryCompiler {
    const { index, documents, postings, dictionary, frequentWords, order } = this;
    return new QueryCompiler({ index, documents, postings, dictionary, frequentWords, order }, checkTime);
  }

  private conditionsOf(parts: readonly Constraint[], hidden: readonly Condition[], checkTime: CheckTime) {
    const conditions = (excluded: boolean): Condition[] =>
      parts.filter((part) => part.excluded === excluded).map(({ condition }) => condition);
    const wanted = conditions(false);
    return {
      condition: allOf(wanted.length > 0 ? wanted : [this.reader(checkTime).trait('any')]),
      unwanted: [...conditions(true), ...hidden],
    };
  }

  private find(parts: readonly Constraint[], hidden: readonly Condition[], checkTime: CheckTime): Found {
    const { condition, unwanted } = this.conditionsOf(parts, hidden, checkTime);
    const fresh = this.fresh.filter((entry) => {
      checkTime();
      return condition.holds(entry) && !unwanted.some((one) => one.holds(entry));
    });
    const freshChunks = setOf(fresh.map(({ entry }) => entry.id)).chunks;
    const outOfDate = setOf(this.fresh.ids).chunks;
    const indexed: Container[] = [];
    for (let chunk = 0; chunk < Math.max(this.postings.chunks, freshChunks.length); chunk++) {
      checkTime();
      let entries = condition.among(chunk);
      for (const one of unwanted) {
        if (entries.length > 0) entries = andNot(entries, one.narrow?.(chunk, entries) ?? one.among(chunk));
      }
      indexed.push(andNot(entries, outOfDate[chunk] ?? empty));
    }
    const all = entrySetOf(indexed.map((container, chunk) => or([container, freshChunks[chunk] ?? empty])));
    return { ...all, indexed, fresh };
  }

  private page(
    query: Query,
    parts: readonly CompiledClause[],
    found: Found,
    reader: QueryCompiler,
    checkTime: CheckTime,
  ): number[] {
    const { sort, from, size } = query;
    checkTime();
    if (from >= found.count || size === 0) return [];
    if (sort !== 'relevance') return this.order.page(found, sort, from, size);
    const anywhere = parts.filter(({ key }) => key === 'anywhere');
    if (anywhere.length === 0) return this.order.page(found, 'newest', from, size);
    const asked = anywhere.flatMap(({ condition }, at) => {
      const match = query.anywhere[at];
      return match ? [{ match, inTitle: reader.inTitle(match), entries: condition.size() }] : [];
    });
    const fresh = setOf(found.fresh.map(({ entry }) => entry.id));
    const { documents, order } = this;
    return pageByRelevance(found, fresh, asked, from, size, {
      documents,
      order,
      // How rare a word is would tell of what is hidden.
      total: query.hiddenLogbooks.length > 0 ? undefined : reader.trait('any').size(),
      checkTime,
    });
  }

  /** In the order of the ids. */
  private entriesOf(ids: readonly number[]): PageEntries {
    // Joined where they are: nothing of them is decoded on the way out.
    const pieces: Uint8Array[] = [Buffer.from('[')];
    let bytes = 0;
    for (let at = 0; at < ids.length; at += documentsAtOnce) {
      const row = this.documents.get<{ documents: Uint8Array | null; longer: number }>(
        `SELECT CAST(group_concat(document) FILTER (WHERE octet_length(document) <= ?2) AS BLOB) AS documents,
           count(*) FILTER (WHERE octet_length(document) > ?2) AS longer
         FROM json_each(?1) AS asked CROSS JOIN entry ON entry.id = asked.value`,
        JSON.stringify(ids.slice(at, at + documentsAtOnce)),
        longEntryBytes,
      );
      if (at > 0) pieces.push(Buffer.from(','));
      if (row?.documents) pieces.push(row.documents);
      bytes += row?.documents?.byteLength ?? 0;
      if (row?.longer || bytes > maxJoinedBytes) return { kind: 'long', versions: this.versionsOf(ids) };
    }
    pieces.push(Buffer.from(']'));
    return { kind: 'joined', json: Buffer.concat(pieces) };
  }

  private versionsOf(ids: readonly number[]): EntryVersion[] {
    return this.documents.all(
      'SELECT entry.id AS id, version FROM json_each(?) AS asked CROSS JOIN entry ON entry.id = asked.value ORDER BY asked.key',
      JSON.stringify(ids),
    );
  }
}
