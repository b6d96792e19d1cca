import { type AuditOutcome, auditOutcomes } from '../../auth/audit-store.port.js';
import { errorResponses, readErrors, signedIn } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';

const maxListed = 1_000;

const optional = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example], maxLength: 1_024 }));
const optionalInteger = (description: string) =>
  Type.Optional(Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

export const AuditRecordSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Increases with each record.' }),
    date: Type.Integer({ description: 'Time of the action, in milliseconds since the epoch.' }),
    userName: Type.String({ description: 'The user; for a failed sign-in the name that was sent.' }),
    action: Type.String({ description: '`sign-in`, `token`, or the method and route of a request that writes.' }),
    target: Type.String({ description: 'The object of the action.' }),
    from: Type.String({ description: 'The client address.' }),
    outcome: Type.Unsafe<AuditOutcome>({
      type: 'string',
      enum: [...auditOutcomes],
      description: 'done; refused: not permitted or not valid; failed: an error of the service.',
    }),
    detail: Type.String({ description: 'The error code, if there was an error.' }),
  },
  { $id: 'AuditRecord', description: 'An action that was performed or attempted.' },
);

const querystring = Type.Object({
  user: optional('Only actions of this user.', 'operator'),
  action: optional('Only this action.', 'sign-in'),
  outcome: Type.Optional(
    Type.Unsafe<AuditOutcome>({
      type: 'string',
      enum: [...auditOutcomes],
      description: 'Only actions with this outcome.',
    }),
  ),
  start: optionalInteger('Only actions from this time on, in milliseconds since the epoch.'),
  end: optionalInteger('Only actions until this time, in milliseconds since the epoch.'),
  before: optionalInteger('Only records before the one with this id: the next page.'),
  size: Type.Optional(
    Type.Integer({ description: 'Maximum number of records.', minimum: 1, maximum: maxListed, default: 100 }),
  ),
});

export type AuditQuery = Static<typeof querystring>;

export const listAuditSchema = {
  tags: ['Administration'],
  operationId: 'listAudit',
  summary: 'List the audit records',
  description: 'Returns all sign-ins and all requests that wrote or tried to, newest first.',
  security: signedIn,
  querystring,
  response: {
    200: Type.Array(Type.Ref('AuditRecord'), { description: 'The records.' }),
    ...errorResponses(...readErrors),
  },
};
