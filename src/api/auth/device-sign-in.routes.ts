import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiTokens } from '../../auth/api-tokens.js';
import type { DeviceSignIns } from '../../auth/device-sign-ins.js';
import {
  beginDeviceSchema,
  type DevicePollInput,
  type DeviceSignInInput,
  deviceSchemas,
  pollDeviceSchema,
} from './device-sign-in.schema.js';
import { oidcLoginPath } from './signed-out-cookie.js';
import { toTokenView } from './tokens.routes.js';

export interface DeviceSignInRoutesDeps {
  readonly deviceSignIns: DeviceSignIns;
  readonly tokens: Pick<ApiTokens, 'remove'>;
}

const path = `${oidcLoginPath}/device`;
const options = { config: { access: 'open', challenge: null }, bodyLimit: 16_384 } as const;

/** Registers the routes by which programs without a browser sign in through an OpenID Connect provider. */
export async function deviceSignInRoutes(app: FastifyInstance, deps: DeviceSignInRoutesDeps): Promise<void> {
  for (const schema of deviceSchemas) app.addSchema(schema);
  app.post(path, { ...options, schema: beginDeviceSchema }, beginHandler(deps));
  app.post(`${path}/token`, { ...options, schema: pollDeviceSchema }, pollHandler(deps));
}

const beginHandler =
  ({ deviceSignIns }: DeviceSignInRoutesDeps) =>
  async (request: FastifyRequest<{ Body: DeviceSignInInput }>, reply: FastifyReply) => {
    const { name, rights = ['entries'], days = 30 } = request.body;
    const begun = await deviceSignIns.begin({ name, rights: [...new Set(rights)], days }, request.ip);
    reply.header('cache-control', 'no-store');
    return {
      handle: begun.handle,
      userCode: begun.userCode,
      verificationUri: begun.verificationUrl,
      ...(begun.completeUrl !== undefined && { verificationUriComplete: begun.completeUrl }),
      expiresIn: begun.lifetimeMs / 1_000,
      interval: begun.intervalMs / 1_000,
    };
  };

const pollHandler =
  ({ deviceSignIns, tokens }: DeviceSignInRoutesDeps) =>
  async (request: FastifyRequest<{ Body: DevicePollInput }>, reply: FastifyReply) => {
    const polled = await deviceSignIns.poll(request.body.handle, request.ip);
    reply.header('cache-control', 'no-store');
    if (polled.kind === 'pending') return reply.code(202).send({ interval: polled.intervalMs / 1_000 });
    const { token, secret } = polled;
    // If the client left before the token arrived, no program has the token.
    const removeIfUnsent = () => {
      if (!reply.raw.writableFinished) void tokens.remove(token.id).catch(() => undefined);
    };
    if (reply.raw.closed || reply.raw.destroyed) removeIfUnsent();
    else reply.raw.once('close', removeIfUnsent);
    return { ...toTokenView(token), token: secret };
  };
