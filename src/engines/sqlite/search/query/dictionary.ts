import { type FoundTerm, type Kind, kindsWithTrigrams } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';
import { postingKey } from '../index/index-database.js';
import { Vocabulary, type WordStore } from './vocabulary.js';

/** Maximum number of matching terms returned with their names; `idsMatching` returns the ids of all. */
const maxNamed = 20_000;
/** Number of terms that `idsMatching` reads at a time. */
const batchSize = 10_000;

export interface MatchingTerms {
  /** Matching terms, in no particular order. */
  readonly terms: readonly FoundTerm[];
  /** Whether all matching terms are included. */
  readonly isComplete: boolean;
}

/** A term with the number of indexed entries that contain it. */
export interface CountedTerm extends FoundTerm {
  /** First spelling of the value; empty for words and properties. */
  readonly label: string;
  readonly entries: number;
}

/** Finds the terms of the index that match a word or a pattern. */
export class Dictionary {
  private readonly vocabulary: Vocabulary;

  constructor(
    private readonly connection: Connection,
    words?: WordStore,
  ) {
    this.vocabulary = new Vocabulary(connection, words);
  }

  find(kind: Kind, name: string): FoundTerm | undefined {
    const row = this.connection.get<{ id: number }>('SELECT id FROM term WHERE kind = ? AND name = ?', kind, name);
    return row && { id: row.id, name };
  }

  /** Returns up to 20,000 terms that match a pattern. */
  matching(kind: Kind, pattern: string): MatchingTerms {
    const terms = this.read(kind, pattern, maxNamed + 1, undefined);
    return { terms: terms.slice(0, maxNamed), isComplete: terms.length <= maxNamed };
  }

  /** Yields the ids of all terms that match a pattern, in batches. */
  *idsMatching(kind: Kind, pattern: string): Generator<readonly number[]> {
    for (let last: FoundTerm | undefined; ; ) {
      const terms = this.read(kind, pattern, batchSize, last);
      yield terms.map(({ id }) => id);
      last = terms.at(-1);
      if (terms.length < batchSize) return;
    }
  }

  /** @param after last term of the previous batch; undefined: reads the first batch */
  private read(kind: Kind, pattern: string, limit: number, after: FoundTerm | undefined): FoundTerm[] {
    const start = /^[^*?]*/.exec(pattern)?.[0] ?? '';
    if (start === pattern) return after ? [] : [this.find(kind, pattern)].filter((term) => term !== undefined);
    const glob = pattern.replaceAll('[', '[[]');
    const middle = Math.max(...pattern.split(/[*?]/).map((piece) => [...piece].length));
    // A literal beginning uses the name index, three consecutive literal characters use the trigrams, and other
    // patterns scan all terms.
    const byStart = start !== '' && (start.length >= 3 || middle < 3 || start.length >= middle);
    if (!byStart && middle >= 3 && kindsWithTrigrams.has(kind)) {
      return this.connection.all<{ id: number; name: string }>(
        `SELECT term.id AS id, term.name AS name FROM term_part JOIN term ON term.id = term_part.rowid
         WHERE term_part.name GLOB ? AND term_part.rowid > ? AND term.kind = ? ORDER BY term_part.rowid LIMIT ?`,
        glob,
        after?.id ?? 0,
        kind,
        limit,
      );
    }
    return this.connection.all<{ id: number; name: string }>(
      'SELECT id, name FROM term WHERE kind = ? AND name >= ? AND name < ? AND name > ? AND name GLOB ? ORDER BY name LIMIT ?',
      kind,
      byStart ? start : '',
      byStart ? afterAll(start) : afterAll('\u{10ffff}'),
      after?.name ?? '',
      glob,
      limit,
    );
  }

  /**
   * Lists the first terms by name with a prefix, each with the number of indexed entries that contain it in a field.
   * Omits terms that no entry contains.
   */
  startingWith(kind: Kind, prefix: string, field: number, limit: number): CountedTerm[] {
    return this.counted(kind, field, prefix, afterAll(prefix), limit);
  }

  /** Returns a term with the number of indexed entries that contain it in a field; undefined if there are none. */
  count(kind: Kind, name: string, field: number): CountedTerm | undefined {
    return this.counted(kind, field, name, name, 1)[0];
  }

  private counted(kind: Kind, field: number, first: string, last: string, limit: number): CountedTerm[] {
    // The lists of a term in one field have consecutive keys.
    const rows = this.connection.all<{ id: number; name: string; label: string; entries: number | null }>(
      `SELECT id, name, label,
         (SELECT sum(entries) FROM posting WHERE key BETWEEN term.id * ?1 + ?2 AND term.id * ?1 + ?3) AS entries
       FROM term WHERE kind = ?4 AND name >= ?5 AND name <= ?6 ORDER BY name LIMIT ?7`,
      postingKey(1, 0, 0),
      postingKey(0, field, 0),
      postingKey(0, field + 1, 0) - 1,
      kind,
      first,
      last,
      limit,
    );
    return rows.flatMap(({ entries, ...term }) => (entries ? [{ ...term, entries }] : []));
  }

  /** Lists all terms of a kind. Only for kinds with few terms, such as levels and devices. */
  list(kind: Kind): { readonly id: number; readonly name: string; readonly label: string }[] {
    return this.connection.all('SELECT id, name, label FROM term WHERE kind = ? ORDER BY name', kind);
  }

  /** Returns the words within an edit distance. */
  near(word: string, maxDistance: number): FoundTerm[] {
    return this.vocabulary.near(word, maxDistance);
  }
}

/**
 * Returns a string that sorts after all strings with this prefix in code point order, which is also the order of UTF-8.
 */
function afterAll(start: string): string {
  return `${start}\u{10ffff}`;
}
