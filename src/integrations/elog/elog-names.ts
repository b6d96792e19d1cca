import type { ImportedCatalog } from '../../imports/import-source.port.js';
import { counted } from '../../kernel/text.js';
import { type ElogEntry, headerOf, valuesOf } from './elog-entry.js';
import { describeTarget, type ElogMapping, ownHeaders, targetOf } from './elog-mapping.js';

const maxValues = 10_000;
const shownValues = 5;

/** Names in the entries of an ELOG: logbooks, and attributes with their values. */
export class ElogNames {
  private readonly logbooks = new Map<string, number>();
  private readonly encodings = new Map<string, number>();
  private readonly attributes = new Map<string, { count: number; readonly values: Set<string> }>();

  constructor(
    private readonly mapping: ElogMapping,
    private readonly logbookOf: (folder: string) => string | null,
  ) {}

  add(folder: string, entry: ElogEntry): void {
    this.logbooks.set(folder, (this.logbooks.get(folder) ?? 0) + 1);
    if (this.logbookOf(folder) === null) return;
    const encoding = headerOf(entry, 'encoding').toLowerCase() || 'plain';
    this.encodings.set(encoding, (this.encodings.get(encoding) ?? 0) + 1);
    for (const [name, value] of entry.headers) {
      if (ownHeaders.has(name.toLowerCase()) || value === '') continue;
      const attribute = this.attributes.get(name) ?? { count: 0, values: new Set() };
      attribute.count += 1;
      // An entry has one level, but may have several tags.
      const all = targetOf(this.mapping, name).kind === 'level' ? [value] : valuesOf(value);
      for (const one of all) if (attribute.values.size < maxValues) attribute.values.add(one);
      this.attributes.set(name, attribute);
    }
  }

  toCatalog(): ImportedCatalog {
    const state = 'Active';
    const properties = new Map<string, Set<string>>([['ELOG', new Set(['id'])]]);
    const [tags, levels] = [new Set<string>(), new Set<string>()];
    for (const [name, { values }] of this.attributes) {
      const target = targetOf(this.mapping, name);
      if (target.kind === 'tags') for (const value of values) tags.add(value);
      if (target.kind === 'level') for (const value of values) levels.add(value);
      if (target.kind !== 'property') continue;
      const attributes = properties.get(target.property) ?? new Set();
      properties.set(target.property, attributes.add(target.attribute));
    }
    const logbooks = new Set([...this.logbooks.keys()].map(this.logbookOf).filter((name) => name !== null));
    return {
      logbooks: [...logbooks].map((name) => ({ name, owner: '', state })),
      tags: [...tags].map((name) => ({ name, state })),
      levels: [...levels].map((name) => ({ name, defaultLevel: false })),
      properties: [...properties].map(([name, attributes]) => ({
        name,
        owner: '',
        state,
        attributes: [...attributes].map((attribute) => ({ name: attribute, value: null, state })),
      })),
    };
  }

  /** Returns one line for each logbook, attribute and encoding. */
  describe(): string[] {
    const logbooks = [...this.logbooks].map(([folder, count]) => {
      const name = this.logbookOf(folder);
      return `logbook ${folder}: ${counted(count, 'entry')}, ${name === null ? 'left out' : `to be imported into the logbook ${name}`}`;
    });
    const attributes = [...this.attributes].map(([name, { count, values }]) => {
      const shown = [...values].slice(0, shownValues).map((value) => value.slice(0, 40));
      const more = values.size > shownValues ? `, … (${values.size})` : '';
      return `attribute ${name}: in ${counted(count, 'entry')}, becomes ${describeTarget(targetOf(this.mapping, name))}; ${shown.join(' | ')}${more}`;
    });
    const encodings = [...this.encodings].map(([name, count]) => `encoding ${name}: ${counted(count, 'entry')}`);
    return [...logbooks, ...attributes, ...encodings];
  }
}
