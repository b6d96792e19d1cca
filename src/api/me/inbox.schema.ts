import { errorResponses, keyedWriteErrors, readErrors, signedIn, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { watchLimits } from '../../notifications/inbox/edit-watches.js';
import { maxInboxItems, type WatchKind } from '../../notifications/inbox/inbox-store.port.js';
import { keyedHeaders } from '../access/keyed-request.js';

const maxInboxPage = 100;

const kind = Type.Unsafe<WatchKind>({
  type: 'string',
  enum: ['search', 'thread', 'mentions', 'replies'] satisfies WatchKind[],
  description:
    'search: entries that match `query`; thread: entries of the thread of `entryId`; mentions: entries with your user name after `@`; replies: replies to your entries.',
});
const name = Type.String({
  description: 'A name for a search; empty for the other kinds.',
  maxLength: watchLimits.nameLength,
});
const query = Type.String({
  description: 'For a search: its parameters, as in the URL of `GET /logs/search`.',
  maxLength: watchLimits.queryLength,
});
/** Maximum id. Databases refuse larger numbers. */
const maximum = Number.MAX_SAFE_INTEGER;
const entryId = Type.Integer({ description: 'For a thread: the id of one of its entries.', minimum: 0, maximum });
const edits = Type.Boolean({
  description:
    'Whether edits count in addition to new entries. Has no effect for mentions (new entries, and edits that add one) or replies (new entries).',
});
const unread = Type.Integer({ description: 'Number of its unread items in the inbox.' });

const WatchSchema = Type.Object(
  {
    id: Type.String({ description: 'Assigned by the service.' }),
    ...{ kind, name, query: Type.Optional(query), entryId: Type.Optional(entryId), edits, unread },
  },
  { $id: 'Watch', description: 'A rule by which changes reach the inbox of a user.' },
);
const WatchInputSchema = Type.Object(
  {
    kind,
    name: Type.Optional(name),
    query: Type.Optional(query),
    entryId: Type.Optional(entryId),
    edits: Type.Optional(edits),
  },
  {
    $id: 'WatchInput',
    description: 'A rule to store.',
    examples: [{ kind: 'search', name: 'Trips of the injector', query: 'text=trip&logbooks=injector' }],
  },
);

const itemId = Type.Integer({ description: 'Increases with each item.', minimum: 0, maximum });
const InboxItemSchema = Type.Object(
  {
    id: itemId,
    change: Type.Unsafe<'created' | 'edited'>({
      type: 'string',
      enum: ['created', 'edited'],
      description: 'Whether the entry was created or edited.',
    }),
    date: Type.Integer({ description: 'When it was changed, in milliseconds since the epoch.' }),
    read: Type.Boolean({ description: 'Whether the user has read it.' }),
    reasons: Type.Array(Type.Object({ watchId: Type.String(), kind }), {
      description: 'The watches that it matched then, which may have been deleted since.',
    }),
    entry: Type.Object(
      {
        id: Type.Integer(),
        title: Type.String(),
        level: Type.String(),
        owner: Type.String(),
        ownerName: Type.Optional(Type.String()),
        logbooks: Type.Array(Type.String()),
      },
      { description: 'The entry as it is now.' },
    ),
  },
  { $id: 'InboxItem', description: 'A change that concerns a user.' },
);

export type WatchInput = Static<typeof WatchInputSchema>;

export const inboxSchemas = [WatchSchema, WatchInputSchema, InboxItemSchema];

const tags = ['Me'];
const security = signedIn;
const params = Type.Object({ id: Type.String({ description: 'Id of the watch.' }) });
const watch = { ...Type.Ref('Watch'), description: 'The watch.' };

export const listWatchesSchema = {
  tags,
  operationId: 'listWatches',
  summary: 'List your watches',
  description: 'Returns the watches of the user, in the order in which they were added.',
  security,
  response: { 200: Type.Array(Type.Ref('Watch'), { description: 'The watches.' }), ...errorResponses(...readErrors) },
};

export const addWatchSchema = {
  tags,
  operationId: 'addWatch',
  summary: 'Watch a search, a thread, mentions or replies',
  description: `Changes from now on that match reach the inbox of the user, except the user's own and those of entries that the user may not read. A user has at most ${watchLimits.watches} watches.`,
  security,
  headers: keyedHeaders,
  body: Type.Ref('WatchInput'),
  response: { 200: watch, ...errorResponses(...keyedWriteErrors, 404, 409) },
};

export const putWatchSchema = {
  tags,
  operationId: 'putWatch',
  summary: 'Change a watch',
  description: 'Replaces a watch of the user.',
  security,
  params,
  headers: keyedHeaders,
  body: Type.Ref('WatchInput'),
  response: { 200: watch, ...errorResponses(...keyedWriteErrors, 404, 409) },
};

export const deleteWatchSchema = {
  tags,
  operationId: 'deleteWatch',
  summary: 'Delete a watch',
  description: 'Items that are in the inbox stay there.',
  security,
  params,
  headers: keyedHeaders,
  response: { 200: Type.Null({ description: 'The watch was deleted.' }), ...errorResponses(...keyedWriteErrors, 404) },
};

const listQuery = Type.Object({
  size: Type.Optional(
    Type.Integer({ description: 'Maximum number of items.', minimum: 1, maximum: maxInboxPage, default: 30 }),
  ),
  before: Type.Optional(
    Type.Integer({ description: 'Only items with a lower id: `next` of the page before.', minimum: 0, maximum }),
  ),
  watch: Type.Optional(Type.String({ description: 'Only items of the watch with this id.' })),
});

export type InboxQuery = Static<typeof listQuery>;

export const listInboxSchema = {
  tags,
  operationId: 'listInbox',
  summary: 'List your inbox',
  description: `Returns the changes that concern the user, newest first, without those of entries that the user may not read now. The newest ${maxInboxItems.toLocaleString('en')} are kept.`,
  security,
  querystring: listQuery,
  response: {
    200: Type.Object(
      {
        unread: Type.Integer({ description: 'Number of unread items in the whole inbox.' }),
        watches: Type.Integer({ description: 'Number of the watches of the user; 0: no item will be added.' }),
        items: Type.Array(Type.Ref('InboxItem')),
        next: Type.Unsafe<number | null>({
          type: ['integer', 'null'],
          description: 'The value of `before` for the next page; null: this is the last one.',
        }),
      },
      { description: 'A page of the inbox.' },
    ),
    ...errorResponses(...readErrors),
  },
};

const readBody = Type.Object(
  {
    ids: Type.Optional(Type.Array(itemId, { description: 'These items.', maxItems: maxInboxItems })),
    upTo: Type.Optional(Type.Integer({ description: 'All items up to this id.', minimum: 0, maximum })),
  },
  { description: 'The items to mark as read; ids that are not in the inbox have no effect.' },
);

export type InboxRead = Static<typeof readBody>;

export const readInboxSchema = {
  tags,
  operationId: 'markInboxRead',
  summary: 'Mark items of your inbox as read',
  description: 'Returns the number of items that are unread afterwards.',
  security,
  body: readBody,
  response: {
    200: Type.Object({ unread: Type.Integer() }, { description: 'The number of unread items.' }),
    ...errorResponses(...writeErrors),
  },
};
