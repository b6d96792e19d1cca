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
 * Looks up the catalogue items that a draft names, each once. Properties need not be in the catalogue. The group
 * property is left out: the service sets it, see `chosenGroupId`.
 * @param had what the stored entry names; these stay allowed after they have become inactive
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
    `The ${word} ${quoted(name)} was not found. Create it first, or use an existing one.`,
  );
}
