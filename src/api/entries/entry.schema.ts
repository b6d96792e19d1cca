import { type Entry, type RunState, type RunStatus, runStatuses } from '../../entries/entry.js';
import {
  errorResponses,
  keyedWriteErrors,
  notModified,
  OptionalText,
  readErrors,
  StateSchema,
  signedIn,
} from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { keyedHeaders } from '../access/keyed-request.js';
import { OptionalValue, StoredValue, type ValueInput } from '../attribute-value.js';
import { createHeaders, createQuery, idParams, readHeaders, updateHeaders, updateQuery } from './entry-parameters.js';

/** The wire shapes of entries and of the operations on them. */

const Milliseconds = (description: string) =>
  Type.Integer({ description: `${description}, in milliseconds since the epoch.` });

/** Maximum distance of a JavaScript date from the epoch, in milliseconds. */
const maxInstant = 8.64e15;
const InputInstant = Type.Integer({
  description: 'Time of the event, in milliseconds since the epoch.',
  minimum: -maxInstant,
  maximum: maxInstant,
});

const LogbookReferenceSchema = Type.Object({ name: Type.String(), owner: Type.String(), state: StateSchema });
const TagReferenceSchema = Type.Object({ name: Type.String(), state: StateSchema });
const SampleSchema = Type.Object(
  {
    numbers: Type.Optional(
      Type.Array(Type.String(), {
        description:
          'The value in full precision, as decimal numbers, `NaN`, `Infinity` or `-Infinity`; several for an array.',
      }),
    ),
    text: Type.Optional(Type.String({ description: 'The value if it is a text, or the label of a state.' })),
    index: Type.Optional(Type.Integer({ description: 'Index of the state of an enumeration.' })),
    units: Type.Optional(Type.String()),
    severity: Type.String({ description: 'Severity of the alarm, such as `NONE` or `MAJOR`.' }),
    instant: Milliseconds('Time at which the device had the value'),
  },
  { description: 'The value of a device that the service has added. Absent for other attributes and for long arrays.' },
);
const PropertyInstanceSchema = Type.Object({
  name: Type.String(),
  owner: Type.String(),
  state: StateSchema,
  attributes: Type.Array(
    Type.Object({
      name: Type.String(),
      value: StoredValue('Null if null was sent.'),
      state: StateSchema,
      sample: Type.Optional(SampleSchema),
    }),
  ),
});

/** The fields that templates share with entries. */
export const sharedFields = {
  owner: Type.String({ description: 'The user who created it.' }),
  source: Type.String({ description: 'The text with its markup, as sent.' }),
  description: Type.String({ description: 'The text without markup.' }),
  title: Type.String({ description: 'The title.' }),
  level: Type.String({ description: 'Name of its level.' }),
  createdDate: Milliseconds('Time of creation'),
  modifyDate: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Time of the last edit, in milliseconds since the epoch; null if it was never edited.',
  }),
  modifiedBy: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'The user who last edited it; null if it was never edited.',
  }),
  logbooks: Type.Array(LogbookReferenceSchema, { description: 'The logbooks it is in.' }),
  tags: Type.Array(TagReferenceSchema, { description: 'Its tags.' }),
  properties: Type.Array(PropertyInstanceSchema, {
    description: 'Its properties. The property `Log Entry Group` links grouped entries and replies.',
  }),
};

const AttachmentSchema = Type.Object(
  {
    id: Type.String({ description: 'Unique id; the file is served at `attachment/{id}`.' }),
    filename: Type.String({ description: 'File name.' }),
    fileMetadataDescription: Type.String({
      description: 'Description sent with the file; its media type if there was none.',
    }),
    size: Type.Integer({ description: 'Size in bytes.' }),
    contentType: Type.String({ description: 'Media type, detected from the content.' }),
    checksum: Type.String({ description: 'SHA-256 of the content, hexadecimal.' }),
    width: Type.Optional(Type.Integer({ description: 'Size of an image as it is displayed, in pixels, if known.' })),
    height: Type.Optional(Type.Integer({ description: 'Size of an image as it is displayed, in pixels, if known.' })),
  },
  { $id: 'Attachment', description: 'A file of an entry.' },
);

