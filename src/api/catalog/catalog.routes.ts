import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type CatalogItems, type CatalogKind, itemWord, type Logbook } from '../../catalog/catalog.js';
import type { CatalogStorage } from '../../catalog/catalog-storage.js';
import { findItem, getItem, type ItemChange, listItems, removeItem, upsertItems } from '../../catalog/edit-catalog.js';
import type { DeviceNames } from '../../entries/device-names.js';
import { sendJsonChunks } from '../../http/reply/json-stream.js';
import type { Clock } from '../../kernel/clock.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { encodeEach, jsonArrayChunks } from '../../kernel/json-array.js';
import type { ListLimits } from '../../kernel/list-limits.js';
import { asRecorded, writeOnce } from '../../kernel/write-once.js';
import { keyedRequest } from '../access/keyed-request.js';
import { principalOf } from '../access/request-principal.js';
import {
  catalogWire,
  deleteItemSchema,
  getItemSchema,
  type ItemInput,
  listItemsSchema,
  putItemSchema,
  putItemsSchema,
} from './catalog.schema.js';

export interface CatalogRoutesDeps {
  readonly storage: CatalogStorage;
  readonly clock: Clock;
  readonly catalogLimits: ListLimits;
  readonly deviceNames: DeviceNames;
}

interface NameParams {
  /** Name of the item, under the name of the route's parameter, which depends on the kind. */
  Params: Readonly<Record<string, string>>;
}

/** Routes of tags, logbooks, levels and properties, with the same operations for each kind. */
export async function catalogRoutes(app: FastifyInstance, deps: CatalogRoutesDeps): Promise<void> {
  for (const kind of ['tags', 'logbooks', 'levels', 'properties'] as const) itemRoutes(app, deps, kind);
}

function itemRoutes(app: FastifyInstance, deps: CatalogRoutesDeps, kind: CatalogKind): void {
  const { storage } = deps;
  const { item, input } = catalogWire[kind];
  app.addSchema(item);
  app.addSchema(input);
  const write = { access: kind } as const;
  const [all, one] = [`/${kind}`, `/${kind}/:${catalogWire[kind].nameParam}`];
  const putItem = putItemHandler(deps, kind);
  app.get(all, { schema: listItemsSchema(kind) }, listItemsHandler(storage, kind));
  app.put(all, { config: write, schema: putItemsSchema(kind) }, putItemsHandler(deps, kind));
  app.get(one, { schema: getItemSchema(kind) }, getItemHandler(storage, kind));
  app.put(one, { config: write, schema: putItemSchema(kind) }, putItem);
  if (kind === 'levels') {
    // Some clients use this URL in the singular.
    const singular = '/level/:levelName';
    app.get(singular, { schema: getItemSchema(kind, 'getLevelSingular') }, getItemHandler(storage, kind));
    app.put(singular, { config: write, schema: putItemSchema(kind, 'putLevelSingular') }, putItem);
  }
  app.delete(one, { config: write, schema: deleteItemSchema(kind) }, deleteItemHandler(deps, kind));
}

const listItemsHandler =
  ({ committed }: CatalogStorage, kind: CatalogKind) =>
  async (request: FastifyRequest<{ Querystring: { inactive?: boolean } }>, reply: FastifyReply) => {
    const items = listItems(committed.catalog, kind, { inactiveToo: request.query.inactive === true });
    return sendJsonChunks(reply, jsonArrayChunks(encodeEach(items)));
  };

const putItemsHandler =
  <K extends CatalogKind>(deps: CatalogRoutesDeps, kind: K) =>
  async (request: FastifyRequest<{ Body: ItemInput[] }>) => {
    const { userName } = principalOf(request);
    const changes = request.body.map((input) => toChange(deps, kind, { ...input, name: input.name ?? '' }, userName));
    return storeOnce(deps, request, kind, changes);
  };

const getItemHandler =
  ({ committed }: CatalogStorage, kind: CatalogKind) =>
  async (request: FastifyRequest<NameParams>, reply: FastifyReply) => {
    const name = nameIn(request, kind);
    if (kind !== 'tags') return getItem(committed.catalog, kind, name);
    const tag = await findItem(committed.catalog, kind, name);
    return tag ?? reply.type('application/json; charset=utf-8').serializer(String).send(null);
  };

const putItemHandler =
  <K extends CatalogKind>(deps: CatalogRoutesDeps, kind: K) =>
  async (request: FastifyRequest<NameParams & { Body: ItemInput }>) => {
    const name = nameIn(request, kind);
    checkSameName(kind, name, request.body.name ?? name);
    const change = toChange(deps, kind, { ...request.body, name }, principalOf(request).userName);
    const [stored] = await storeOnce(deps, request, kind, [change]);
    return stored;
  };

const deleteItemHandler =
  (deps: CatalogRoutesDeps, kind: CatalogKind) => async (request: FastifyRequest<NameParams>, reply: FastifyReply) => {
    await writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<void>(), (storage) =>
      removeItem(storage, kind, nameIn(request, kind)),
    );
    return reply.send();
  };

/** Stores items, only once for each idempotency key. */
function storeOnce<K extends CatalogKind>(
  deps: CatalogRoutesDeps,
  request: FastifyRequest,
  kind: K,
  changes: readonly ItemChange<K>[],
): Promise<CatalogItems[K][]> {
  return writeOnce(deps.storage, keyedRequest(request, deps), asRecorded<CatalogItems[K][]>(), (storage) =>
    upsertItems(storage, deps.catalogLimits, kind, changes),
  );
}

function nameIn({ params }: FastifyRequest<NameParams>, kind: CatalogKind): string {
  return params[catalogWire[kind].nameParam] ?? '';
}

function toChange<K extends CatalogKind>(
  { deviceNames }: CatalogRoutesDeps,
  kind: K,
  input: ItemInput & { readonly name: string },
  sender: string,
): ItemChange<K> {
  const { name } = input;
  return {
    name,
    item: (stored) => {
      if (kind === 'logbooks') checkDevices(deviceNames, input, stored);
      return catalogWire[kind].fromInput(name, input, sender, stored);
    },
  };
}

/** Checks the devices that are added to a logbook. The settings may have changed since the others were added. */
function checkDevices(deviceNames: DeviceNames, input: ItemInput, stored: Partial<Logbook> = {}): void {
  const unknown = input.devices?.find((name) => !stored.devices?.includes(name) && !deviceNames.isDevice(name));
  if (unknown === undefined) return;
  throw new Fault(
    'invalid',
    'catalog.unknown-device',
    `${quoted(unknown)} is not recognised as a device. Correct it, or change the setting deviceNames.`,
  );
}

function checkSameName(kind: CatalogKind, pathName: string, bodyName: string): void {
  if (bodyName === pathName) return;
  const word = itemWord[kind];
  throw new Fault(
    'invalid',
    'catalog.name-mismatch',
    `The URL names the ${word} ${quoted(pathName)}, but the body names ${quoted(bodyName)}. Use one name; a ${word} cannot be renamed.`,
  );
}
