import { isDeepStrictEqual } from 'node:util';
import { type CatalogItems, type CatalogKind, checkName, isActive, itemWord } from '../catalog/catalog.js';
import { defaultCatalog } from '../catalog/seed-catalog.js';
import { encodeTemplate, type Template } from '../entries/template.js';
import { Fault, quoted } from '../kernel/fault.js';
import { adapted, type ItemNotes, problem, putNotes } from './import-notes.js';
import type { ImportReport, Note } from './import-report.js';
import type { ImportedCatalog, UnreadItem } from './import-source.port.js';
import type { ImportStorage, ImportTransaction } from './import-storage.js';
import type { ImportedItem } from './import-store.port.js';
import type { NameInEntry } from './names-in-entries.js';
import type { LookedUp, UnlistedItems } from './unlisted-items.js';

interface Deps {
  readonly storage: ImportStorage;
  readonly report: ImportReport;
  readonly source: string;
  readonly unlisted: UnlistedItems;
}

export const catalogKinds: readonly CatalogKind[] = ['levels', 'logbooks', 'tags', 'properties'];
const maxItems = 1_000_000;

/**
 * Imports the lists of the source. An item that has changed there since the last run replaces the stored one, unless
 * that has changed, too. Items that the source no longer has become inactive, which can be undone. Nothing is removed.
 */
export async function importCatalog(deps: Deps, catalog: ImportedCatalog, signal: AbortSignal): Promise<void> {
  for (const kind of catalogKinds) {
    const list = catalog[kind];
    if ('reason' in list) {
      if (list.isProblem) deps.report.problem(kind, '', list.reason);
    } else await importList(deps, kind, list as never, signal);
  }
}

async function importList<K extends CatalogKind>(
  { storage, source, unlisted }: Deps,
  kind: K,
  list: readonly CatalogItems[K][],
  signal: AbortSignal,
): Promise<void> {
  const listed = new Set(list.map(({ name }) => name));
  const known = await storage.committed.imports.listAfter(source, kind, '', maxItems);
  const beyond = known.filter(({ key }) => !listed.has(key));
  const names = beyond.map(({ key }) => key);
  const inactive = new Set(beyond.filter(({ digest }) => digest === retired).map(({ key }) => key));
  const lookedUp = await unlisted.findBeyond({ kind, length: list.length }, names, inactive, signal);
  await storage.write((tx) => storeKind(tx, source, kind, list, lookedUp));
}

async function storeKind<K extends CatalogKind>(
  tx: ImportTransaction,
  source: string,
  kind: K,
  list: readonly CatalogItems[K][],
  lookedUp: LookedUp<K>,
): Promise<void> {
  const noted: ItemNotes[] = [];
  const known = new Map((await tx.imports.listAfter(source, kind, '', maxItems)).map((item) => [item.key, item]));
  const brought: ImportedItem[] = [];
  const items = [...list, ...[...lookedUp.values()].flatMap((item) => (isFoundActive(item) ? [item] : []))];
  for (const item of items) {
    const digest = JSON.stringify(item);
    if (known.get(item.name)?.digest === digest) continue;
    const bad = findNameProblem(kind, item.name);
    const note = bad === undefined ? await putItem(tx, kind, item, known) : problem(bad);
    noted.push({ kind, key: item.name, notes: note ? [note] : [] });
    if (note?.level === 'problem') continue;
    const imported = { key: item.name, target: item.name, version: 0, digest };
    brought.push(imported);
    known.set(item.name, imported);
  }
  const names = new Set(items.map(({ name }) => name));
  for (const item of known.values()) {
    if (names.has(item.key) || item.digest === retired || isUnread(lookedUp.get(item.key))) continue;
    noted.push({ kind, key: item.key, notes: [adapted(await retire(tx, kind, item))] });
    brought.push({ ...item, digest: retired });
  }
  await tx.imports.putItems(source, kind, brought);
  await putNotes(tx, source, noted);
}

function isFoundActive<K extends CatalogKind>(item: CatalogItems[K] | UnreadItem | undefined): item is CatalogItems[K] {
  return item !== undefined && !isUnread(item) && isActive(item);
}

