import { isDeepStrictEqual } from 'node:util';
import type { CatalogItems, CatalogKind } from '../catalog/catalog.js';
import type { CatalogReader } from '../catalog/catalog-store.port.js';
import { encodeTemplate, type Template } from '../entries/template.js';
import type { TemplateReader } from '../entries/template-store.port.js';
import type { Difference } from './compare-entry.js';

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
