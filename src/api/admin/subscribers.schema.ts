import { Type } from 'typebox';

const date = (description: string) => Type.Integer({ description: `${description}, in milliseconds since the epoch.` });
const dateOrNull = (description: string) =>
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: `${description}, in milliseconds since the epoch; null: never.`,
  });
const attempts = Type.Integer({ description: 'How often it was tried.' });
const deliveryId = Type.String({ description: 'What the receiver sees: the same for each attempt.' });
const sequence = (description: string) => Type.Integer({ description: `${description}: a position in the feed.` });

const PendingSchema = Type.Object(
  {
    deliveryId,
    sequences: Type.Array(sequence('A change that it tells of')),
    attempts,
    nextAttemptDate: date('When it is tried next'),
  },
  { description: 'The delivery that all after it wait for.' },
);

export const SubscriberSchema = Type.Object(
  {
    name: Type.String({ description: 'As the configuration calls it.' }),
    kind: Type.String({ description: 'webhook, email or chat; empty when it is not configured any more.' }),
    target: Type.String({ description: 'Whom it tells, without anything secret; empty as the kind.' }),
    status: Type.Unsafe<string>({
      type: 'string',
      enum: ['following', 'delivering', 'waiting', 'not-configured'],
      description:
        'following: nothing waits, or a little for more to come; delivering: an attempt is under way; waiting: for the next attempt; not-configured: its place is kept.',
    }),
    sequence: sequence('Everything up to here is done with'),
    behind: Type.Integer({ description: 'How many changes come after that, at most.' }),
    sinceDate: date('When it began'),
    lastSuccessDate: dateOrNull('When it was told last'),
    lastErrorDate: dateOrNull('When that failed last'),
    lastError: Type.String({ description: 'Why it failed last; empty: it never did.' }),
    pending: Type.Union([PendingSchema, Type.Null()], { description: 'Null: there is none.' }),
    deadLetters: Type.Integer({ description: 'How many deliveries were given up and wait for the administrator.' }),
    droppedLetters: Type.Integer({ description: 'How many of those were dropped, the oldest first, for too many.' }),
  },
  { $id: 'Subscriber', description: 'Somebody outside who is told of changes.' },
);

export const DeadLetterSchema = Type.Object(
  {
    id: Type.Integer({ description: 'Grows with each one.' }),
    deliveryId,
    changes: Type.Array(
      Type.Object({
        sequence: sequence('Where the change stands'),
        kind: Type.String({ description: 'created, edited or annotated.' }),
        entryId: Type.Integer({ description: 'Id of the entry.' }),
      }),
      { description: 'What it tells of.' },
    ),
    attempts,
    reason: Type.String({ description: 'Why the last attempt failed.' }),
    date: date('When that was'),
    again: Type.Boolean({ description: 'Whether it is about to be tried again.' }),
  },
  { $id: 'DeadLetter', description: 'A delivery that was given up.' },
);
