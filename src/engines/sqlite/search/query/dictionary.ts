import { Fault, quoted } from '../../../../kernel/fault.js';
import type { Connection } from '../../database/connection.js';
import { type FoundTerm, type Kind, kindsWithTrigrams, separator } from '../index/terms.js';
import { Vocabulary } from './vocabulary.js';

/** A pattern that matches more terms than this is refused; searching for some of them would give wrong results. */
const maxExpansion = 20_000;

/** Finds the terms of the index that match a word or a pattern. */
export class Dictionary {
  private readonly vocabulary: Vocabulary;

  constructor(private readonly connection: Connection) {
    this.vocabulary = new Vocabulary(connection);
  }

  find(kind: Kind, name: string): FoundTerm | undefined {
    const row = this.connection.get<{ id: number }>('SELECT id FROM term WHERE kind = ? AND name = ?', kind, name);
    return row && { id: row.id, name };
  }

  /**
   * Returns the terms that match a pattern, in no particular order.
   * @throws Fault invalid `search.too-many-terms`
   */
  matching(kind: Kind, pattern: string): FoundTerm[] {
    const start = /^[^*?]*/.exec(pattern)?.[0] ?? '';
    if (start === pattern) return [this.find(kind, pattern)].filter((term) => term !== undefined);
    const glob = pattern.replaceAll('[', '[[]');
    const middle = Math.max(...pattern.split(/[*?]/).map((piece) => [...piece].length));
    // A literal beginning uses the index on names; otherwise three literal characters use the trigrams; otherwise scan.
    const terms =
      start !== '' && (start.length >= 3 || middle < 3 || start.length >= middle)
        ? this.connection.all<{ id: number; name: string }>(
            'SELECT id, name FROM term WHERE kind = ? AND name >= ? AND name < ? AND name GLOB ? LIMIT ?',
            kind,
            start,
            afterAll(start),
            glob,
            maxExpansion + 1,
          )
        : middle >= 3 && kindsWithTrigrams.has(kind)
          ? this.connection.all<{ id: number; name: string }>(
              `SELECT term.id AS id, term.name AS name FROM term_part JOIN term ON term.id = term_part.rowid
               WHERE term_part.name GLOB ? AND term.kind = ? LIMIT ?`,
              glob,
              kind,
              maxExpansion + 1,
            )
          : this.connection.all<{ id: number; name: string }>(
              'SELECT id, name FROM term WHERE kind = ? AND name GLOB ? LIMIT ?',
              kind,
              glob,
              maxExpansion + 1,
            );
    checkExpansion(pattern.replaceAll(separator, '.'), terms.length);
    return terms;
  }

  /** Lists all terms of a kind. Only for kinds with few terms: owners, levels, logbooks, tags. */
  list(kind: Kind): { readonly id: number; readonly name: string; readonly label: string }[] {
    return this.connection.all('SELECT id, name, label FROM term WHERE kind = ? ORDER BY name', kind);
  }

  /** Returns the words within an edit distance. */
  near(word: string, maxDistance: number): FoundTerm[] {
    return this.vocabulary.near(word, maxDistance);
  }
}

/** @throws Fault invalid `search.too-many-terms` */
export function checkExpansion(pattern: string, terms: number): void {
  if (terms <= maxExpansion) return;
  throw new Fault(
    'invalid',
    'search.too-many-terms',
    `${quoted(pattern)} matches more than ${maxExpansion} different words. Write more letters of it.`,
  );
}

/** Returns a text that sorts after all texts with this prefix, in code point order, which is the order of UTF-8. */
function afterAll(start: string): string {
  return `${start}\u{10ffff}`;
}
