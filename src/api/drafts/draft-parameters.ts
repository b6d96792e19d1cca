import type { FastifyRequest } from 'fastify';
import type { RevisionCheck } from '../../drafts/edit-draft.js';
import { matchesEntityTag } from '../../http/reply/etag.js';
import { Type } from '../../kernel/json-schema.js';
import { expectedUserHeader } from '../access/expected-user.js';
import { keyHeader } from '../access/keyed-request.js';

/** Path and header parameters of the routes of drafts. */

export interface DraftParams {
  Params: { draftId: string };
}

export interface DraftFileParams {
  Params: { draftId: string; attachmentId: string };
}

const draftId = Type.String({
  description: 'A UUID that the client chooses.',
  pattern: '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$',
  examples: ['8f14e45f-ceea-467f-9575-2f1d2a4c3b9e'],
});
export const draftParams = Type.Object({ draftId });
export const draftFileParams = Type.Object({
  draftId,
  attachmentId: Type.String({
    description: 'An id that the client chooses, such as a UUID. It becomes the id of the attachment.',
    minLength: 1,
    maxLength: 255,
  }),
});

export const revisionHeaders = Type.Object({
  ...keyHeader,
  ...expectedUserHeader,
  'if-match': Type.Optional(
    Type.String({ description: 'The `ETag` of the content that you read; 412 if it has changed since then.' }),
  ),
  'if-none-match': Type.Optional(Type.String({ description: '`*`: 412 if there is such a draft already.' })),
});

/** Returns the id of the draft in its stored spelling. */
export function draftIdOf({ params }: FastifyRequest<DraftParams>): string {
  return params.draftId.toLowerCase();
}

/** Returns the check for the conditions that the headers set for a change. */
export function toRevisionCheck({ headers }: FastifyRequest): RevisionCheck {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = headers;
  return (revision) => {
    if (revision === undefined) return ifMatch === undefined;
    if (ifNoneMatch !== undefined && matchesEntityTag(ifNoneMatch, toEntityTag(revision))) return false;
    return ifMatch === undefined || matchesEntityTag(ifMatch, toEntityTag(revision));
  };
}

export function toEntityTag(revision: string): string {
  return `"${revision}"`;
}
