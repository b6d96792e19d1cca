import { type CatalogItems, type CatalogKind, itemWord, type State } from '../../catalog/catalog.js';
import { deviceLimits } from '../../entries/device-options.js';
import {
  errorResponses,
  keyedWriteErrors,
  OptionalText,
  readErrors,
  StateSchema,
  signedIn,
} from '../../http/common.schema.js';
import { type TSchema, Type } from '../../kernel/json-schema.js';
import { keyedHeaders } from '../access/keyed-request.js';
import { OptionalValue, StoredValue, toStoredValue, type ValueInput } from '../attribute-value.js';

const OptionalState = Type.Optional(
  Type.Unsafe<State | null>({ enum: ['Active', 'Inactive', null], description: 'Default Active.' }),
);
const OptionalName = OptionalText('Name; optional where the URL contains it.');
const InputOwner = OptionalText('Default: the current owner, or for a new one the user who sends the request.');

const TagSchema = Type.Object(
  { name: Type.String({ description: 'Unique, case-sensitive.' }), state: StateSchema },
  { $id: 'Tag', description: 'A tag.', examples: [{ name: 'alarm', state: 'Active' }] },
);
const TagInputSchema = Type.Object(
  { name: OptionalName, state: OptionalState },
  { $id: 'TagInput', description: 'A tag to store.', examples: [{ name: 'alarm' }] },
);
const LogbookSchema = Type.Object(
  {
    name: Type.String({ description: 'Unique, case-sensitive.' }),
    owner: Type.String({ description: 'Owner of the logbook.' }),
    state: StateSchema,
    devices: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'Devices whose values its new entries receive, in addition to the devices that the entries name; absent: none.',
      }),
    ),
  },
  { $id: 'Logbook', description: 'A logbook.', examples: [{ name: 'operations', owner: 'admin', state: 'Active' }] },
);
const LogbookInputSchema = Type.Object(
  {
    name: OptionalName,
    owner: InputOwner,
    state: OptionalState,
    devices: Type.Optional(
      Type.Unsafe<string[] | null>({
        type: ['array', 'null'],
        maxItems: deviceLimits.names,
        items: Type.String({ minLength: 1, maxLength: deviceLimits.nameLength }),
        description: 'Devices whose values new entries receive. Absent or null: unchanged.',
      }),
    ),
  },
  { $id: 'LogbookInput', description: 'A logbook to store.', examples: [{ name: 'operations', owner: 'admin' }] },
);
const LevelSchema = Type.Object(
  {
    name: Type.String({ description: 'Unique, case-sensitive.' }),
    defaultLevel: Type.Boolean({ description: 'Whether it is assigned to entries without a level.' }),
  },
  { $id: 'Level', description: 'A level.', examples: [{ name: 'Info', defaultLevel: true }] },
);
const LevelInputSchema = Type.Object(
  {
    name: OptionalName,
    defaultLevel: Type.Optional(
      Type.Unsafe<boolean | null>({ type: ['boolean', 'null'], description: 'At most one level can be the default.' }),
    ),
  },
  { $id: 'LevelInput', description: 'A level to store.', examples: [{ name: 'Urgent', defaultLevel: false }] },
);
const PropertySchema = Type.Object(
  {
    name: Type.String({ description: 'Unique, case-sensitive.' }),
    owner: Type.String({ description: 'Owner of the property.' }),
    state: StateSchema,
    attributes: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Unique within the property.' }),
        value: StoredValue('The value that clients propose in a new entry; null: none.'),
        state: StateSchema,
      }),
      { description: 'Attributes that an entry can give a value.' },
    ),
  },
  {
    $id: 'Property',
    description: 'A kind of searchable metadata.',
    examples: [
      {
        name: 'resource',
        owner: 'admin',
        state: 'Active',
        attributes: [{ name: 'name', value: null, state: 'Active' }],
      },
    ],
  },
);
const PropertyInputSchema = Type.Object(
  {
    name: OptionalName,
    owner: InputOwner,
    state: OptionalState,
    attributes: Type.Optional(
      Type.Unsafe<AttributeInput[] | null>({
        type: ['array', 'null'],
        maxItems: 1_000,
        items: Type.Object({
          name: Type.String({ minLength: 1, maxLength: 255 }),
          value: OptionalValue('The value that clients propose in a new entry.'),
          state: OptionalState,
        }),
        description: 'Attributes that an entry can give a value.',
      }),
    ),
  },
  {
    $id: 'PropertyInput',
    description: 'A property to store.',
    examples: [{ name: 'resource', attributes: [{ name: 'name' }] }],
  },
);

interface AttributeInput {
  readonly name: string;
  readonly value?: ValueInput;
  readonly state?: State | null;
}

/** Input fields of all four kinds together. */
export interface ItemInput {
  readonly name?: string | null;
  readonly owner?: string | null;
  readonly state?: State | null;
  readonly devices?: readonly string[] | null;
  readonly defaultLevel?: boolean | null;
  readonly attributes?: readonly AttributeInput[] | null;
}

export interface CatalogWire<K extends CatalogKind> {
  /** Name of the item's schema. With `Input` appended, name of the schema of the request that stores an item. */
  readonly name: string;
  /** Name of the path parameter that names an item. */
  readonly nameParam: string;
  readonly item: TSchema;
  readonly input: TSchema;
  /** Returns the item to store, made from the input, its sender and the stored item, if there is one. */
  readonly fromInput: (
    name: string,
    input: ItemInput,
    sender: string,
    stored: CatalogItems[K] | undefined,
  ) => CatalogItems[K];
}

