import { type Right, rights } from '../../auth/permissions.js';
import { errorResponses } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';

/** Rights that a token can get. The person who confirms does not see them, so administration is not among them. */
const deviceRights = rights.filter((right) => right !== 'admin');

const DeviceSignInInputSchema = Type.Object(
  {
    name: Type.String({
      description: 'Purpose of the token, such as the program and its computer.',
      minLength: 1,
      maxLength: 200,
    }),
    rights: Type.Optional(
      Type.Array(Type.Unsafe<Right>({ type: 'string', enum: deviceRights }), {
        description: 'What the token permits besides reading; never more than its owner may do.',
        maxItems: deviceRights.length,
        default: ['entries'],
      }),
    ),
    days: Type.Optional(
      Type.Integer({ description: 'Validity period in days.', minimum: 1, maximum: 90, default: 30 }),
    ),
  },
  {
    $id: 'DeviceSignInInput',
    description: 'A sign-in to begin, and the token with which it ends.',
    examples: [{ name: 'command line on console7', rights: ['entries'], days: 30 }],
  },
);

const DeviceSignInSchema = Type.Object(
  {
    handle: Type.String({
      description: 'Identifies the sign-in. Secret: only the program that began it polls with it.',
    }),
    userCode: Type.String({ description: 'The code to show, which the person compares or enters.' }),
    verificationUri: Type.String({ description: 'The page of the identity provider to show.' }),
    verificationUriComplete: Type.Optional(Type.String({ description: 'The same page with the code filled in.' })),
    expiresIn: Type.Number({ description: 'Seconds until the sign-in expires.' }),
    interval: Type.Number({ description: 'Minimum number of seconds between two polls.' }),
  },
  { $id: 'DeviceSignIn', description: 'A sign-in that a person must confirm in a browser.' },
);

const DevicePollSchema = Type.Object(
  {
    handle: Type.String({ description: 'The `handle` of the sign-in.', minLength: 1, maxLength: 8_000 }),
  },
  { $id: 'DevicePoll', description: 'The sign-in to ask about.' },
);

const DevicePendingSchema = Type.Object(
  {
    interval: Type.Number({
      description: 'Minimum number of seconds until the next poll; longer than before if the last one was too early.',
    }),
  },
  { $id: 'DevicePending', description: 'A sign-in that has not been confirmed yet.' },
);

export type DeviceSignInInput = Static<typeof DeviceSignInInputSchema>;
export type DevicePollInput = Static<typeof DevicePollSchema>;

export const deviceSchemas = [DeviceSignInInputSchema, DeviceSignInSchema, DevicePollSchema, DevicePendingSchema];

const tags = ['Sign-in'];

export const beginDeviceSchema = {
  tags,
  operationId: 'beginDeviceSignIn',
  summary: 'Begin a sign-in with a code',
  description:
    'For programs without a browser: returns an address and a code. A person confirms them at the identity provider, ' +
    'and the program then receives a token of this person (device authorization grant, RFC 8628).',
  body: Type.Ref('DeviceSignInInput'),
  response: {
    200: { ...Type.Ref('DeviceSignIn'), description: 'What to show to the person.' },
    ...errorResponses(400, 401, 404, 413, 415, 429, 500, 503),
  },
};

export const pollDeviceSchema = {
  tags,
  operationId: 'pollDeviceSignIn',
  summary: 'Finish a sign-in with a code',
  description: 'Returns the token once the person has confirmed. Repeat it while it responds with 202.',
  body: Type.Ref('DevicePoll'),
  response: {
    200: { ...Type.Ref('Token'), description: 'The token, including the secret itself.' },
    202: { ...Type.Ref('DevicePending'), description: 'It has not been confirmed yet.' },
    ...errorResponses(400, 401, 404, 413, 415, 500, 503, 507),
  },
};
