import { type TSchema, Type } from 'typebox';
import type { CatalogItems, CatalogKind, State } from '../../catalog/catalog.js';
import { OptionalText, StateSchema } from '../../http/common.schema.js';

const OptionalState = Type.Optional(
  Type.Unsafe<State | null>({ enum: ['Active', 'Inactive', null], description: 'Default Active.' }),
);
const OptionalName = OptionalText('The name; where the address has one, it may be left out.');
const InputOwner = OptionalText('Default: the present owner, or whoever sends this.');

const TagSchema = Type.Object(
  { name: Type.String({ description: 'Unique; case matters.' }), state: StateSchema },
  { $id: 'Tag', description: 'A tag.', examples: [{ name: 'alarm', state: 'Active' }] },
);
const TagInputSchema = Type.Object(
  { name: OptionalName, state: OptionalState },
  { $id: 'TagInput', description: 'A tag to store.', examples: [{ name: 'alarm' }] },
);
const LogbookSchema = Type.Object(
  {
    name: Type.String({ description: 'Unique; case matters.' }),
    owner: Type.String({ description: 'Who keeps the logbook.' }),
    state: StateSchema,
  },
  { $id: 'Logbook', description: 'A logbook.', examples: [{ name: 'operations', owner: 'admin', state: 'Active' }] },
);
const LogbookInputSchema = Type.Object(
  { name: OptionalName, owner: InputOwner, state: OptionalState },
  { $id: 'LogbookInput', description: 'A logbook to store.', examples: [{ name: 'operations', owner: 'admin' }] },
);
const LevelSchema = Type.Object(
  {
    name: Type.String({ description: 'Unique; case matters.' }),
    defaultLevel: Type.Boolean({ description: 'Whether entries without a level get this one.' }),
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
    name: Type.String({ description: 'Unique; case matters.' }),
    owner: Type.String({ description: 'Who keeps the property.' }),
    state: StateSchema,
    attributes: Type.Array(
      Type.Object({ name: Type.String({ description: 'Unique within the property.' }), state: StateSchema }),
      { description: 'What an entry can say about the property.' },
    ),
  },
  {
    $id: 'Property',
    description: 'A kind of searchable metadata.',
    examples: [{ name: 'resource', owner: 'admin', state: 'Active', attributes: [{ name: 'name', state: 'Active' }] }],
  },
);
const PropertyInputSchema = Type.Object(
  {
    name: OptionalName,
    owner: InputOwner,
    state: OptionalState,
    attributes: Type.Optional(
      Type.Unsafe<{ name: string; state?: State | null }[] | null>({
        type: ['array', 'null'],
        maxItems: 1_000,
        items: Type.Object({ name: Type.String({ minLength: 1, maxLength: 255 }), state: OptionalState }),
        description: 'What an entry can say about the property.',
      }),
    ),
  },
  {
    $id: 'PropertyInput',
    description: 'A property to store.',
    examples: [{ name: 'resource', attributes: [{ name: 'name' }] }],
  },
);

interface ItemInput {
  readonly name?: string | null;
  readonly owner?: string | null;
  readonly state?: State | null;
  readonly defaultLevel?: boolean | null;
  readonly attributes?: readonly { readonly name: string; readonly state?: State | null }[] | null;
}

export interface CatalogWire<K extends CatalogKind> {
  /** Name of the item's schema; that of what is sent to store it ends in `Input`. */
  readonly name: string;
  readonly item: TSchema;
  readonly input: TSchema;
  /** The item to store, from what was sent and what is stored. */
  readonly fromInput: (
    name: string,
    input: ItemInput,
    sender: string,
    stored: CatalogItems[K] | undefined,
  ) => CatalogItems[K];
}

export type { ItemInput };

/** How each list is written on the wire. */
export const catalogWire: { readonly [K in CatalogKind]: CatalogWire<K> } = {
  tags: {
    name: 'Tag',
    item: TagSchema,
    input: TagInputSchema,
    fromInput: (name, input) => ({ name, state: input.state ?? 'Active' }),
  },
  logbooks: {
    name: 'Logbook',
    item: LogbookSchema,
    input: LogbookInputSchema,
    fromInput: (name, input, sender, stored) => ({
      name,
      owner: input.owner || stored?.owner || sender,
      state: input.state ?? 'Active',
    }),
  },
  levels: {
    name: 'Level',
    item: LevelSchema,
    input: LevelInputSchema,
    fromInput: (name, input) => ({ name, defaultLevel: input.defaultLevel ?? false }),
  },
  properties: {
    name: 'Property',
    item: PropertySchema,
    input: PropertyInputSchema,
    fromInput: (name, input, sender, stored) => ({
      name,
      owner: input.owner || stored?.owner || sender,
      state: input.state ?? 'Active',
      attributes: (input.attributes ?? []).map((attribute) => ({
        name: attribute.name,
        state: attribute.state ?? 'Active',
      })),
    }),
  },
};
