import { Fault, quoted } from '../kernel/fault.js';
import { type CatalogItems, type CatalogKind, checkName, isActive, itemWord, type Level } from './catalog.js';
import type { CatalogStorage, CatalogTransaction } from './catalog-storage.js';
import type { CatalogReader } from './catalog-store.port.js';

/** Returns the active item with this name; undefined when there is none. */
export async function findItem<K extends CatalogKind>(
  catalog: CatalogReader,
  kind: K,
  name: string,
): Promise<CatalogItems[K] | undefined> {
  const item = await catalog.find(kind, name);
  return item && isActive(item) ? item : undefined;
}

/** Returns the active item with this name. @throws Fault missing `catalog.unknown-…` */
export async function getItem<K extends CatalogKind>(
  catalog: CatalogReader,
  kind: K,
  name: string,
): Promise<CatalogItems[K]> {
  const item = await findItem(catalog, kind, name);
  if (!item) throw unknownItem(kind, name);
  return item;
}

/** Lists items ordered by name; inactive ones only when `inactiveToo` is set. */
export async function listItems<K extends CatalogKind>(
  catalog: CatalogReader,
  kind: K,
  options: { readonly inactiveToo?: boolean } = {},
): Promise<CatalogItems[K][]> {
  const items = await catalog.list(kind);
  return options.inactiveToo ? items : items.filter(isActive);
}

/** Computes the new item of a name from the stored one; undefined when there is none. */
export interface ItemChange<K extends CatalogKind> {
  readonly name: string;
  readonly item: (stored: CatalogItems[K] | undefined) => CatalogItems[K];
}

/** Adds or replaces items in one transaction: all or none. @throws Fault invalid `catalog.…` */
export async function upsertItems<K extends CatalogKind>(
  storage: CatalogStorage,
  kind: K,
  changes: readonly ItemChange<K>[],
): Promise<CatalogItems[K][]> {
  return storage.write(async (tx) => {
    const items: CatalogItems[K][] = [];
    for (const { name, item } of changes) items.push(item(await tx.catalog.find(kind, name)));
    await storeItems(tx, kind, items);
    return items;
  });
}

/** Checks and stores items within a transaction. @throws Fault invalid `catalog.…` */
export async function storeItems<K extends CatalogKind>(
  tx: CatalogTransaction,
  kind: K,
  items: readonly CatalogItems[K][],
): Promise<void> {
  for (const item of items) checkName(kind, item.name);
  checkDistinct(itemWord[kind], items);
  for (const item of items) if ('attributes' in item) checkDistinct('attribute', item.attributes);
  const before = kind === 'levels' ? await tx.catalog.list('levels') : [];
  for (const item of items) await tx.catalog.put(kind, item);
  if (kind === 'levels') checkOneDefault(before, await tx.catalog.list('levels'));
}

/**
 * Removes a level; makes any other item inactive, so that old entries still show it.
 * No effect on an item that is inactive already.
 * @throws Fault missing `catalog.unknown-…` when no item has this name
 */
export async function removeItem(storage: CatalogStorage, kind: CatalogKind, name: string): Promise<void> {
  await storage.write(async (tx) => {
    const item = await tx.catalog.find(kind, name);
    if (!item) throw unknownItem(kind, name);
    if ('state' in item) await tx.catalog.put(kind, { ...item, state: 'Inactive' });
    else await tx.catalog.remove(kind, name);
  });
}

function unknownItem(kind: CatalogKind, name: string): Fault {
  return new Fault(
    'missing',
    `catalog.unknown-${itemWord[kind]}`,
    `The ${itemWord[kind]} ${quoted(name)} was not found.`,
  );
}

function checkDistinct(word: string, named: readonly { readonly name: string }[]): void {
  const seen = new Set<string>();
  for (const { name } of named) {
    if (seen.has(name)) {
      throw new Fault(
        'invalid',
        'catalog.duplicate-name',
        `The ${word} ${quoted(name)} is listed twice. Remove one of them.`,
      );
    }
    seen.add(name);
  }
}

function checkOneDefault(before: readonly Level[], after: readonly Level[]): void {
  const defaults = after.filter((level) => level.defaultLevel).map((level) => level.name);
  if (defaults.length <= 1) return;
  const present = before.find((level) => level.defaultLevel && defaults.includes(level.name))?.name ?? defaults[0];
  throw new Fault(
    'invalid',
    'catalog.second-default-level',
    `Only one level can be the default, and ${quoted(present)} is. Unset defaultLevel on ${quoted(present)} first.`,
  );
}
