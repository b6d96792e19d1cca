import { isDeepStrictEqual } from 'node:util';
import { type CatalogItems, type CatalogKind, isActive } from '../catalog/catalog.js';
import type { CatalogReader } from '../catalog/catalog-store.port.js';
import { encodeTemplate, type Template } from '../entries/template.js';
import type { TemplateReader } from '../entries/template-store.port.js';
import type { Difference } from './compare-entry.js';
import type { ComparedImportSource } from './import-source.port.js';
import type { ImportReader } from './import-store.port.js';

/** Maximum number of items of a kind that are compared. */
const maxCompared = 1_000_000;

/** Compares a list of the source with the stored one. Additional stored items are not a difference. */
export async function* compareCatalog<K extends CatalogKind>(
  catalog: CatalogReader,
  kind: K,
  items: readonly CatalogItems[K][],
): AsyncGenerator<Difference> {
  for (const item of items) {
    const stored = await catalog.find(kind, item.name);
    if (!isDeepStrictEqual(stored, item)) {
      yield { key: item.name, field: kind, source: item, here: stored ?? 'missing' };
    }
  }
}

/**
 * Compares the imported items that a list of the source does not show, because the source may have cut it. Inactive
 * ones are not compared, because an item that the source no longer has is inactive, too.
 */
export async function* compareUnlisted<K extends CatalogKind>(
  { catalog, imports }: { readonly catalog: CatalogReader; readonly imports: ImportReader },
  source: Pick<ComparedImportSource, 'name' | 'findItem'>,
  kind: K,
  listed: readonly CatalogItems[K][],
  signal: AbortSignal,
): AsyncGenerator<Difference> {
  if (!source.findItem) return;
  const names = new Set(listed.map(({ name }) => name));
  for (const { key: name } of await imports.listAfter(source.name, kind, '', maxCompared)) {
    const item = names.has(name) ? undefined : await source.findItem(kind, name, signal);
    if (item && !('reason' in item) && isActive(item)) yield* compareCatalog(catalog, kind, [item]);
  }
}

/** Compares the templates of the source with the stored ones. Additional stored templates are not a difference. */
export async function* compareTemplates(
  stored: TemplateReader,
  templates: readonly Template[],
): AsyncGenerator<Difference> {
  for (const template of templates) {
    const here = await stored.find(template.id);
    if (here && encodeTemplate(template).equals(here.json)) continue;
    yield { key: template.id, field: 'template', source: template, here: here?.template ?? 'missing' };
  }
}
