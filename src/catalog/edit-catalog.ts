import { Fault, quoted } from '../kernel/fault.js';
import { checkGrowth, type ListLimits } from '../kernel/list-limits.js';
import { TimeSlice } from '../kernel/time-slice.js';
import { type CatalogItems, type CatalogKind, checkName, isActive, itemWord } from './catalog.js';
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

/** Yields items ordered by name; also inactive ones if `inactiveToo` is set. */
export async function* listItems<K extends CatalogKind>(
  catalog: CatalogReader,
  kind: K,
  options: { readonly inactiveToo?: boolean } = {},
): AsyncGenerator<CatalogItems[K]> {
  for await (const item of catalog.list(kind)) if (options.inactiveToo || isActive(item)) yield item;
}

/** A change of an item: `item` computes the new one from the stored one, which is undefined when there is none. */
export interface ItemChange<K extends CatalogKind> {
  readonly name: string;
  readonly item: (stored: CatalogItems[K] | undefined) => CatalogItems[K];
}

/**
 * Adds or replaces items in one transaction: all or none.
 * @throws Fault invalid `catalog.…`; conflict `catalog.list-…`
 */
export async function upsertItems<K extends CatalogKind>(
  storage: CatalogStorage,
  limits: ListLimits,
  kind: K,
  changes: readonly ItemChange<K>[],
): Promise<CatalogItems[K][]> {
  return storage.write(async (tx) => {
    const before = await tx.catalog.measure(kind);
    const items: CatalogItems[K][] = [];
    const slice = new TimeSlice();
    for (const { name, item } of changes) {
      items.push(item(await tx.catalog.find(kind, name)));
      if (slice.isOver) await slice.next();
    }
    await storeItems(tx, kind, items);
    checkGrowth(catalogList(kind), { before, after: await tx.catalog.measure(kind) }, limits);
    return items;
  });
}

const catalogList = (kind: CatalogKind) => ({
  name: `the list of ${kind}`,
  codes: { full: 'catalog.list-full', tooLarge: 'catalog.list-too-large' },
  itemsSetting: 'maxCatalogNames',
  bytesSetting: 'maxCatalogSize',
  advice:
    kind === 'levels'
      ? 'Delete levels that are no longer needed, or ask the administrator to raise the setting.'
      : `Deleted ${kind} still count, since old entries show them. Ask the administrator to raise the setting.`,
});

/** Checks and stores items within a transaction. @throws Fault invalid `catalog.…` */
export async function storeItems<K extends CatalogKind>(
  tx: CatalogTransaction,
  kind: K,
  items: readonly CatalogItems[K][],
): Promise<void> {
  for (const item of items) checkName(kind, item.name);
  checkDistinct(itemWord[kind], items);
  for (const item of items) if ('attributes' in item) checkDistinct('attribute', item.attributes);
  const before = kind === 'levels' ? await listDefaults(tx.catalog) : [];
  const slice = new TimeSlice();
  for (const item of items) {
    await tx.catalog.put(kind, item);
    if (slice.isOver) await slice.next();
  }
  if (kind === 'levels') checkOneDefault(before, await listDefaults(tx.catalog));
}

/** Returns the names of the levels that are marked as the default. */
async function listDefaults(catalog: CatalogReader): Promise<string[]> {
  const names: string[] = [];
  for await (const { name, defaultLevel } of catalog.list('levels')) if (defaultLevel) names.push(name);
  return names;
}

/** Returns the level for an entry without one: the default level, else `Info`. */
export async function defaultLevelName(catalog: CatalogReader): Promise<string> {
  for await (const { name, defaultLevel } of catalog.list('levels')) if (defaultLevel) return name;
  return 'Info';
}

/**
 * Removes a level; makes any other item inactive, so that old entries still show it. Has no effect on an inactive item.
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

function checkOneDefault(before: readonly string[], defaults: readonly string[]): void {
  if (defaults.length <= 1) return;
  const present = before.find((name) => defaults.includes(name)) ?? defaults[0];
  throw new Fault(
    'invalid',
    'catalog.second-default-level',
    `Only one level can be the default, and ${quoted(present)} is. Unset defaultLevel on ${quoted(present)} first.`,
  );
}