const RunSchema = Type.Object(
  {
    status: Type.Unsafe<RunStatus>({
      type: 'string',
      enum: [...runStatuses],
      description: '`abandoned`: nothing was appended for a long time; an append continues the run.',
    }),
    blocks: Type.Integer({ description: 'Number of appended blocks; the next one has the next number.', minimum: 0 }),
    changedDate: Milliseconds('When it was opened, or the last block was appended'),
  } satisfies Record<keyof RunState, object>,
  { description: 'State of the run that the entry records; absent if it records none.' },
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
  version: 1,
};

const EntrySchema = Type.Object(
  {
    id: Type.Integer({ description: 'Assigned by the service; increasing and never reused.' }),
    ownerName: Type.Optional(
      Type.String({
        description:
          'Display name of the owner at the time of creation; absent if it was not known. It does not identify the owner.',
      }),
    ),
    ...sharedFields,
    state: StateSchema,
    events: Type.Array(Type.Object({ name: Type.String(), instant: Milliseconds('Time of the event') }), {
      description: 'Times of past events that the entry describes. Set at creation.',
    }),
    attachments: Type.Array(Type.Ref('Attachment'), { description: 'Its files.' }),
    devices: Type.Optional(Type.Array(Type.String(), { description: 'Device names that were recognised in it.' })),
    run: Type.Optional(RunSchema),
    automatic: Type.Optional(
      Type.Unsafe<true>({ const: true, description: 'Present if a token for automatic entries created it.' }),
    ),
    version: Type.Integer({
      description: 'Number of the version: 1 if it was never edited. Replies and grouping are not edits.',
      minimum: 1,
    }),
  } satisfies Record<keyof Entry, object>,
  { $id: 'Entry', description: 'A log entry.', examples: [exampleEntry] },
);

const OptionalList = <T>(items: object, description: string, maxItems = 2_000) =>
  Type.Optional(Type.Unsafe<T[] | null>({ type: ['array', 'null'], items, maxItems, description }));
const ReferenceSchema = Type.Object({ name: Type.String({ description: 'Its name.' }) });
const PropertyInputSchema = Type.Object({
  name: Type.String({ description: 'Name of the property.' }),
  attributes: OptionalList<{ name: string; value?: ValueInput }>(
    Type.Object({
      name: Type.String({ description: 'Name of the attribute.' }),
      value: OptionalValue('Its value. A number or boolean is stored as its JSON text.'),
    }),
    'Values of its attributes.',
    20_000,
  ),
});

export type PropertyInput = Static<typeof PropertyInputSchema>;

export const sharedInputs = {
  source: OptionalText('The text with its markup.'),
  description: OptionalText('The text with its markup; used if `source` is absent or empty.'),
  level: OptionalText('Name of a level; default: the default level.'),
  tags: OptionalList<{ name: string }>(ReferenceSchema, 'Existing tags, by name.'),
  properties: OptionalList<PropertyInput>(PropertyInputSchema, 'Properties with the values of their attributes.'),
};

const EntryInputSchema = Type.Object(
  {
    id: Type.Optional(
      Type.Unsafe<number | string | null>({
        type: ['integer', 'string', 'null'],
        description: 'Id of the entry to update. Ignored at creation.',
      }),
    ),
    title: Type.String({ description: 'The title.' }),
    ...sharedInputs,
    logbooks: Type.Array(ReferenceSchema, {
      description: 'Existing logbooks, by name; at least one.',
      maxItems: 2_000,
    }),
    events: OptionalList<{ name: string; instant: number }>(
      Type.Object({ name: Type.String({ description: 'Name of the event.' }), instant: InputInstant }),
      'Times of past events that the entry describes. Ignored by updates.',
    ),
    attachments: OptionalList<{
      id?: string | null;
      filename?: string | null;
      fileMetadataDescription?: string | null;
    }>(
      Type.Object({
        id: OptionalText('Unique id, for example a UUID; default: a generated one.'),
        filename: OptionalText('File name of the corresponding file part.'),
        fileMetadataDescription: OptionalText('Description of the file.'),
      }),
      'Files of the entry, for multipart requests.',
    ),
  },
  {
    $id: 'EntryInput',
    description: 'A log entry to store. Fields that the service sets are accepted and ignored.',
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
    hitCount: Type.Integer({ description: 'Exact number of all matching entries.' }),
    logs: Type.Array(Type.Ref('Entry'), { description: 'Entries of this page.' }),
  },
  { $id: 'SearchResult', description: 'A page of entries.', examples: [{ hitCount: 1, logs: [exampleEntry] }] },
);

