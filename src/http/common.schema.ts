import { Type } from '../kernel/json-schema.js';

/** Schemas that several resources share. */

/** Returns the schema of a string that may be absent or null in a request. */
export const OptionalText = (description: string) =>
  Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description }));

export const StateSchema = Type.Unsafe<'Active' | 'Inactive'>({
  type: 'string',
  enum: ['Active', 'Inactive'],
  description: 'Inactive: deleted, but still shown where it is used.',
});

export const ErrorSchema = Type.Object(
  {
    timestamp: Type.Integer({ description: 'Time of the error, in milliseconds since the epoch.' }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    error: Type.String({ description: 'The name of the status.' }),
    code: Type.String({
      description: 'Stable code of the error, for programs. The operator documentation lists all codes.',
    }),
    message: Type.String({ description: 'What is wrong, and what to do.' }),
    path: Type.String({ description: 'Path of the request.' }),
    requestId: Type.Optional(
      Type.String({ description: 'With a 5xx: identifies the error in the log of the service.' }),
    ),
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

export const errorDescriptions = {
  400: 'The request is invalid; nothing was changed.',
  401: 'Credentials are missing, malformed or wrong.',
  403: 'The user is signed in, but not permitted to do this.',
  404: 'The requested resource does not exist.',
  408: 'Nothing of the body arrived for 30 seconds; nothing was stored.',
  409: 'An id is already taken, the object to delete is in use, or a list has reached its limit.',
  413: 'The request or a file is larger than configured; the message names the limit.',
  415: 'The operation does not support this content type.',
  416: 'The requested range is outside the file.',
  422: 'The `Idempotency-Key` belongs to another request; nothing was changed.',
  429: 'One client has too many requests waiting, bodies arriving, failed sign-ins or live connections; `Retry-After` says how long to wait.',
  500: 'Internal error of the service.',
  503: 'The storage or the search index is temporarily unavailable.',
  507: 'The disk is full or nearly full; nothing was stored.',
} as const;

export type ErrorStatus = keyof typeof errorDescriptions;

/** Returns the error responses of an operation, for the API description. */
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

/** The response to a client that already has the current result, for the API description. */
export const notModified = { 304: { description: 'The client has the current version: `If-None-Match` names it.' } };

/** Statuses of the errors that any operation with a body can return. */
export const bodyErrors = [400, 408, 413, 415, 429] as const satisfies ErrorStatus[];

/** Statuses of the errors that any operation that writes can return. */
export const writeErrors = [...bodyErrors, 401, 403, 500, 503, 507] as const satisfies ErrorStatus[];

/** Statuses like `writeErrors`, for an operation that accepts an idempotency key. */
export const keyedWriteErrors = [...writeErrors, 422] as const satisfies ErrorStatus[];

/** Statuses of the errors that any operation that reads can return. */
export const readErrors = [400, 401, 403, 429, 500, 503] as const satisfies ErrorStatus[];

/** The security requirement of an operation that needs sign-in, for the API description. */
export const signedIn = [{ basic: [] }, { session: [] }, { token: [] }];
