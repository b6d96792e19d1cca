import { isGroupName } from '../../entries/entry.js';
import type { ImportedCatalog, ImportedVersion } from '../../imports/import-source.port.js';

type Fields = Pick<ImportedVersion, 'logbooks' | 'tags' | 'level' | 'properties'>;

const maxNames = 10_000;
const state = 'Active' as const;

/** Names in the entries of a crate, from which its lists are made. */
export class CrateNames {
  private readonly logbooks = new Map<string, ImportedVersion['logbooks'][number]>();
  private readonly tags = new Map<string, ImportedVersion['tags'][number]>();
  private readonly levels = new Set<string>();
  private readonly properties = new Map<string, Set<string>>();

  add({ logbooks, tags, level, properties }: Fields): void {
    for (const logbook of logbooks) if (this.logbooks.size < maxNames) this.logbooks.set(logbook.name, logbook);
    for (const tag of tags) if (this.tags.size < maxNames) this.tags.set(tag.name, tag);
    if (level !== '' && this.levels.size < maxNames) this.levels.add(level);
    for (const { name, attributes } of properties) {
      if (isGroupName(name) || (this.properties.size >= maxNames && !this.properties.has(name))) continue;
      const names = this.properties.get(name) ?? new Set();
      for (const attribute of attributes) if (names.size < maxNames) names.add(attribute.name);
      this.properties.set(name, names);
    }
  }

  toCatalog(): ImportedCatalog {
    return {
      logbooks: [...this.logbooks.values()],
      tags: [...this.tags.values()],
      levels: [...this.levels].map((name) => ({ name, defaultLevel: false })),
      properties: [...this.properties].map(([name, attributes]) => ({
        name,
        owner: '',
        state,
        attributes: [...attributes].map((attribute) => ({ name: attribute, value: null, state })),
      })),
    };
  }
}
