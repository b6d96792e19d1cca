import type { FastifyRequest } from 'fastify';
import type { Principal } from '../../auth/principal.js';
import { Fault, quoted } from '../../kernel/fault.js';
import { Type } from '../../kernel/json-schema.js';

/**
 * Header that names the user for whom a request is meant. The tabs of a browser share a session: after a second user
 * signs in through one tab, a request from another tab would store the text of the first user under the second name.
 */
const name = 'x-logbook-expected-user';

export const expectedUserHeader = {
  [name]: Type.Optional(
    Type.String({
      description:
        'Name of the user for whom this request is meant, percent-encoded; 401 `auth.other-user` if the credentials are those of another. Every request that requires a user accepts it.',
      maxLength: 4_096,
      examples: ['jdoe'],
    }),
  ),
};

/** @throws Fault unauthenticated `auth.other-user` */
export function checkExpectedUser({ headers }: FastifyRequest, { userName }: Principal): void {
  const expected = headers[name];
  if (expected === undefined || expected === encodeURIComponent(userName)) return;
  const message = `The request carries the credentials of ${quoted(userName)}, but is meant for a different user. Nothing was changed. Sign in as the user for whom it is meant.`;
  throw new Fault('unauthenticated', 'auth.other-user', message);
}
