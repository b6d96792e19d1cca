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
 * @param had names in the stored entry, which stay allowed when they are inactive or no longer in the catalogue
 * @throws Fault invalid `entry.unknown-logbook`, `entry.unknown-tag`
 */
export async function resolveReferences(
  catalog: CatalogReader,
  draft: Pick<EntryDraft, 'logbooks' | 'tags' | 'properties'>,
  had?: Pick<Entry, 'logbooks' | 'tags'>,
): Promise<References> {
  // Concurrent, because each lookup may be a network round trip.
  const [logbooks, tags, properties] = await Promise.all([
    findAll(catalog, 'logbooks', draft.logbooks, had?.logbooks),
    findAll(catalog, 'tags', draft.tags, had?.tags),
    Promise.all(draft.properties.map((property) => toInstance(catalog, property))),
  ]);
  return {
    logbooks: logbooks.map(({ name, owner, state }) => ({ name, owner, state })),
    tags: tags.map(({ name, state }) => ({ name, state })),
    properties: withoutGroup(properties),
  };
}

async function findAll<K extends 'logbooks' | 'tags', R extends { readonly name: string }>(
  catalog: CatalogReader,
  kind: K,
  names: readonly string[],
  had: readonly R[] | undefined,
): Promise<(CatalogItems[K] | R)[]> {
  return Promise.all([...new Set(names)].map((name) => findNamed(catalog, kind, name, had)));
}

async function toInstance(
  catalog: CatalogReader,
  { name, attributes }: EntryDraft['properties'][number],
): Promise<PropertyInstance> {
  const definition = await catalog.find('properties', name);
  return {
    name,
    owner: definition?.owner ?? '',
    state: 'Active',
    attributes: attributes.map((attribute) => ({ name: attribute.name, value: attribute.value, state: 'Active' })),
  };
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
