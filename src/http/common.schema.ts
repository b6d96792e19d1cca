import { Type } from 'typebox';

/** Shapes that several rooms use at the edge. */

/** A text that may be absent or null in a request. */
export const OptionalText = (description: string) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description }));

export const StateSchema = Type.Unsafe<'Active' | 'Inactive'>({
  type: 'string',
  enum: ['Active', 'Inactive'],
  description: 'Inactive: deleted, but still shown where it was used.',
});

export const ErrorSchema = Type.Object(
  {
    timestamp: Type.Integer({ description: 'When, in milliseconds since the epoch.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    error: Type.String({ description: 'The name of the status.' }),
    code: Type.String({
      description: 'Stable name of the problem, for programs. The operator documentation lists them all.',
    }),
    message: Type.String({ description: 'What is wrong, and what to do.' }),
    path: Type.String({ description: 'The address that was asked.' }),
    requestId: Type.Optional(Type.String({ description: 'For a 5xx: finds the cause in the log of the service.' })),
  },
  {
    $id: 'Error',
    description: 'The body of every error.',
    examples: [
      {
        timestamp: 1_767_225_600_000,
        status: 404,
        error: 'Not Found',
        code: 'entry.not-found',
        message: 'Entry 7 not found.',
        path: '/logbook/logs/7',
      },
    ],
  },
);

const errorDescriptions = {
  400: 'Something in the request is wrong; nothing was changed.',
  401: 'Credentials are missing, malformed or wrong.',
  403: 'Signed in, but not permitted.',
  404: 'What the address names does not exist.',
  409: 'An id is taken already, or what is to go is in use.',
  412: 'The entry was changed since the version that `If-Match` names.',
  413: 'The request or a file is larger than configured; the message names the limit.',
  415: 'The content type is not the one that this address takes.',
  429: 'Too many searches are waiting, too many sign-ins failed, or one address follows too often; `Retry-After` says how long to wait.',
  500: 'The service failed.',
  503: 'The storage or the search cannot answer at present.',
  507: 'The disk is full; nothing was stored.',
} as const;

export type ErrorStatus = keyof typeof errorDescriptions;

/** The error responses of a route, for its description. */
export function errorResponses(...statuses: ErrorStatus[]): Record<number, object> {
  return Object.fromEntries(
    statuses.map((status) => [
      status,
      {
        description: errorDescriptions[status],
        content: { 'application/json': { schema: Type.Ref('Error') } },
      },
    ]),
  );
}

/** What a writing route may answer besides its own errors. */
export const writeErrors = [400, 401, 403, 413, 415, 429, 500, 503, 507] as const satisfies ErrorStatus[];

/** How the description says that a route needs sign-in. */
export const signedIn = [{ basic: [] }, { session: [] }, { token: [] }];
