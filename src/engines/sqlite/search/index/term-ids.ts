import type { Connection } from '../../database/connection.js';
import { type Kind, kindsWithTrigrams } from './terms.js';

export interface NamedTerm {
  readonly kind: Kind;
  readonly name: string;
  readonly label: string;
}

/** How many terms one statement looks up or stores. */
const batchSize = 2_000;
/** How many terms are cached from one transaction to the next. */
const maxKnown = 300_000;

/** Finds the ids of terms, and gives new terms the next ids. */
export class TermIds {
  private readonly known = new Map<Kind, Map<string, number>>();
  private size = 0;
  private newestBefore = 0;
  /** The highest id of a term. */
  newest = 0;

  constructor(private readonly connection: Connection) {}

  /** Must be called at the start of each transaction. */
  begin(): void {
    if (this.size > maxKnown) this.forget();
    this.newest = this.connection.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM term')?.id ?? 0;
    this.newestBefore = this.newest;
  }

  /** Must be called when a transaction was rolled back: the ids that it gave out are invalid. */
  forget(): void {
    this.known.clear();
    this.size = 0;
  }

  /** Returns the ids in the order of `terms`, which may contain duplicates. */
  idsOf(terms: readonly NamedTerm[]): Float64Array {
    const unknown = new Map<Kind, Map<string, string>>();
    for (const { kind, name, label } of terms) {
      if (this.namesOf(this.known, kind).has(name)) continue;
      this.namesOf(unknown, kind).set(name, label);
    }
    for (const [kind, labels] of unknown) {
      // In the order of the table's index, so that neighbouring pages are read together.
      const names = [...labels.keys()].sort();
      for (let start = 0; start < names.length; start += batchSize) {
        this.findOrAdd(kind, names.slice(start, start + batchSize), labels);
      }
    }
    return Float64Array.from(terms, ({ kind, name }) => this.known.get(kind)?.get(name) as number);
  }

  /** Returns those of the terms that exist, and adds none. */
  findKnown(kind: Kind, names: readonly string[]): ReadonlySet<string> {
    const found = new Set<string>();
    for (let start = 0; start < names.length; start += batchSize) {
      const batch = names.slice(start, start + batchSize);
      for (const { at } of this.find(kind, batch)) found.add(batch[at] as string);
    }
    return found;
  }

  /** Adds the new terms to the trigram index, which finds them by their middle. */
  addTrigrams(): void {
    this.connection.run(
      `INSERT INTO term_part (rowid, name)
       SELECT id, name FROM term WHERE id > ? AND kind IN (${[...kindsWithTrigrams].join(', ')})`,
      this.newestBefore,
    );
  }

  private namesOf<T>(byKind: Map<Kind, Map<string, T>>, kind: Kind): Map<string, T> {
    let names = byKind.get(kind);
    if (!names) {
      names = new Map();
      byKind.set(kind, names);
    }
    return names;
  }

  /** Returns the existing terms, each by its position in `names`. */
  private find(kind: Kind, names: readonly string[]): { at: number; id: number }[] {
    return this.connection.all(
      `SELECT wanted.key AS at, term.id AS id FROM json_each(?) AS wanted CROSS JOIN term
       WHERE term.kind = ? AND term.name = wanted.value`,
      JSON.stringify(names),
      kind,
    );
  }

  private findOrAdd(kind: Kind, names: readonly string[], labels: ReadonlyMap<string, string>): void {
    const known = this.namesOf(this.known, kind);
    this.size += names.length;
    for (const { at, id } of this.find(kind, names)) known.set(names[at] as string, id);
    const missing = names
      .filter((name) => !known.has(name))
      .map((name) => {
        this.newest += 1;
        known.set(name, this.newest);
        return [this.newest, name, labels.get(name)];
      });
    if (missing.length === 0) return;
    this.connection.run(
      `INSERT INTO term (id, kind, name, label)
       SELECT value ->> 0, ?, value ->> 1, value ->> 2 FROM json_each(?)`,
      kind,
      JSON.stringify(missing),
    );
  }
}
