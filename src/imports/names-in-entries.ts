import type { CatalogItems, CatalogKind, ImportedVersion } from './import-source.port.js';

/** A name in an entry, which the catalogue may lack. */
export interface NameInEntry<K extends CatalogKind = CatalogKind> {
  readonly kind: K;
  readonly name: string;
  /** Item to add when the source does not have one; undefined: none. */
  readonly fallback: CatalogItems[K] | undefined;
}

/** Collects the names in entries, each once. */
export class NamesInEntries {
  private readonly seen = new Set<string>();
  private fresh: NameInEntry[] = [];

  note({ logbooks, tags, level, properties }: ImportedVersion): void {
    const state = 'Inactive';
    for (const { name, owner } of logbooks) this.add({ kind: 'logbooks', name, fallback: { name, owner, state } });
    for (const { name } of tags) this.add({ kind: 'tags', name, fallback: { name, state } });
    if (level !== '') this.add({ kind: 'levels', name: level, fallback: undefined });
    for (const { name } of properties) this.add({ kind: 'properties', name, fallback: undefined });
  }

  /** Returns the names that were noted since the last call. */
  take(): readonly NameInEntry[] {
    return this.fresh.splice(0);
  }

  private add(name: NameInEntry): void {
    const key = `${name.kind} ${name.name}`;
    if (this.seen.has(key)) return;
    this.seen.add(key);
    this.fresh.push(name);
  }
}
