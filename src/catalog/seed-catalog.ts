import { readFileSync } from 'node:fs';
import { ConfigurationError } from '../kernel/configuration-error.js';
import { describeFileError } from '../kernel/file-error.js';
import { Type } from '../kernel/json-schema.js';
import type { CatalogItems, CatalogKind } from './catalog.js';
import type { CatalogStorage } from './catalog-storage.js';
import { storeItems } from './edit-catalog.js';

type InitialCatalog = { readonly [K in CatalogKind]: readonly CatalogItems[K][] };

const active = 'Active' as const;

/** The catalogue of a new store when no file is configured. */
export const defaultCatalog: InitialCatalog = {
  levels: ['Urgent', 'Suggestion', 'Info', 'Request', 'Problem'].map((name) => ({
    name,
    defaultLevel: name === 'Info',
  })),
  logbooks: ['operations', 'controls'].map((name) => ({ name, owner: 'admin', state: active })),
  tags: [{ name: 'alarm', state: active }],
  properties: [
    {
      name: 'resource',
      owner: 'admin',
      state: active,
      attributes: ['name', 'file'].map((name) => ({ name, value: null, state: active })),
    },
  ],
};

const Named = { name: Type.String() };
const AttributeSchema = Type.Object({
  ...Named,
  value: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'] })),
});
const FileSchema = Type.Object(
  {
    levels: Type.Optional(Type.Array(Type.Object({ ...Named, defaultLevel: Type.Optional(Type.Boolean()) }))),
    logbooks: Type.Optional(Type.Array(Type.Object({ ...Named, owner: Type.Optional(Type.String()) }))),
    tags: Type.Optional(Type.Array(Type.Object(Named))),
    properties: Type.Optional(
      Type.Array(
        Type.Object({ ...Named, owner: Type.Optional(Type.String()), attributes: Type.Array(AttributeSchema) }),
      ),
    ),
  },
  { additionalProperties: false },
);

/**
 * Reads a catalogue from a file such as `{"levels": [{"name", "defaultLevel"}], "logbooks": [{"name", "owner"}],
 * "tags": [{"name"}], "properties": [{"name", "owner", "attributes": [{"name", "value"}]}]}`; an omitted list is empty.
 * @throws ConfigurationError when the file cannot be read or has another form
 */
export async function readCatalogFile(file: string): Promise<InitialCatalog> {
  const { Value } = await import('typebox/value');
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = describeFileError(error) ?? `It is not JSON: ${(error as Error).message}.`;
    throw new ConfigurationError(`The catalogue file ${file} (initialCatalogFile) cannot be read. ${reason}`, {
      cause: error,
    });
  }
  if (!Value.Check(FileSchema, content)) {
    const [problem] = Value.Errors(FileSchema, content);
    throw new ConfigurationError(
      `The catalogue file ${file} (initialCatalogFile) is invalid: ${problem?.instancePath} ${problem?.message}.`,
    );
  }
  const { levels = [], logbooks = [], tags = [], properties = [] } = content;
  return {
    levels: levels.map(({ name, defaultLevel = false }) => ({ name, defaultLevel })),
    logbooks: logbooks.map(({ name, owner = '' }) => ({ name, owner, state: active })),
    tags: tags.map(({ name }) => ({ name, state: active })),
    properties: properties.map(({ name, owner = '', attributes }) => ({
      name,
      owner,
      state: active,
      attributes: attributes.map(({ name: attribute, value = null }) => ({ name: attribute, value, state: active })),
    })),
  };
}

/** Stores the initial catalogue in a store that has no catalogue items. @throws Fault invalid `catalog.…` */
export async function seedCatalog(storage: CatalogStorage, initial: () => Promise<InitialCatalog>): Promise<void> {
  const kinds: readonly CatalogKind[] = ['levels', 'logbooks', 'tags', 'properties'];
  for (const kind of kinds) if ((await storage.committed.catalog.measure(kind)).items > 0) return;
  const catalog = await initial();
  await storage.write(async (tx) => {
    // Another node may have stored a catalogue in the meantime.
    for (const kind of kinds) if ((await tx.catalog.measure(kind)).items > 0) return;
    for (const kind of kinds) await storeItems(tx, kind, catalog[kind]);
  });
}
