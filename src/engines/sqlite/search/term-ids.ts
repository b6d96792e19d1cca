import type { Connection } from '../database.js';
import { type Kind, kindsWithParts } from './terms.js';

export interface NamedTerm {
  readonly kind: Kind;
  readonly name: string;
  readonly label: string;
}

/** Terms looked up or stored in one statement. */
const atOnce = 2_000;

/** Finds the ids of terms; new ones get the next. */
export class TermIds {
  private readonly newestBefore: number;
  private newest: number;

  constructor(private readonly connection: Connection) {
    this.newest = connection.get<{ id: number }>('SELECT coalesce(max(id), 0) AS id FROM term')?.id ?? 0;
    this.newestBefore = this.newest;
  }

  /** Whether the term was made here, so that no entry has it yet. */
  isNew(id: number): boolean {
    return id > this.newestBefore;
  }

  /** The ids in the order of the terms; a term may be given repeatedly. */
  of(terms: readonly NamedTerm[]): Float64Array {
    const ids = new Float64Array(terms.length);
    // In the order of the table, and the same side by side.
    const order = Uint32Array.from(terms.keys()).sort((one, other) =>
      compare(terms[one] as NamedTerm, terms[other] as NamedTerm),
    );
    for (let start = 0; start < order.length; ) {
      const group: { term: NamedTerm; places: number[] }[] = [];
      const { kind } = terms[order[start] as number] as NamedTerm;
      for (; start < order.length && group.length < atOnce; start++) {
        const place = order[start] as number;
        const term = terms[place] as NamedTerm;
        if (term.kind !== kind) break;
        const last = group.at(-1);
        if (last?.term.name === term.name) last.places.push(place);
        else group.push({ term, places: [place] });
      }
      const found = this.findOrAdd(
        kind,
        group.map(({ term }) => term),
      );
      for (const [at, { places }] of group.entries()) for (const place of places) ids[place] = found[at] as number;
    }
    return ids;
  }

  /** Makes the new terms findable by what stands in the middle of them. */
  addParts(): void {
    this.connection.run(
      `INSERT INTO term_part (rowid, name)
       SELECT id, name FROM term WHERE id > ? AND kind IN (${[...kindsWithParts].join(', ')})`,
      this.newestBefore,
    );
  }

  private findOrAdd(kind: Kind, terms: readonly NamedTerm[]): Float64Array {
    const ids = new Float64Array(terms.length);
    const rows = this.connection.all<{ at: number; id: number }>(
      `SELECT asked.key AS at, term.id AS id FROM json_each(?) AS asked CROSS JOIN term
       WHERE term.kind = ? AND term.name = asked.value`,
      JSON.stringify(terms.map(({ name }) => name)),
      kind,
    );
    for (const { at, id } of rows) ids[at] = id;
    const missing = terms.flatMap(({ name, label }, at) => {
      if (ids[at] !== 0) return [];
      this.newest += 1;
      ids[at] = this.newest;
      return [[this.newest, name, label]];
    });
    if (missing.length > 0) {
      this.connection.run(
        `INSERT INTO term (id, kind, name, label)
         SELECT value ->> 0, ?, value ->> 1, value ->> 2 FROM json_each(?)`,
        kind,
        JSON.stringify(missing),
      );
    }
    return ids;
  }
}

function compare(one: NamedTerm, other: NamedTerm): number {
  return one.kind - other.kind || (one.name < other.name ? -1 : one.name > other.name ? 1 : 0);
}
