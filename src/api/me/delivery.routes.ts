import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountKey } from '../../auth/accounts.js';
import type { Authenticator } from '../../auth/authenticator.js';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';
import { chooseDelivery, findDelivery } from '../../notifications/inbox/choose-delivery.js';
import type { InboxStorage } from '../../notifications/inbox/inbox-storage.js';
import { principalOf, signInNeeded } from '../access/request-principal.js';
import { requestCredentials } from '../access/session-cookie.js';
import { type DeliveryInput, deliverySchemas, getDeliverySchema, putDeliverySchema } from './delivery.schema.js';

export interface DeliveryRoutesDeps {
  readonly storage: InboxStorage;
  readonly authenticator: Pick<Authenticator, 'identifyAccount'>;
  /** Undefined: no mail server is configured. */
  readonly deliveries: { wake(owner: AccountKey): Promise<void> } | undefined;
}

/** How the inbox of a user is delivered. */
export async function deliveryRoutes(app: FastifyInstance, deps: DeliveryRoutesDeps): Promise<void> {
  for (const schema of deliverySchemas) app.addSchema(schema);
  const config = { access: 'password' } as const;
  app.get('/me/delivery', { config, schema: getDeliverySchema }, async (request, reply: FastifyReply) => {
    reply.header('cache-control', 'private, no-cache');
    return viewOf(deps, principalOf(request));
  });
  app.put('/me/delivery', { config, schema: putDeliverySchema }, putHandler(deps));
}

const putHandler = (deps: DeliveryRoutesDeps) => async (request: FastifyRequest<{ Body: DeliveryInput }>) => {
  const { mail, quiet } = request.body;
  if (mail && !deps.deliveries) {
    throw new Fault('conflict', 'delivery.not-offered', 'This service sends no mails to users. Turn mails off.');
  }
  const account = await deps.authenticator.identifyAccount(requestCredentials(request));
  if (!account) throw signInNeeded();
  await chooseDelivery(deps.storage, account, { mail, ...(quiet && { quiet }) });
  await deps.deliveries?.wake(account);
  return viewOf(deps, principalOf(request));
};

async function viewOf({ storage, deliveries }: DeliveryRoutesDeps, principal: Principal) {
  const { mail, quiet = null } = await findDelivery(storage.committed.inbox, principal);
  return { mail, quiet, mailAddress: principal.mail ?? null, isMailOffered: deliveries !== undefined };
}
