import type { FastifyRequest } from 'fastify';
import type { Permissions } from '../../auth/permissions.js';
import type { Reader } from '../../entries/readable-entries.js';
import { entryNotFound, type RevisionCheck } from '../../entries/update-entry.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { expectedUserHeader } from '../access/expected-user.js';
import { keyHeader } from '../access/keyed-request.js';
import { principalOf } from '../access/request-principal.js';
import { markupQuery, parseMarkup } from './markup.schema.js';

/** Path, query and header parameters of the routes of entries. */

export const idParams = Type.Object({ logId: Type.String({ description: 'Id of the entry.', examples: ['42'] }) });

const notifyQuery = {
  notifyWsClients: Type.Optional(
    Type.Boolean({ description: 'Whether to notify connected live clients immediately.', default: true }),
  ),
};
const submitQuery = {
  ...notifyQuery,
  draft: Type.Optional(
    Type.String({
      description:
        'Id of your draft to submit. Its files are attached and the draft is removed, in one transaction with the change. `attachments` in the body can order, rename and describe these files by their ids; the others follow at the end.',
    }),
  ),
};
export const createQuery = Type.Object({
  ...markupQuery,
  inReplyTo: Type.Optional(
    Type.String({
      description: 'Id of the entry that this one replies to. Empty, 0 or negative: no reply.',
      examples: ['41'],
    }),
  ),
  run: Type.Optional(
    Type.Boolean({ description: 'Whether to open a run: an entry to which blocks are appended.', default: false }),
  ),
  ...submitQuery,
});
export const updateQuery = Type.Object({ ...markupQuery, ...submitQuery });
export const addAttachmentQuery = Type.Object({ ...markupQuery, ...notifyQuery });

export type CreateQuery = Static<typeof createQuery>;
export type UpdateQuery = Static<typeof updateQuery>;
export type AddAttachmentQuery = Static<typeof addAttachmentQuery>;

const clientInfoHeader = {
  'x-logbook-client-info': Type.Optional(
    Type.String({
      description: 'Name and version of the client, for the log of the service.',
      examples: ['shift-script 1.2'],
    }),
  ),
};
export const createHeaders = Type.Object({
  ...clientInfoHeader,
  ...expectedUserHeader,
  ...keyHeader,
});
export const readHeaders = Type.Object({
  'if-none-match': Type.Optional(
    Type.String({ description: 'The `ETag` of the version that you have; 304 if it is the current one.' }),
  ),
});
export const updateHeaders = Type.Object({
  ...clientInfoHeader,
  ...expectedUserHeader,
  ...keyHeader,
  'if-match': Type.Optional(
    Type.String({
      description:
        'The `ETag` of the version that you read. The update fails if the entry has changed since then. Without it, blocks that were appended to an open run after the last block in the sent text are kept.',
      examples: ['"3"'],
    }),
  ),
});

/** @throws Fault unauthenticated; invalid `entry.unknown-markup`, `entry.unknown-parent` */
export function createOptions(request: FastifyRequest<{ Querystring: CreateQuery }>) {
  const { markup, inReplyTo, notifyWsClients, draft, run } = request.query;
  return {
    author: principalOf(request),
    markup: parseMarkup(markup),
    inReplyTo: parseParentId(inReplyTo?.trim() ?? ''),
    notify: notifyWsClients !== false,
    draftId: draft?.toLowerCase() || undefined,
    isRun: run === true,
  };
}

/** @throws Fault unauthenticated; invalid `entry.unknown-markup` */
export function updateOptions(request: FastifyRequest<{ Querystring: UpdateQuery }>) {
  const { markup, notifyWsClients, draft } = request.query;
  return {
    editor: principalOf(request),
    markup: parseMarkup(markup),
    notify: notifyWsClients !== false,
    draftId: draft?.toLowerCase() || undefined,
    expects: toRevisionCheck(request.headers['if-match']),
  };
}

/**
 * Returns the reader whose permissions apply to the request. The reader is not signed in unless the request was
 * authenticated.
 */
export function toReader(request: FastifyRequest, { permissions }: { readonly permissions: Permissions }): Reader {
  return { permissions, principal: request.context.principal };
}

/** @throws Fault missing `entry.not-found` for a string that cannot be the id of an entry, such as `abc` */
export function parseEntryId(text: string): number {
  if (!isEntryId(text)) throw entryNotFound(text);
  return Number(text);
}

export function isEntryId(text: string): boolean {
  return /^\d{1,15}$/.test(text);
}

/** Returns undefined if the entry is not a reply: some clients then send an empty string, `-1` or `0`. */
function parseParentId(text: string): number | undefined {
  if (text === '' || /^(?:-\d+|0+)$/.test(text)) return undefined;
  if (isEntryId(text)) return Number(text);
  throw new Fault('invalid', 'entry.unknown-parent', `Entry ${quoted(text)} not found. Reply to an existing entry.`);
}

function toRevisionCheck(ifMatch: string | undefined): RevisionCheck | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return (revision) => matchesEntityTag(ifMatch, `"${revision}"`);
}
