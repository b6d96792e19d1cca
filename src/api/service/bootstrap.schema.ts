import { errorResponses, notModified, readErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';

const Limit = (description: string) => Type.Integer({ description });

const LimitsSchema = Type.Object(
  {
    maxFileSize: Limit('Bytes of one file.'),
    maxRequestSize: Limit('Bytes of one request with all its files.'),
    maxEntrySize: Limit('Bytes of an entry as JSON without its files, and of any other JSON body.'),
    maxTitleLength: Limit('UTF-16 code units of a title.'),
    maxNameLength: Limit('UTF-16 code units of the name of a level, property, attribute or event.'),
    maxAttributeValueLength: Limit('UTF-16 code units of the value of an attribute.'),
    maxLogbooks: Limit('Logbooks of one entry.'),
    maxTags: Limit('Tags of one entry.'),
    maxProperties: Limit('Properties of one entry.'),
    maxAttributes: Limit('Attributes of all properties of one entry.'),
    maxEvents: Limit('Events of one entry.'),
    maxAttachments: Limit('Attachments of one entry.'),
    maxDrafts: Limit('Drafts of one user.'),
    maxDraftFilesSize: Limit('Bytes of the files of all drafts of one user.'),
    maxPageSize: Limit('Entries of one page of a search.'),
  },
  { description: 'Limits beyond which a request is refused; a page larger than `maxPageSize` is reduced to it.' },
);

const BootstrapSchema = Type.Object(
  {
    version: Type.String({ description: 'Version of the service.' }),
    timeZone: Type.String({ description: 'IANA time zone of times in searches that name none.' }),
    shifts: Type.Array(
      Type.Object({
        name: Type.String(),
        start: Type.String({ description: 'Time of the day in `timeZone`, such as `07:00`.' }),
      }),
      { description: 'The shifts of a day, as the setting `shifts` lists them.' },
    ),
    languages: Type.Array(Type.String(), { description: 'Languages of the help pages.' }),
    deviceSources: Type.Array(Type.String({ examples: ['live'] }), {
      description: 'The configured sources of the control system: live, history, directory, alarms, snapshots.',
    }),
    hasMeaning: Type.Boolean({
      description: 'Always true. In version 1.0, false with OpenSearch, which did not find entries by meaning.',
    }),
    limits: LimitsSchema,
    configuration: {
      ...Type.Ref('Configuration'),
      description: 'As `GET /configuration`, without the logbooks that may not be read.',
    },
    defaultLevel: Type.String({ description: 'The level of entries that name none.' }),
    properties: Type.Array(Type.Ref('Property'), { description: 'The active properties.' }),
    templates: Type.Array(
      Type.Object(
        { id: Type.String(), name: Type.String() },
        { description: 'Id and name of a template, for `GET /templates/{id}`.' },
      ),
      { description: 'The templates that may be read.' },
    ),
  },
  { $id: 'Bootstrap', description: 'Everything with which a client fills its forms.' },
);

export const bootstrapSchemas = [BootstrapSchema];

export const getBootstrapSchema = {
  tags: ['Service'],
  operationId: 'getBootstrap',
  summary: 'Get everything that a client starts with',
  description:
    'Returns the catalogue, the names of the templates, limits and settings in one response, as far as the reader may see them. Its `ETag` changes when any of these do.',
  headers: Type.Object({
    'if-none-match': Type.Optional(Type.String({ description: 'The `ETag` that you have; 304 if it is current.' })),
  }),
  response: {
    200: { ...Type.Ref('Bootstrap'), description: 'The data that a client starts with.' },
    ...notModified,
    ...errorResponses(...readErrors),
  },
};
