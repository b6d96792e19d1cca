import { errorResponses, readErrors, signedIn, writeErrors } from '../../http/common.schema.js';
import { Type } from '../../kernel/json-schema.js';
import { idParams, listQuery, milliseconds } from './own-or-all.js';

export const SessionSchema = Type.Object(
  {
    id: Type.String({ description: 'Identifies the session; not a credential.' }),
    userName: Type.String({ description: 'The user who opened it.' }),
    from: Type.String({ description: 'The address that it was opened from.' }),
    createdDate: milliseconds('Time of sign-in'),
    expiresDate: milliseconds('Time when it expires if it is not used before'),
  },
  { $id: 'Session', description: 'An open session.' },
);

const tags = ['Sign-in'];

export const listSessionsSchema = {
  tags,
  operationId: 'listSessions',
  summary: 'List open sessions',
  description: 'Returns your sessions or, with `all`, those of all users: newest first, at most 1,000.',
  security: signedIn,
  querystring: listQuery,
  response: {
    200: Type.Array(Type.Ref('Session'), { description: 'The sessions.' }),
    ...errorResponses(...readErrors),
  },
};

export const endSessionSchema = {
  tags,
  operationId: 'endSession',
  summary: 'End a session',
  description: 'Ends one of your own sessions; administrators can end any session.',
  security: signedIn,
  params: idParams('session'),
  response: { 200: Type.Null({ description: 'The session was ended.' }), ...errorResponses(...writeErrors, 404) },
};
