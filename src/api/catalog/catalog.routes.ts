import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { type CatalogKind, itemWord } from '../../catalog/catalog.js';
import type { CatalogStorage } from '../../catalog/catalog-storage.js';
import { findItem, getItem, type ItemChange, listItems, removeItem, upsertItems } from '../../catalog/edit-catalog.js';
import { type ErrorStatus, errorResponses, signedIn, writeErrors } from '../../http/common.schema.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { principalOf } from '../access/request-principal.js';
import { catalogWire, type ItemInput } from './catalog.schema.js';

const tags = ['Catalogue'];

/** Tags, logbooks, levels and properties: the same seven operations each. */
export async function catalogRoutes(
  app: FastifyInstance,
  { storage }: { readonly storage: CatalogStorage },
): Promise<void> {
  listRoutes(app, storage, 'tags');
  listRoutes(app, storage, 'logbooks');
  listRoutes(app, storage, 'levels');
  listRoutes(app, storage, 'properties');
}

function listRoutes<K extends CatalogKind>(app: FastifyInstance, storage: CatalogStorage, kind: K): void {
  const { name: Word, item, input, fromInput } = catalogWire[kind];
  const word = itemWord[kind];
  const list = kind[0]?.toUpperCase() + kind.slice(1);
  app.addSchema(item);
  app.addSchema(input);
  const ItemResponse = { ...Type.Ref(Word), description: `The ${word}.` };
  const ListResponse = Type.Array(Type.Ref(Word), { description: `The ${kind}.` });
  const params = Type.Object({ name: Type.String({ description: `Name of the ${word}.`, examples: ['operations'] }) });
  const inactiveQuery = Type.Object({
    inactive: Type.Optional(Type.Boolean({ description: 'Also list inactive ones.', default: false })),
  });
  const unknown: ErrorStatus[] = [401, 404, 500];

  const change = (name: string, sent: ItemInput, sender: string): ItemChange<K> => ({
    name,
    item: (stored) => fromInput(name, sent, sender, stored),
  });

  app.get<{ Querystring: { inactive?: boolean } }>(
    `/${kind}`,
    {
      schema: {
        tags,
        operationId: `list${list}`,
        summary: `List the ${kind}`,
        description: 'Ordered by name; all of them.',
        ...(kind === 'properties' && { querystring: inactiveQuery }),
        response: { 200: ListResponse, ...errorResponses(400, 401, 500) },
      },
    },
    async (request) => listItems(storage.committed.catalog, kind, { inactiveToo: request.query.inactive === true }),
  );

  app.put<{ Body: ItemInput[] }>(
    `/${kind}`,
    {
      config: { access: kind },
      schema: {
        tags,
        operationId: `put${list}`,
        summary: `Store several ${kind}`,
        description: `Adds or replaces each ${word} by its name; all of them or none.`,
        security: signedIn,
        body: Type.Array(Type.Ref(`${Word}Input`), { description: `The ${kind} to store.`, maxItems: 10_000 }),
        response: { 200: ListResponse, ...errorResponses(...writeErrors) },
      },
    },
    async (request) => {
      const sender = principalOf(request).userName;
      return upsertItems(
        storage,
        kind,
        request.body.map((sent) => change(sent.name ?? '', sent, sender)),
      );
    },
  );

  app.get<{ Params: { name: string } }>(
    `/${kind}/:name`,
    {
      schema: {
        tags,
        operationId: `get${Word}`,
        summary: `Get a ${word}`,
        description: kind === 'tags' ? 'The tag, or null when there is none.' : `The ${word}.`,
        params,
        response: {
          200:
            kind === 'tags'
              ? Type.Union([Type.Ref(Word), Type.Null()], { description: 'The tag or null.' })
              : ItemResponse,
          ...errorResponses(...unknown),
        },
      },
    },
    async (request, reply) => {
      const { name } = request.params;
      if (kind !== 'tags') return getItem(storage.committed.catalog, kind, name);
      const found = await findItem(storage.committed.catalog, kind, name);
      return found ?? reply.type('application/json; charset=utf-8').serializer(String).send(null);
    },
  );

  // The levels also answer at an address in the singular, which some clients use for storing one.
  for (const address of kind === 'levels' ? ['/levels', '/level'] : [`/${kind}`]) {
    app.put<{ Params: { name: string }; Body: ItemInput }>(
      `${address}/:name`,
      {
        config: { access: kind },
        schema: {
          tags,
          operationId: address === '/level' ? 'putLevelSingular' : `put${Word}`,
          summary: `Store a ${word}`,
          description: `Adds the ${word}, or replaces the one of that name; one that was deleted comes back.`,
          security: signedIn,
          params,
          body: Type.Ref(`${Word}Input`),
          response: { 200: ItemResponse, ...errorResponses(...writeErrors) },
        },
      },
      async (request) => {
        const { name } = request.params;
        const sentName = request.body.name ?? name;
        if (sentName !== name) {
          throw new Fault(
            'invalid',
            'catalog.name-mismatch',
            `The address names the ${word} ${quoted(name)}, the body ${quoted(sentName)}. Use one name; a ${word} cannot be renamed.`,
          );
        }
        const [stored] = await upsertItems(storage, kind, [change(name, request.body, principalOf(request).userName)]);
        return stored;
      },
    );
  }

  app.delete<{ Params: { name: string } }>(
    `/${kind}/:name`,
    {
      config: { access: kind },
      schema: {
        tags,
        operationId: `delete${Word}`,
        summary: `Delete a ${word}`,
        description:
          kind === 'levels'
            ? 'Removes the level; entries keep its name.'
            : `Makes the ${word} inactive: gone from lists and from new entries, still shown on old ones.`,
        security: signedIn,
        params,
        response: {
          200: Type.Null({ description: 'It is deleted.' }),
          ...errorResponses(403, ...unknown, 429, 503, 507),
        },
      },
    },
    async (request, reply) => {
      await removeItem(storage, kind, request.params.name);
      return reply.send();
    },
  );
}
