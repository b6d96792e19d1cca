import type { Connection } from '../../database/connection.js';
import { type Kind, kindsWithParts } from './terms.js';

export interface NamedTerm {
  readonly kind: Kind;
  readonly name: string;
  readonly label: string;
}

/** Terms looked up or stored in one statement. */
const atOnce = 2_000;
/** Terms whose ids are kept at hand from one transaction to the next. */
const maxKnown = 300_000;

/** Finds the ids of terms; new ones get the next. */
export class TermIds {
  private readonly known = new Map<Kind, Map<string, number>>();
  private size = 0;
  private newestBefore = 0;
  /** The highest id. */
  newest = 0;

  constructor(private readonly connection: Connection) {}

  /** To be called at the start of each transaction. */
  begin(): void {
    if (this.size > maxKnown) this.forget();
    this.newest = this.connection.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM term')?.id ?? 0;
    this.newestBefore = this.newest;
  }

  /** To be called when a transaction was undone: what it gave out is no more. */
  forget(): void {
    this.known.clear();
    this.size = 0;
  }

  /** The ids in the order of the terms; a term may be given repeatedly. */
  of(terms: readonly NamedTerm[]): Float64Array {
    const unknown = new Map<Kind, Map<string, string>>();
    for (const { kind, name, label } of terms) {
      if (this.namesOf(this.known, kind).has(name)) continue;
      this.namesOf(unknown, kind).set(name, label);
    }
    for (const [kind, labels] of unknown) {
      // In the order of the table.
      const names = [...labels.keys()].sort();
      for (let start = 0; start < names.length; start += atOnce) {
        this.findOrAdd(kind, names.slice(start, start + atOnce), labels);
      }
    }
    return Float64Array.from(terms, ({ kind, name }) => this.known.get(kind)?.get(name) as number);
  }

  /** Makes the new terms findable by what stands in the middle of them. */
  addParts(): void {
    this.connection.run(
      `INSERT INTO term_part (rowid, name)
       SELECT id, name FROM term WHERE id > ? AND kind IN (${[...kindsWithParts].join(', ')})`,
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

  private findOrAdd(kind: Kind, names: readonly string[], labels: ReadonlyMap<string, string>): void {
    const known = this.namesOf(this.known, kind);
    this.size += names.length;
    const rows = this.connection.all<{ at: number; id: number }>(
      `SELECT asked.key AS at, term.id AS id FROM json_each(?) AS asked CROSS JOIN term
       WHERE term.kind = ? AND term.name = asked.value`,
      JSON.stringify(names),
      kind,
    );
    for (const { at, id } of rows) known.set(names[at] as string, id);
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
