import type { CatalogReader } from '../../catalog/catalog-store.port.js';
import { defaultLevelName, listItems } from '../../catalog/edit-catalog.js';
import { encodeEach, jsonArrayChunks } from '../../kernel/json-array.js';

/**
 * Yields the lists from which a client fills its forms, as one JSON object.
 * @param isShown whether to list the logbook with this name
 */
export async function* configurationChunks(
  catalog: CatalogReader,
  isShown: (logbook: string) => boolean = () => true,
): AsyncGenerator<Uint8Array> {
  const levels = new Set([await defaultLevelName(catalog)]);
  for await (const { name } of listItems(catalog, 'levels')) levels.add(name);
  yield Buffer.from(`{"levels":${JSON.stringify([...levels])},"logbooks":`);
  yield* jsonArrayChunks(encodeEach(shownLogbooks(catalog, isShown)));
  yield Buffer.from(',"tags":');
  yield* jsonArrayChunks(encodeEach(listItems(catalog, 'tags')));
  yield Buffer.from('}');
}

async function* shownLogbooks(catalog: CatalogReader, isShown: (logbook: string) => boolean) {
  for await (const logbook of listItems(catalog, 'logbooks')) if (isShown(logbook.name)) yield logbook;
}
