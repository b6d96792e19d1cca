import type { CatalogItems } from '../catalog/catalog.js';
import { isActive, itemWord } from '../catalog/catalog.js';
import type { CatalogReader } from '../catalog/catalog-store.port.js';
import { Fault, quoted } from '../kernel/fault.js';
import type { Entry, LogbookReference, PropertyInstance, TagReference } from './entry.js';
import { withoutGroup } from './entry.js';
import type { EntryDraft } from './entry-draft.js';

export interface References {
  readonly logbooks: LogbookReference[];
  readonly tags: TagReference[];
  readonly properties: PropertyInstance[];
}

/**
 * The catalogue items that a draft names, each once. Properties need not be in the catalogue, and the one that ties
 * groups together is ours alone: it is left out here.
 * @param had what the entry names already: that stays allowed when it has become inactive
 * @throws Fault invalid `entry.unknown-logbook`, `entry.unknown-tag`
 */
export async function resolveReferences(
  catalog: CatalogReader,
  draft: Pick<EntryDraft, 'logbooks' | 'tags' | 'properties'>,
  had?: Pick<Entry, 'logbooks' | 'tags'>,
): Promise<References> {
  const logbooks: LogbookReference[] = [];
  for (const name of new Set(draft.logbooks)) {
    const { owner, state } = await findNamed(catalog, 'logbooks', name, had?.logbooks);
    logbooks.push({ name, owner, state });
  }
  const tags: TagReference[] = [];
  for (const name of new Set(draft.tags)) {
    const { state } = await findNamed(catalog, 'tags', name, had?.tags);
    tags.push({ name, state });
  }
  const properties: PropertyInstance[] = [];
  for (const property of draft.properties) {
    const definition = await catalog.find('properties', property.name);
    properties.push({
      name: property.name,
      owner: definition?.owner ?? '',
      state: 'Active',
      attributes: property.attributes.map(({ name, value }) => ({ name, value, state: 'Active' })),
    });
  }
  return { logbooks, tags, properties: withoutGroup(properties) };
}

async function findNamed<K extends 'logbooks' | 'tags', R extends { readonly name: string }>(
  catalog: CatalogReader,
  kind: K,
  name: string,
  had: readonly R[] | undefined,
): Promise<CatalogItems[K] | R> {
  const found = await catalog.find(kind, name);
  if (found && isActive(found)) return found;
  const before = had?.find((reference) => reference.name === name);
  if (before) return found ?? before;
  const word = itemWord[kind];
  throw new Fault(
    'invalid',
    `entry.unknown-${word}`,
    `There is no ${word} ${quoted(name)}. Create it first, or take one that exists.`,
  );
}

/** The level to use when none is named: the default one, else `Info`. */
export async function defaultLevelName(catalog: CatalogReader): Promise<string> {
  return (await catalog.list('levels')).find((level) => level.defaultLevel)?.name ?? 'Info';
}