export const entrySchemas = [AttachmentSchema, EntrySchema, EntryInputSchema, SearchResultSchema];

export const entryTags = ['Entries'];
export const entryResponse = { ...Type.Ref('Entry'), description: 'The entry as stored.' };

/** The response to an update of a version that is no longer the current one. */
export const staleResponse = {
  412: {
    description:
      'The entry has changed since the version in `If-Match`. The header `ETag` is that of the current version.',
    content: {
      'application/json': {
        schema: {
          allOf: [
            Type.Ref('Error'),
            Type.Object({ current: { ...Type.Ref('Entry'), description: 'The current version.' } }),
          ],
        },
      },
    },
  },
};

export const createEntrySchema = {
  tags: entryTags,
  operationId: 'createEntry',
  summary: 'Create an entry',
  description:
    'Creates an entry without files, or with those of a draft; without `draft`, `attachments` in the body is ignored.',
  security: signedIn,
  querystring: createQuery,
  headers: createHeaders,
  body: Type.Ref('EntryInput'),
  response: { 200: entryResponse, ...errorResponses(...keyedWriteErrors, 404, 409) },
};

export const updateEntrySchema = {
  tags: entryTags,
  operationId: 'updateEntry',
  summary: 'Update an entry',
  description:
    'Replaces the entry and archives its previous version. Owner, creation date, events and group do not change; the attachments only with `draft`, as with a multipart update.',
  security: signedIn,
  params: idParams,
  querystring: updateQuery,
  headers: updateHeaders,
  body: Type.Ref('EntryInput'),
  response: { 200: entryResponse, ...errorResponses(...keyedWriteErrors, 404, 409), ...staleResponse },
};

export const getEntrySchema = {
  tags: entryTags,
  operationId: 'getEntry',
  summary: 'Get an entry',
  description:
    'Returns the current version. Its `ETag` can be sent as `If-Match` with an update. A browser, which prefers HTML to JSON, is redirected to the page of the entry.',
  params: idParams,
  headers: readHeaders,
  response: {
    200: entryResponse,
    302: { description: 'The request prefers HTML: the address of the page of the entry.' },
    ...notModified,
    ...errorResponses(...readErrors, 404),
  },
};

/** Returns the schema of an operation that changes the group of entries. */
const groupingSchema = (what: { readonly ids: string; readonly minItems?: number }) => ({
  tags: entryTags,
  security: signedIn,
  headers: keyedHeaders,
  body: Type.Array(Type.Unsafe<number | string>({ type: ['integer', 'string'] }), {
    description: what.ids,
    ...(what.minItems && { minItems: what.minItems }),
    maxItems: 1_000,
    examples: [[41, 42]],
  }),
  response: {
    200: Type.Array(Type.Ref('Entry'), { description: 'These entries, as they are now.' }),
    ...errorResponses(...keyedWriteErrors),
  },
});

export const groupEntriesSchema = {
  ...groupingSchema({ ids: 'Ids of at least two entries.' }),
  operationId: 'groupEntries',
  summary: 'Group entries',
  description:
    'Links entries through the property `Log Entry Group`. If some of them already belong to a group, the others join it.',
};

export const ungroupEntriesSchema = {
  ...groupingSchema({ ids: 'Ids of the entries.', minItems: 1 }),
  operationId: 'ungroupEntries',
  summary: 'Take entries out of their groups',
  description:
    'Archives the previous version of each entry. Entries without a group stay as they are. 400 `group.is-reply`, and nothing changes, if one of them is a reply. Replies to the entries stay in the group.',
};