/** The wire format of each part of the catalogue. */
export const catalogWire: { readonly [K in CatalogKind]: CatalogWire<K> } = {
  tags: {
    name: 'Tag',
    nameParam: 'tagName',
    item: TagSchema,
    input: TagInputSchema,
    fromInput: (name, input) => ({ name, state: input.state ?? 'Active' }),
  },
  logbooks: {
    name: 'Logbook',
    nameParam: 'logbookName',
    item: LogbookSchema,
    input: LogbookInputSchema,
    fromInput: (name, input, sender, stored) => {
      const devices = input.devices ?? stored?.devices ?? [];
      return {
        name,
        owner: input.owner || stored?.owner || sender,
        state: input.state ?? 'Active',
        ...(devices.length > 0 && { devices: [...new Set(devices)] }),
      };
    },
  },
  levels: {
    name: 'Level',
    nameParam: 'levelName',
    item: LevelSchema,
    input: LevelInputSchema,
    fromInput: (name, input) => ({ name, defaultLevel: input.defaultLevel ?? false }),
  },
  properties: {
    name: 'Property',
    nameParam: 'propertyName',
    item: PropertySchema,
    input: PropertyInputSchema,
    fromInput: (name, input, sender, stored) => ({
      name,
      owner: input.owner || stored?.owner || sender,
      state: input.state ?? 'Active',
      attributes: (input.attributes ?? []).map((attribute) => ({
        name: attribute.name,
        value: toStoredValue(attribute.name, attribute.value ?? null),
        state: attribute.state ?? 'Active',
      })),
    }),
  },
};

const tags = ['Catalogue'];

const listResponse = (kind: CatalogKind) =>
  Type.Array(Type.Ref(catalogWire[kind].name), { description: `The ${kind}.` });
const itemResponse = (kind: CatalogKind) => ({
  ...Type.Ref(catalogWire[kind].name),
  description: `The ${itemWord[kind]}.`,
});
const nameParams = (kind: CatalogKind) =>
  Type.Object({ [catalogWire[kind].nameParam]: Type.String({ description: `Name of the ${itemWord[kind]}.` }) });
const inactiveQuery = (kind: CatalogKind) =>
  Type.Object({
    inactive: Type.Optional(Type.Boolean({ description: `Whether to include inactive ${kind}.`, default: false })),
  });
const capitalized = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

export const listItemsSchema = (kind: CatalogKind) => ({
  tags,
  operationId: `list${capitalized(kind)}`,
  summary: `List the ${kind}`,
  description: `Returns all ${kind}, ordered by name.`,
  ...(kind !== 'levels' && { querystring: inactiveQuery(kind) }),
  response: { 200: listResponse(kind), ...errorResponses(...readErrors) },
});

export const putItemsSchema = (kind: CatalogKind) => ({
  tags,
  operationId: `put${capitalized(kind)}`,
  summary: `Store several ${kind}`,
  description: `Adds or replaces each ${itemWord[kind]} by its name; stores all of them or none.`,
  security: signedIn,
  headers: keyedHeaders,
  body: Type.Array(Type.Ref(`${catalogWire[kind].name}Input`), {
    description: `The ${kind} to store.`,
    maxItems: 10_000,
  }),
  response: { 200: listResponse(kind), ...errorResponses(...keyedWriteErrors, 409) },
});

export const getItemSchema = (kind: CatalogKind, operationId = `get${catalogWire[kind].name}`) => ({
  tags,
  operationId,
  summary: `Get a ${itemWord[kind]}`,
  description: kind === 'tags' ? 'Returns the tag, or null if it does not exist.' : `Returns the ${itemWord[kind]}.`,
  params: nameParams(kind),
  response: {
    200:
      kind === 'tags'
        ? Type.Union([Type.Ref('Tag'), Type.Null()], { description: 'The tag or null.' })
        : itemResponse(kind),
    ...errorResponses(...readErrors, 404),
  },
});

export const putItemSchema = (kind: CatalogKind, operationId = `put${catalogWire[kind].name}`) => ({
  tags,
  operationId,
  summary: `Store a ${itemWord[kind]}`,
  description: `Adds the ${itemWord[kind]}, or replaces the one with that name. Storing a deleted one restores it.`,
  security: signedIn,
  headers: keyedHeaders,
  params: nameParams(kind),
  body: Type.Ref(`${catalogWire[kind].name}Input`),
  response: { 200: itemResponse(kind), ...errorResponses(...keyedWriteErrors, 409) },
});

export const deleteItemSchema = (kind: CatalogKind) => ({
  tags,
  operationId: `delete${catalogWire[kind].name}`,
  summary: `Delete a ${itemWord[kind]}`,
  description:
    kind === 'levels'
      ? 'Removes the level. Existing entries keep its name.'
      : `Makes the ${itemWord[kind]} inactive: it is no longer listed or usable in new entries, but still shown on old ones. No effect if it is inactive already.`,
  security: signedIn,
  headers: keyedHeaders,
  params: nameParams(kind),
  response: {
    200: Type.Null({ description: `The ${itemWord[kind]} was deleted.` }),
    ...errorResponses(...keyedWriteErrors, 404),
  },
});
