import { type Static, Type } from 'typebox';
import type { RequestedAttachment } from '../../attachments/attach-uploads.js';
import type { EntryDraft, PropertyDraft } from '../../entries/entry-draft.js';
import { OptionalText, StateSchema } from '../../http/common.schema.js';

/** The wire shapes of entries, and what a request means. */

const Milliseconds = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds since the epoch.` });

/** What a date can hold. */
const maxInstant = 8.64e15;
const InputInstant = Type.Integer({
  description: 'When it happened, in milliseconds since the epoch.',
  minimum: -maxInstant,
  maximum: maxInstant,
});

const LogbookReferenceSchema = Type.Object({ name: Type.String(), owner: Type.String(), state: StateSchema });
const TagReferenceSchema = Type.Object({ name: Type.String(), state: StateSchema });
const PropertyInstanceSchema = Type.Object({
  name: Type.String(),
  owner: Type.String(),
  state: StateSchema,
  attributes: Type.Array(Type.Object({ name: Type.String(), value: Type.String(), state: StateSchema })),
});

/** The fields that templates share with entries. */
export const sharedFields = {
  owner: Type.String({ description: 'Who created it.' }),
  source: Type.String({ description: 'The text with its markup, as sent.' }),
  description: Type.String({ description: 'The text without markup.' }),
  title: Type.String({ description: 'The title.' }),
  level: Type.String({ description: 'Name of a level.' }),
  createdDate: Milliseconds('When it was created'),
  modifyDate: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'When it was last edited, in milliseconds since the epoch; null if never.',
  }),
  modifiedBy: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'Who edited it last; null if nobody.',
  }),
  logbooks: Type.Array(LogbookReferenceSchema, { description: 'The logbooks it is in.' }),
  tags: Type.Array(TagReferenceSchema, { description: 'Its tags.' }),
  properties: Type.Array(PropertyInstanceSchema, {
    description: 'Its properties. `Log Entry Group` ties entries, replies and companions together.',
  }),
};

const AttachmentSchema = Type.Object(
  {
    id: Type.String({ description: 'Unique; the address of the file is `attachment/{id}`.' }),
    filename: Type.String({ description: 'The name of the file.' }),
    fileMetadataDescription: Type.String({ description: 'What the sender said of it; default its media type.' }),
    size: Type.Integer({ description: 'Bytes.' }),
    contentType: Type.String({ description: 'Media type, detected from the content.' }),
    checksum: Type.String({ description: 'SHA-256 of the content, hexadecimal.' }),
  },
  { $id: 'Attachment', description: 'A file of an entry.' },
);

const exampleEntry = {
  id: 42,
  owner: 'user',
  source: 'Quadrupole **tripped** at 03:12.',
  description: 'Quadrupole tripped at 03:12.',
  title: 'Magnet trip',
  level: 'Problem',
  state: 'Active',
  createdDate: 1_767_225_600_000,
  modifyDate: null,
  modifiedBy: null,
  events: [{ name: 'trip', instant: 1_767_225_120_000 }],
  logbooks: [{ name: 'operations', owner: 'admin', state: 'Active' }],
  tags: [{ name: 'alarm', state: 'Active' }],
  properties: [
    {
      name: 'resource',
      owner: 'admin',
      state: 'Active',
      attributes: [{ name: 'name', value: 'SR:C03-MG:G02A{Quad:1}', state: 'Active' }],
    },
  ],
  attachments: [],
};

const EntrySchema = Type.Object(
  {
    id: Type.Integer({ description: 'Given by the service; grows, never reused.' }),
    ...sharedFields,
    state: StateSchema,
    events: Type.Array(Type.Object({ name: Type.String(), instant: Milliseconds('When it happened') }), {
      description: 'Times in the past that the entry tells of. Set at creation.',
    }),
    attachments: Type.Array(Type.Ref('Attachment'), { description: 'Its files.' }),
  },
  { $id: 'Entry', description: 'A log entry.', examples: [exampleEntry] },
);

const OptionalList = <T>(items: object, description: string, maxItems = 2_000) =>
  Type.Optional(Type.Unsafe<T[] | null>({ type: ['array', 'null'], items, maxItems, description }));
const ReferenceSchema = Type.Object({ name: Type.String({ description: 'Its name.' }) });
const PropertyInputSchema = Type.Object({
  name: Type.String({ description: 'Name of the property.' }),
  attributes: OptionalList<{ name: string; value?: string | null }>(
    Type.Object({ name: Type.String({ description: 'Name of the attribute.' }), value: OptionalText('Its value.') }),
    'What the entry says about it.',
    20_000,
  ),
});

type PropertyInput = Static<typeof PropertyInputSchema>;

export const sharedInputs = {
  source: OptionalText('The text with its markup.'),
  description: OptionalText('The text with its markup, where `source` is absent or empty.'),
  level: OptionalText('Name of a level; default: the default level.'),
  tags: OptionalList<{ name: string }>(ReferenceSchema, 'Existing tags, by name.'),
  properties: OptionalList<PropertyInput>(PropertyInputSchema, 'Properties with the values of their attributes.'),
};

const EntryInputSchema = Type.Object(
  {
    id: Type.Optional(
      Type.Unsafe<number | string | null>({
        type: ['integer', 'string', 'null'],
        description: 'Of the entry to update. Ignored at creation.',
      }),
    ),
    title: Type.String({ description: 'The title.' }),
    ...sharedInputs,
    logbooks: Type.Array(ReferenceSchema, {
      description: 'Existing logbooks, by name; at least one.',
      maxItems: 2_000,
    }),
    events: OptionalList<{ name: string; instant: number }>(
      Type.Object({ name: Type.String({ description: 'What happened.' }), instant: InputInstant }),
      'Times in the past that the entry tells of. Ignored by an update.',
    ),
    attachments: OptionalList<{
      id?: string | null;
      filename?: string | null;
      fileMetadataDescription?: string | null;
    }>(
      Type.Object({
        id: OptionalText('Unique, for example a UUID; default: a new one.'),
        filename: OptionalText('Equal to the file name of its file part.'),
        fileMetadataDescription: OptionalText('What the file is.'),
      }),
      'The files of the entry, for multipart requests.',
    ),
  },
  {
    $id: 'EntryInput',
    description: 'A log entry to store. Fields that the service sets may be there; they are ignored.',
    examples: [
      {
        title: 'Magnet trip',
        description: 'Quadrupole **tripped** at 03:12.',
        level: 'Problem',
        logbooks: [{ name: 'operations' }],
        tags: [{ name: 'alarm' }],
      },
    ],
  },
);

export type EntryInput = Static<typeof EntryInputSchema>;

const SearchResultSchema = Type.Object(
  {
    hitCount: Type.Integer({ description: 'How many entries match in all, exactly.' }),
    logs: Type.Array(Type.Ref('Entry'), { description: 'The entries of the page.' }),
  },
  { $id: 'SearchResult', description: 'A page of entries.', examples: [{ hitCount: 1, logs: [exampleEntry] }] },
);

export const entrySchemas = [AttachmentSchema, EntrySchema, EntryInputSchema, SearchResultSchema];

export function toDraft(input: EntryInput): EntryDraft {
  return {
    ...toSharedDraft(input),
    title: input.title,
    logbooks: input.logbooks.map((logbook) => logbook.name),
    events: (input.events ?? []).map(({ name, instant }) => ({ name, instant })),
  };
}

/** What entries and templates have in common. */
export function toSharedDraft(
  input: Pick<EntryInput, 'source' | 'description' | 'level' | 'tags' | 'properties'>,
): Pick<EntryDraft, 'text' | 'emptySource' | 'level' | 'tags' | 'properties'> {
  return {
    // Some clients know `description` alone, some send an empty `source` beside it.
    text: input.source || input.description || '',
    emptySource: input.source === '',
    level: input.level?.trim() || undefined,
    tags: (input.tags ?? []).map((tag) => tag.name),
    properties: (input.properties ?? []).map(toPropertyDraft),
  };
}

function toPropertyDraft({ name, attributes }: PropertyInput): PropertyDraft {
  return {
    name,
    attributes: (attributes ?? []).map((attribute) => ({ name: attribute.name, value: attribute.value ?? '' })),
  };
}

/** Undefined when the entry says nothing about attachments. */
export function toRequestedAttachments(input: EntryInput): RequestedAttachment[] | undefined {
  return input.attachments?.map((attachment) => ({
    id: attachment.id || undefined,
    filename: attachment.filename || undefined,
    fileMetadataDescription: attachment.fileMetadataDescription || undefined,
  }));
}