function isUnread(item: CatalogItems[CatalogKind] | UnreadItem | undefined): item is UnreadItem {
  return item !== undefined && 'reason' in item;
}

function findNameProblem(kind: CatalogKind, name: string): string | undefined {
  try {
    checkName(kind, name);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
}

/** Content that is recorded for an item that is inactive because the source no longer lists it. */
const retired = '';

type Known = ReadonlyMap<string, ImportedItem>;

/**
 * Stores an item. Returns a note for the operator; undefined: none. After a problem, the stored item is unchanged.
 */
async function putItem<K extends CatalogKind>(
  tx: ImportTransaction,
  kind: K,
  item: CatalogItems[K],
  known: Known,
): Promise<Note | undefined> {
  const { name } = item;
  const word = `The ${itemWord[kind]} ${quoted(name)}`;
  const stored = await tx.catalog.find(kind, name);
  if (isDeepStrictEqual(stored, item)) return undefined;
  if (stored && !isAsBrought(kind, stored, known)) {
    const text = `${word} was created or changed here; it was left as it is here.`;
    return problem(text);
  }
  if ('defaultLevel' in item && item.defaultLevel) {
    const chosen = await unsetDefault(tx, name, known);
    if (chosen !== undefined) {
      if (!stored) await tx.catalog.put('levels', { name, defaultLevel: false });
      const text = `${word} is the default of the source; ${quoted(chosen)} was made the default here, and remains the default.`;
      return problem(text);
    }
  }
  await tx.catalog.put(kind, item);
  return stored && adapted(`${word} was replaced by the definition at the source.`);
}

/** Returns whether an item is as an import has stored it, or as in every new logbook. */
function isAsBrought<K extends CatalogKind>(kind: K, stored: CatalogItems[K], known: Known): boolean {
  const brought = known.get(stored.name)?.digest;
  if (brought === undefined) return defaultCatalog[kind].some((item) => isDeepStrictEqual(item, stored));
  if (brought === retired) return 'state' in stored && stored.state === 'Inactive';
  return isDeepStrictEqual(JSON.parse(brought), stored);
}

/**
 * Unsets other default levels, because only one level can be the default. If a user has chosen one in this logbook,
 * changes nothing and returns its name.
 */
async function unsetDefault(tx: ImportTransaction, name: string, known: Known): Promise<string | undefined> {
  const others: CatalogItems['levels'][] = [];
  for await (const level of tx.catalog.list('levels'))
    if (level.defaultLevel && level.name !== name) others.push(level);
  const chosen = others.find((level) => !isAsBrought('levels', level, known));
  if (chosen) return chosen.name;
  for (const level of others) await tx.catalog.put('levels', { ...level, defaultLevel: false });
  return undefined;
}

async function retire(
  tx: ImportTransaction,
  kind: CatalogKind,
  { target: name, digest }: ImportedItem,
): Promise<string> {
  const item = await tx.catalog.find(kind, name);
  const text = `The source no longer lists the ${itemWord[kind]} ${quoted(name)}`;
  const isChanged = !isDeepStrictEqual(item, JSON.parse(digest));
  if (!item || !('state' in item) || item.state === 'Inactive' || isChanged) return `${text}; it stays as it is here.`;
  await tx.catalog.put(kind, { ...item, state: 'Inactive' });
  return `${text}; it is inactive now.`;
}

/** Adds missing items; changes no others. */
export async function addToCatalog({ storage, source }: Deps, catalog: ImportedCatalog): Promise<void> {
  for (const kind of catalogKinds) {
    const list = catalog[kind];
    if (!('reason' in list)) await storage.write((tx) => addItems(tx, source, kind, list as never));
  }
}

async function addItems<K extends CatalogKind>(
  tx: ImportTransaction,
  source: string,
  kind: K,
  items: readonly CatalogItems[K][],
): Promise<void> {
  const noted: ItemNotes[] = [];
  for (const item of items) {
    const text = findNameProblem(kind, item.name);
    noted.push({ kind, key: item.name, notes: text === undefined ? [] : [problem(text)] });
    if (text === undefined && !(await tx.catalog.find(kind, item.name))) await tx.catalog.put(kind, item);
  }
  await putNotes(tx, source, noted);
}

/**
 * Adds items for names that occur only in entries: as the source has them or, if it does not have them, as inactive
 * logbooks and tags.
 */
export async function addMissingNames(
  { storage, source, unlisted }: Omit<Deps, 'report'>,
  names: readonly NameInEntry[],
  signal: AbortSignal,
): Promise<void> {
  for (const kind of catalogKinds) {
    const missing: NameInEntry[] = [];
    const ofKind = names.filter((one) => one.kind === kind && findNameProblem(kind, one.name) === undefined);
    const { catalog, imports } = storage.committed;
    const items = await imports.listKnown(
      source,
      kind,
      ofKind.map(({ name }) => name),
    );
    // An imported item that is missing was removed here.
    const brought = new Set(items.map(({ key }) => key));
    for (const one of ofKind) {
      if (!brought.has(one.name) && !(await catalog.find(kind, one.name))) missing.push(one);
    }
    if (missing.length === 0) continue;
    const lookedUp = await unlisted.find(
      kind,
      missing.map(({ name }) => name),
      signal,
    );
    await storage.write((tx) => addNames(tx, source, kind, missing, lookedUp));
  }
}

async function addNames(
  tx: ImportTransaction,
  source: string,
  kind: CatalogKind,
  names: readonly NameInEntry[],
  lookedUp: LookedUp<CatalogKind>,
): Promise<void> {
  const known = new Map((await tx.imports.listAfter(source, kind, '', maxItems)).map((item) => [item.key, item]));
  for (const { name, fallback } of names) {
    const found = lookedUp.get(name);
    const item = isUnread(found) ? fallback : (found ?? fallback);
    if (!item || (await tx.catalog.find(kind, name))) continue;
    const note = await putItem(tx, kind, item as never, known);
    const digest = isActive(item) ? JSON.stringify(item) : retired;
    if (note?.level !== 'problem') {
      const imported = { key: name, target: name, version: 0, digest };
      known.set(name, imported);
      await tx.imports.putItems(source, kind, [imported]);
    }
    const text = `Entries name the ${itemWord[kind]} ${quoted(name)}, which the source does not list; it is inactive.`;
    const notes = [...(note ? [note] : []), ...(isActive(item) ? [] : [adapted(text)])];
    await putNotes(tx, source, [{ kind, key: name, notes }]);
  }
}

/**
 * Imports the templates of the source. Omits a template whose name is taken; a template that was changed here stays as
 * it is.
 */
export async function importTemplates(
  { storage, source }: Pick<Deps, 'storage' | 'source'>,
  templates: readonly Template[],
): Promise<void> {
  for (const template of templates) {
    const digest = JSON.stringify(template);
    const [known] = await storage.committed.imports.listKnown(source, 'template', [template.id]);
    if (known?.digest === digest) continue;
    const about = { kind: 'template', key: template.id } as const;
    try {
      await storage.write(async (tx) => {
        await requireUnchanged(tx, template, known?.digest);
        await tx.templates.put(template);
        const item = { key: template.id, target: template.id, version: 0, digest };
        await tx.imports.putItems(source, 'template', [item]);
        await putNotes(tx, source, [{ ...about, notes: [] }]);
      });
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'invalid') throw error;
      const { message } = error;
      await storage.write((tx) => putNotes(tx, source, [{ ...about, notes: [problem(message)] }]));
    }
  }
}

/** @throws Fault invalid `import.template-changed` when the stored template differs from the imported one */
async function requireUnchanged(
  { templates }: Pick<ImportTransaction, 'templates'>,
  template: Template,
  brought: string | undefined,
): Promise<void> {
  const stored = (await templates.find(template.id))?.json;
  const expected = [template, ...(brought === undefined ? [] : [JSON.parse(brought) as Template])].map(encodeTemplate);
  if (!stored || expected.some((json) => json.equals(stored))) return;
  throw new Fault(
    'invalid',
    'import.template-changed',
    `This logbook already has a different template with the id ${template.id}, or it was changed here after an import; it was not replaced.`,
  );
}
