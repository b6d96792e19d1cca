import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import { errorResponses, signedIn, writeErrors } from '../../http/common.schema.js';
import type { StoredDeadLetter } from '../../notifications/subscribers/subscriber-store.port.js';
import type { SubscriberReport, Subscribers } from '../../notifications/subscribers/subscribers.js';
import { DeadLetterSchema, SubscriberSchema } from './subscribers.schema.js';

const maxListed = 1_000;
const tags = ['Administration'];
const readErrors = [400, 401, 403, 429, 500, 503] as const;
const config = { access: 'admin' } as const;

const nameParam = Type.String({ description: 'Name of the subscriber.', examples: ['shift-chat'], maxLength: 200 });
const nameParams = Type.Object({ name: nameParam });
const letterParams = Type.Object({
  name: nameParam,
  id: Type.Integer({
    description: 'Id of the dead letter.',
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    examples: [7],
  }),
});

interface Named {
  readonly name: string;
}
interface LetterParams extends Named {
  readonly id: number;
}
interface LettersQuery {
  readonly before?: number;
  readonly size?: number;
}

interface SubscribersRoutesDeps {
  readonly subscribers: Subscribers;
}

/** How those outside are who are told of changes, and what did not reach them; for an administrator. */
export async function subscribersRoutes(app: FastifyInstance, deps: SubscribersRoutesDeps): Promise<void> {
  for (const schema of [SubscriberSchema, DeadLetterSchema]) app.addSchema(schema);
  subscriberRoutes(app, deps);
  deadLetterRoutes(app, deps);
}

function subscriberRoutes(app: FastifyInstance, { subscribers }: SubscribersRoutesDeps): void {
  app.get(
    '/subscribers',
    {
      config,
      schema: {
        tags,
        operationId: 'listSubscribers',
        summary: 'List the subscribers of changes',
        description: 'How far each one is, and what keeps it. Without the addresses and secrets of their targets.',
        security: signedIn,
        response: {
          200: Type.Array(Type.Ref('Subscriber'), { description: 'The subscribers, by name.' }),
          ...errorResponses(401, 403, 429, 500, 503),
        },
      },
    },
    async () => (await subscribers.list()).map(toSubscriberView),
  );

  app.delete<{ Params: Named }>(
    '/subscribers/:name',
    {
      config,
      schema: {
        tags,
        operationId: 'removeSubscriber',
        summary: 'Forget a subscriber',
        description:
          'One that is not in the configuration any more: how far it came, and its dead letters. If it comes back, it begins after the newest change.',
        security: signedIn,
        params: nameParams,
        response: { 200: Type.Null({ description: 'It is forgotten.' }), ...errorResponses(...writeErrors, 404, 409) },
      },
    },
    async (request, reply) => {
      await subscribers.remove(request.params.name);
      return reply.send();
    },
  );
}

function deadLetterRoutes(app: FastifyInstance, { subscribers }: SubscribersRoutesDeps): void {
  app.get<{ Params: Named; Querystring: LettersQuery }>(
    '/subscribers/:name/dead-letters',
    {
      config,
      schema: {
        tags,
        operationId: 'listDeadLetters',
        summary: 'List the dead letters of a subscriber',
        description: 'Deliveries that were given up, the newest first.',
        security: signedIn,
        params: nameParams,
        querystring: Type.Object({
          before: Type.Optional(
            Type.Integer({
              description: 'Only those before the one of this id: the next page.',
              minimum: 0,
              maximum: Number.MAX_SAFE_INTEGER,
            }),
          ),
          size: Type.Optional(
            Type.Integer({ description: 'How many at most.', minimum: 1, maximum: maxListed, default: 100 }),
          ),
        }),
        response: {
          200: Type.Array(Type.Ref('DeadLetter'), { description: 'The dead letters.' }),
          ...errorResponses(...readErrors, 404),
        },
      },
    },
    async ({ params, query }) =>
      (await subscribers.listDeadLetters(params.name, query.size ?? 100, query.before)).map(toDeadLetterView),
  );

  app.post<{ Params: LetterParams }>(
    '/subscribers/:name/dead-letters/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'retryDeadLetter',
        summary: 'Try a dead letter again',
        description:
          'Once, soon, under the same delivery id. It leaves the list when it arrives, and says why when it does not.',
        security: signedIn,
        params: letterParams,
        response: {
          202: Type.Null({ description: 'It will be tried.' }),
          ...errorResponses(...writeErrors, 404),
        },
      },
    },
    async ({ params }, reply) => {
      await subscribers.tryLetterAgain(params.name, params.id);
      return reply.code(202).send();
    },
  );

  app.delete<{ Params: LetterParams }>(
    '/subscribers/:name/dead-letters/:id',
    {
      config,
      schema: {
        tags,
        operationId: 'removeDeadLetter',
        summary: 'Throw a dead letter away',
        description: 'The subscriber is never told of it.',
        security: signedIn,
        params: letterParams,
        response: { 200: Type.Null({ description: 'It is gone.' }), ...errorResponses(...writeErrors, 404) },
      },
    },
    async ({ params }, reply) => {
      await subscribers.removeDeadLetter(params.name, params.id);
      return reply.send();
    },
  );
}

function toSubscriberView(report: SubscriberReport) {
  const { name, kind, target, status, sequence, behind, sinceMs, pending } = report;
  return {
    name,
    kind,
    target,
    status,
    sequence,
    behind,
    sinceDate: sinceMs,
    lastSuccessDate: report.lastSuccessMs,
    lastErrorDate: report.lastErrorMs,
    lastError: report.lastError,
    pending: pending && {
      deliveryId: pending.id,
      sequences: pending.changes.map((change) => change.sequence),
      attempts: pending.attempts,
      nextAttemptDate: pending.nextAttemptMs,
    },
    deadLetters: report.deadLetters,
    droppedLetters: report.droppedLetters,
  };
}

function toDeadLetterView({ id, deliveryId, changes, attempts, reason, atMs, again }: StoredDeadLetter) {
  return {
    id,
    deliveryId,
    changes: changes.map(({ sequence, kind, entryId }) => ({ sequence, kind, entryId })),
    attempts,
    reason,
    date: atMs,
    again,
  };
}
