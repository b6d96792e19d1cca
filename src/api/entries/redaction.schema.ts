import { errorResponses, signedIn, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';

const flag = (description: string) => Type.Optional(Type.Boolean({ description, default: false }));

export const RedactionInputSchema = Type.Object(
  {
    reason: Type.String({
      description: 'Reason; shown in place of the content, with the name and the date.',
      maxLength: 500,
    }),
    title: flag('Remove the title.'),
    text: flag('Remove the text.'),
    properties: flag('Remove the values of all properties.'),
    attachments: Type.Optional(
      Type.Array(Type.String({ maxLength: 255 }), { description: 'The ids of attachments to remove.', maxItems: 100 }),
    ),
  },
  {
    $id: 'RedactionInput',
    description: 'The content to remove from an entry.',
    examples: [{ reason: 'It showed the password of a device.', text: true }],
  },
);

export type RedactionInput = Static<typeof RedactionInputSchema>;

export const RedactionSchema = Type.Object(
  {
    number: Type.Integer({ description: 'Increases with each redaction.' }),
    entryId: Type.Integer({ description: 'The entry.' }),
    by: Type.String({ description: 'User name of the administrator.' }),
    reason: Type.String({ description: 'Why.' }),
    date: Type.Integer({ description: 'When, in milliseconds since the epoch.' }),
  },
  { $id: 'Redaction', description: 'What was removed from an entry, by whom, when and why.' },
);

export const RedactionOutcomeSchema = Type.Object(
  {
    redactions: Type.Array(Type.Ref('Redaction'), {
      description: 'The redaction of the entry, and of each other entry that showed one of the files.',
    }),
    sameContent: Type.Array(Type.Integer(), {
      description: 'The ids of entries that still show the content of a removed file, as another attachment.',
    }),
  },
  { $id: 'RedactionOutcome', description: 'The result of a redaction.' },
);

export const redactEntrySchema = {
  tags: ['Administration'],
  operationId: 'redactEntry',
  summary: 'Remove content from all versions of an entry',
  description:
    'Removes a text, title, values or files from an entry and from all of its earlier versions, for good, and puts a sentence with name, date and reason in their place. Backups that were made before keep it.',
  security: signedIn,
  params: Type.Object({ logId: Type.String({ description: 'Id of the entry.' }) }),
  body: Type.Ref('RedactionInput'),
  response: {
    200: { ...Type.Ref('RedactionOutcome'), description: 'It is removed.' },
    ...errorResponses(...writeErrors, 404),
  },
};
