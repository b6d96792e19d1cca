import { type Kind, kindsWithTrigrams } from '../../../search-terms.js';
import type { Connection } from '../../database/connection.js';

/** Maximum number of terms that one statement looks up or stores. */
const batchSize = 2_000;

/** Finds the ids of terms, and assigns the next ids to new terms. */
export class TermIds {
  private newestBefore = 0;
  /** Highest id of a term. */
  newest = 0;

  constructor(private readonly connection: Connection) {}

  /** Must be called at the start of each transaction. */
  begin(): void {
    this.newest = this.connection.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM term')?.id ?? 0;
    this.newestBefore = this.newest;
  }

  /**
   * Calls `onId` with the id of each term; adds missing terms.
   * @param labels labels for new terms, by name; all other new terms get an empty label
   */
  findOrAdd(
    kind: Kind,
    names: Iterable<string>,
    labels: ReadonlyMap<string, string>,
    onId: (name: string, id: number) => void,
  ): void {
    // Sorted like the table's index, so that neighbouring pages are read and written together.
    const sorted = [...names].sort();
    for (let start = 0; start < sorted.length; start += batchSize) {
      const batch = sorted.slice(start, start + batchSize);
      const ids = new Map(this.find(kind, batch).map(({ at, id }) => [at, id]));
      const missing: [id: number, name: string, label: string][] = [];
      for (const [at, name] of batch.entries()) {
        let id = ids.get(at);
        if (id === undefined) {
          this.newest += 1;
          id = this.newest;
          missing.push([id, name, labels.get(name) ?? '']);
        }
        onId(name, id);
      }
      this.insert(kind, missing);
    }
  }

  /** Returns the names that exist as terms, without adding any. */
  findKnown(kind: Kind, names: readonly string[]): ReadonlySet<string> {
    const found = new Set<string>();
    for (let start = 0; start < names.length; start += batchSize) {
      const batch = names.slice(start, start + batchSize);
      for (const { at } of this.find(kind, batch)) found.add(batch[at] as string);
    }
    return found;
  }

  /** Adds the new terms to the trigram index, which finds them by any part of their names. */
  addTrigrams(): void {
    this.connection.run(
      `INSERT INTO term_part (rowid, name)
       SELECT id, name FROM term WHERE id > ? AND kind IN (${[...kindsWithTrigrams].join(', ')})`,
      this.newestBefore,
    );
  }

  /** Returns the ids of the existing terms with their positions in `names`. */
  private find(kind: Kind, names: readonly string[]): { at: number; id: number }[] {
    return this.connection.all(
      `SELECT wanted.key AS at, term.id AS id FROM json_each(?) AS wanted CROSS JOIN term
       WHERE term.kind = ? AND term.name = wanted.value`,
      JSON.stringify(names),
      kind,
    );
  }

  private insert(kind: Kind, terms: readonly (readonly [id: number, name: string, label: string])[]): void {
    if (terms.length === 0) return;
    this.connection.run(
      `INSERT INTO term (id, kind, name, label)
       SELECT value ->> 0, ?, value ->> 1, value ->> 2 FROM json_each(?)`,
      kind,
      JSON.stringify(terms),
    );
  }
}
