import { errorResponses, readErrors, signedIn, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';

const date = (description: string) => Type.Integer({ description: `${description}, in milliseconds since the epoch.` });
const dateOrNull = (description: string) =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: `${description}, in milliseconds since the epoch; null: never.`,
  });
const attempts = Type.Integer({ description: 'Number of attempts so far.' });
const deliveryId = Type.String({ description: 'The id that the receiver sees: the same for every attempt.' });
const sequence = (description: string) => Type.Integer({ description: `${description}: a position in the feed.` });

const PendingSchema = Type.Object(
  {
    deliveryId,
    sequences: Type.Array(sequence('A change in the delivery')),
    attempts,
    nextAttemptDate: date('When the next attempt is due'),
  },
  { description: 'The delivery that is sent next; all later ones wait for it.' },
);

export const SubscriberSchema = Type.Object(
  {
    name: Type.String({ description: 'Its name in the configuration.' }),
    kind: Type.String({
      description: 'webhook, email or chat; user: a user whose inbox is mailed; empty when it is no longer configured.',
    }),
    target: Type.String({
      description: 'Where changes are delivered to, without secrets; empty when it is no longer configured.',
    }),
    status: Type.Unsafe<string>({
      type: 'string',
      enum: ['idle', 'delivering', 'waiting', 'other-node', 'not-configured'],
      description:
        'idle: no delivery is pending, though changes may be waiting for the end of the batch window; delivering: an attempt is under way; waiting: the next attempt is not due yet; other-node: another node delivers; not-configured: only its position is stored.',
    }),
    sequence: sequence('All changes up to here are delivered or do not match'),
    lag: Type.Integer({ description: 'Number of changes after that position; 100,000 stands for any larger number.' }),
    createdDate: date('When the subscriber was created'),
    lastSuccessDate: dateOrNull('When a delivery last arrived'),
    lastErrorDate: dateOrNull('When an attempt last failed'),
    lastError: Type.String({ description: 'Why the last failed attempt failed; empty: none has failed.' }),
    pending: Type.Union([PendingSchema, Type.Null()], { description: 'Null: no delivery is pending.' }),
    deferred: Type.Integer({
      description: 'Number of failed deliveries to single recipients, each of which is retried separately.',
    }),
    deadLetters: Type.Integer({ description: 'Number of deliveries that failed permanently.' }),
    droppedDeadLetters: Type.Integer({
      description: 'Number of dead letters that were dropped, the oldest first, because there were too many.',
    }),
  },
  { $id: 'Subscriber', description: 'An external recipient of changes.' },
);

export const DeadLetterSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Increases with each dead letter.' }),
    deliveryId,
    recipient: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The recipient of an e-mail for which it failed; null: all recipients of the delivery.',
    }),
    changes: Type.Array(
      Type.Object({
        sequence: sequence('The change'),
        kind: Type.String({ description: 'created, edited or annotated.' }),
        entryId: Type.Integer({ description: 'Id of the entry.' }),
      }),
      { description: 'The changes in the delivery.' },
    ),
    attempts,
    reason: Type.String({ description: 'Why the last attempt failed.' }),
    date: date('When the last attempt failed'),
    retryRequested: Type.Boolean({ description: 'Whether one more attempt is about to be made.' }),
  },
  { $id: 'DeadLetter', description: 'A delivery that failed permanently.' },
);

const tags = ['Administration'];
const common = { tags, security: signedIn };
const name = Type.String({ description: 'Name of the subscriber.', examples: ['shift-chat'], maxLength: 200 });
const id = (description: string, examples?: number[]) =>
  Type.Integer({ description, minimum: 0, maximum: Number.MAX_SAFE_INTEGER, ...(examples && { examples }) });
const subscriberParams = Type.Object({ name });
const deadLetterParams = Type.Object({ name, id: id('Id of the dead letter.', [7]) });
const deadLettersQuery = Type.Object({
  before: Type.Optional(id('Only dead letters with a smaller id: the next page.')),
  size: Type.Optional(
    Type.Integer({ description: 'Maximum number of results.', minimum: 1, maximum: 1_000, default: 100 }),
  ),
});

export type SubscriberParams = Static<typeof subscriberParams>;
export type DeadLetterParams = Static<typeof deadLetterParams>;
export type DeadLettersQuery = Static<typeof deadLettersQuery>;

export const listSubscribersSchema = {
  ...common,
  operationId: 'listSubscribers',
  summary: 'List the subscribers',
  description:
    'Returns the progress and problems of each subscriber, without the full addresses and secrets of the targets.',
  response: {
    200: Type.Array(Type.Ref('Subscriber'), { description: 'The subscribers, by name.' }),
    ...errorResponses(...readErrors),
  },
};

export const removeSubscriberSchema = {
  ...common,
  operationId: 'removeSubscriber',
  summary: 'Remove a subscriber',
  description:
    'Removes the position and the dead letters of a subscriber that is no longer configured. If it is configured again, it begins after the newest change.',
  params: subscriberParams,
  response: { 200: Type.Null({ description: 'Removed.' }), ...errorResponses(...writeErrors, 404, 409) },
};

export const listDeadLettersSchema = {
  ...common,
  operationId: 'listDeadLetters',
  summary: 'List the dead letters of a subscriber',
  description: 'Deliveries that failed permanently, newest first.',
  params: subscriberParams,
  querystring: deadLettersQuery,
  response: {
    200: Type.Array(Type.Ref('DeadLetter'), { description: 'The dead letters.' }),
    ...errorResponses(...readErrors, 404),
  },
};

export const retryDeadLetterSchema = {
  ...common,
  operationId: 'retryDeadLetter',
  summary: 'Retry a dead letter',
  description:
    'Makes one more attempt soon, under the same delivery id. The dead letter is removed when it arrives; otherwise its reason is updated.',
  params: deadLetterParams,
  response: {
    202: Type.Null({ description: 'An attempt will be made.' }),
    ...errorResponses(...writeErrors, 404),
  },
};

export const removeDeadLetterSchema = {
  ...common,
  operationId: 'removeDeadLetter',
  summary: 'Delete a dead letter',
  description: 'The delivery is never sent again.',
  params: deadLetterParams,
  response: { 200: Type.Null({ description: 'Deleted.' }), ...errorResponses(...writeErrors, 404) },
};
