import { errorResponses, readErrors, signedIn } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';

const Grantees = (description: string) =>
  Type.Unsafe<string[] | null>({
    type: ['array', 'null'],
    items: { type: 'string' },
    description: `${description}: names of groups, \`user:NAME\`, or \`signed-in\` for every signed-in user; null: no restriction.`,
  });

export const AccessRulesSchema = Type.Object(
  {
    permissions: Type.Unsafe<'signed-in' | 'roles'>({
      type: 'string',
      enum: ['signed-in', 'roles'],
      description: 'The setting `permissions`: whether every signed-in user may write, or only those with a role.',
    }),
    readsRequireSignIn: Type.Boolean({ description: 'Whether reading requires sign-in.' }),
    logbooks: Type.Array(
      Type.Object({
        name: Type.String({ description: 'Name of the logbook with its case folded, as rules are compared.' }),
        read: Grantees('Who may read it'),
        write: Grantees('Who may write to it, of those who may read it'),
      }),
      { description: 'The logbooks that are restricted; all others are open.' },
    ),
  },
  {
    $id: 'AccessRules',
    description: 'Who may read and write. Administrators may read and write everything.',
    examples: [
      {
        permissions: 'signed-in',
        readsRequireSignIn: false,
        logbooks: [{ name: 'safety', read: ['safety-team', 'user:jane'], write: ['safety-team'] }],
      },
    ],
  },
);

export const getAccessRulesSchema = {
  tags: ['Administration'],
  operationId: 'getAccessRules',
  summary: 'Get the access rules',
  description: 'Returns the rules that the configuration sets. They are changed there, not through the API.',
  security: signedIn,
  response: { 200: { ...Type.Ref('AccessRules'), description: 'The rules.' }, ...errorResponses(...readErrors) },
};
