import { errorResponses, OptionalText, signedIn, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { OptionalValue, type ValueInput } from '../attribute-value.js';
import { entryResponse, entryTags } from './entry.schema.js';
import { binary, formBody } from './entry-form.schema.js';
import { addAttachmentQuery, idParams } from './entry-parameters.js';

const RunBlockSchema = Type.Object(
  {
    text: OptionalText('Text with markup.'),
    values: Type.Optional(
      Type.Array(
        Type.Object({
          name: Type.String({ description: 'Name of the value.', minLength: 1, maxLength: 255 }),
          value: OptionalValue('The value; a number or boolean is stored as its JSON text.'),
        }),
        { description: 'Values, each of which becomes a line of the text.', maxItems: 200 },
      ),
    ),
  },
  {
    $id: 'RunBlock',
    description: 'A part of a run.',
    examples: [{ text: 'Point 17', values: [{ name: 'motor', value: 1.5 }] }],
  },
);

const AppendedBlockSchema = Type.Object(
  {
    entryId: Type.Integer({ description: 'Id of the entry.' }),
    sequence: Type.Integer({ description: 'Number of the block.' }),
    isRepeated: Type.Boolean({ description: 'Whether it had been appended before, and nothing was changed.' }),
    revision: Type.Integer({ description: 'The number in the `ETag` of the entry after the append.' }),
  },
  { $id: 'AppendedBlock', description: 'A block that is stored.' },
);

const CloseRunSchema = Type.Object(
  {
    status: Type.Unsafe<'done' | 'failed'>({ type: 'string', enum: ['done', 'failed'], description: 'How it ended.' }),
    blocks: Type.Optional(
      Type.Integer({
        description: 'Number of blocks that you sent: if some are missing, the run stays open.',
        minimum: 0,
      }),
    ),
  },
  { $id: 'CloseRun', description: 'The end of a run.', examples: [{ status: 'done', blocks: 17 }] },
);

export const runSchemas = [RunBlockSchema, AppendedBlockSchema, CloseRunSchema];

export type RunBlockInput = Static<typeof RunBlockSchema> & {
  readonly values?: readonly { readonly name: string; readonly value?: ValueInput }[];
};
export type CloseRunInput = Static<typeof CloseRunSchema>;

const blockParams = Type.Object({
  ...idParams.properties,
  sequence: Type.Integer({ description: 'Number of the block, from 1, without gaps.', minimum: 1, examples: [17] }),
});

const appending = {
  tags: entryTags,
  security: signedIn,
  params: blockParams,
  querystring: addAttachmentQuery,
  response: {
    200: { ...Type.Ref('AppendedBlock'), description: 'The block is stored.' },
    ...errorResponses(...writeErrors, 404, 409),
  },
};

export const appendBlockSchema = {
  ...appending,
  operationId: 'appendBlock',
  summary: 'Append a block to a run',
  description:
    'Appends text and values to an entry that was created with `run=true`. Readers and live clients see them immediately; no version is archived. The same block under the same number is stored once. 409 `run.missing-blocks` names in `nextSequence` the block to send first; 409 `run.block-taken`: another block has the number. 409 `run.block-removed`: the block was appended, and content of the entry was removed since.',
  body: Type.Ref('RunBlock'),
};

export const appendBlockWithFilesSchema = {
  ...appending,
  operationId: 'appendBlockWithFiles',
  summary: 'Append a block with files to a run',
  description: 'Like an append without files. Each file becomes an attachment of the entry.',
  consumes: ['multipart/form-data'],
  body: formBody(
    {
      logEntry: { ...Type.Ref('RunBlock'), description: 'The block, as application/json; it may be absent.' },
      files: {
        type: 'array',
        items: { ...binary, format: 'binary' },
        description: 'One part for each file, with its file name.',
      },
    },
    [],
  ),
};

export const closeRunSchema = {
  tags: entryTags,
  operationId: 'closeRun',
  summary: 'Close a run',
  description:
    'Ends a run, and archives the entry as it was until then, so a run has one archived version, however many blocks it has. Closing it again with the same status changes nothing.',
  security: signedIn,
  params: idParams,
  body: Type.Ref('CloseRun'),
  response: { 200: entryResponse, ...errorResponses(...writeErrors, 404, 409) },
};
