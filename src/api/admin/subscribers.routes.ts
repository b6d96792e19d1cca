import type { FastifyInstance } from 'fastify';
import type { StoredDeadLetter } from '../../notifications/subscribers/subscriber-store.port.js';
import type { SubscriberReport, Subscribers } from '../../notifications/subscribers/subscribers.js';
import {
  type DeadLetterParams,
  DeadLetterSchema,
  type DeadLettersQuery,
  listDeadLettersSchema,
  listSubscribersSchema,
  removeDeadLetterSchema,
  removeSubscriberSchema,
  retryDeadLetterSchema,
  type SubscriberParams,
  SubscriberSchema,
} from './subscribers.schema.js';

const config = { access: 'admin' } as const;

interface SubscribersRoutesDeps {
  readonly subscribers: Subscribers;
}

/** Registers the routes for administering subscribers and their dead letters. */
export async function subscribersRoutes(app: FastifyInstance, deps: SubscribersRoutesDeps): Promise<void> {
  for (const schema of [SubscriberSchema, DeadLetterSchema]) app.addSchema(schema);
  subscriberRoutes(app, deps);
  deadLetterRoutes(app, deps);
}

function subscriberRoutes(app: FastifyInstance, { subscribers }: SubscribersRoutesDeps): void {
  app.get('/subscribers', { config, schema: listSubscribersSchema }, async () =>
    (await subscribers.list()).map(toSubscriberView),
  );

  app.delete<{ Params: SubscriberParams }>(
    '/subscribers/:name',
    { config, schema: removeSubscriberSchema },
    async ({ params }, reply) => {
      await subscribers.remove(params.name);
      return reply.send();
    },
  );
}

function deadLetterRoutes(app: FastifyInstance, { subscribers }: SubscribersRoutesDeps): void {
  app.get<{ Params: SubscriberParams; Querystring: DeadLettersQuery }>(
    '/subscribers/:name/dead-letters',
    { config, schema: listDeadLettersSchema },
    async ({ params, query }) =>
      (await subscribers.listDeadLetters(params.name, query.size ?? 100, query.before)).map(toDeadLetterView),
  );

  app.post<{ Params: DeadLetterParams }>(
    '/subscribers/:name/dead-letters/:id',
    { config, schema: retryDeadLetterSchema },
    async ({ params }, reply) => {
      await subscribers.retryDeadLetter(params.name, params.id);
      return reply.code(202).send();
    },
  );

  app.delete<{ Params: DeadLetterParams }>(
    '/subscribers/:name/dead-letters/:id',
    { config, schema: removeDeadLetterSchema },
    async ({ params }, reply) => {
      await subscribers.removeDeadLetter(params.name, params.id);
      return reply.send();
    },
  );
}

function toSubscriberView(report: SubscriberReport) {
  const { name, kind, target, status, sequence, lag, sinceMs, pending } = report;
  return {
    name,
    kind,
    target,
    status,
    sequence,
    lag,
    createdDate: sinceMs,
    lastSuccessDate: report.lastSuccessMs,
    lastErrorDate: report.lastErrorMs,
    lastError: report.lastError,
    pending: pending && {
      deliveryId: pending.id,
      sequences: pending.changes.map((change) => change.sequence),
      attempts: pending.attempts,
      nextAttemptDate: pending.nextAttemptMs,
    },
    deferred: report.deferred,
    deadLetters: report.deadLetters,
    droppedDeadLetters: report.droppedDeadLetters,
  };
}

function toDeadLetterView({ id, deliveryId, recipient, changes, ...deadLetter }: StoredDeadLetter) {
  const { attempts, reason, atMs, retryRequested } = deadLetter;
  return {
    id,
    deliveryId,
    recipient: recipient ?? null,
    changes: changes.map(({ sequence, kind, entryId }) => ({ sequence, kind, entryId })),
    attempts,
    reason,
    date: atMs,
    retryRequested,
  };
}
