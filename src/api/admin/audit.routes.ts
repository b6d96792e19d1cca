import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { AuditLog } from '../../auth/audit-log.js';
import { type AuditFilter, type AuditOutcome, auditOutcomes } from '../../auth/audit-store.port.js';
import { errorResponses, signedIn } from '../../http/common.schema.js';

const maxListed = 1_000;
const optional = (description: string, example: string) =>
  Type.Optional(Type.String({ description, examples: [example], maxLength: 1_024 }));
const optionalInteger = (description: string) =>
  Type.Optional(Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER }));

const AuditRecordSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Grows with each record.' }),
    date: Type.Integer({ description: 'When, in milliseconds since the epoch.' }),
    userName: Type.String({ description: 'Who; for a sign-in that failed the name that was given.' }),
    action: Type.String({ description: '`sign-in`, `token`, or method and route of a request that writes.' }),
    target: Type.String({ description: 'What it was done to.' }),
    from: Type.String({ description: 'The address that it came from.' }),
    outcome: Type.Unsafe<AuditOutcome>({
      type: 'string',
      enum: [...auditOutcomes],
      description: 'done; refused: it was not permitted or not valid; failed: the service could not.',
    }),
    detail: Type.String({ description: 'The code of the error, if there was one.' }),
  },
  { $id: 'AuditRecord', description: 'Something that was done or tried.' },
);

interface AuditQuery {
  readonly user?: string;
  readonly action?: string;
  readonly outcome?: AuditOutcome;
  readonly start?: number;
  readonly end?: number;
  readonly before?: number;
  readonly size?: number;
}

/** What was done and tried, for an administrator. */
export async function auditRoutes(app: FastifyInstance, { audit }: { readonly audit: AuditLog }): Promise<void> {
  app.addSchema(AuditRecordSchema);
  app.get<{ Querystring: AuditQuery }>(
    '/audit',
    {
      config: { access: 'admin' },
      schema: {
        tags: ['Administration'],
        operationId: 'listAudit',
        summary: 'List who did what',
        description: 'Sign-ins and everything that wrote or tried to, the newest first.',
        security: signedIn,
        querystring: Type.Object({
          user: optional('Only what this user did.', 'operator'),
          action: optional('Only this action.', 'sign-in'),
          outcome: Type.Optional(
            Type.Unsafe<AuditOutcome>({
              type: 'string',
              enum: [...auditOutcomes],
              description: 'Only what ended so.',
            }),
          ),
          start: optionalInteger('Only from then on, in milliseconds since the epoch.'),
          end: optionalInteger('Only until then, in milliseconds since the epoch.'),
          before: optionalInteger('Only records before the one of this id: the next page.'),
          size: Type.Optional(
            Type.Integer({ description: 'How many at most.', minimum: 1, maximum: maxListed, default: 100 }),
          ),
        }),
        response: {
          200: Type.Array(Type.Ref('AuditRecord'), { description: 'The records.' }),
          ...errorResponses(400, 401, 403, 429, 500, 503),
        },
      },
    },
    async (request) => {
      const { user, action, outcome, start, end, before, size = 100 } = request.query;
      const filter: AuditFilter = { userName: user, action, outcome, startMs: start, endMs: end, beforeId: before };
      return (await audit.list(filter, size)).map(({ id, atMs, userName, target, from, detail, ...record }) => ({
        id,
        date: atMs,
        userName,
        action: record.action,
        target,
        from,
        outcome: record.outcome,
        detail,
      }));
    },
  );
}
