import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../../auth/accounts.js';
import type { Authenticator } from '../../auth/authenticator.js';
import type { Principal } from '../../auth/principal.js';
import { Fault } from '../../kernel/fault.js';
import { chooseDelivery, findDelivery } from '../../notifications/inbox/choose-delivery.js';
import type { InboxStorage } from '../../notifications/inbox/inbox-storage.js';
import type { PersonalDeliveries } from '../../notifications/inbox/personal-deliveries.js';
import { putBrowser, removeBrowser } from '../../notifications/inbox/push-browsers.js';
import { principalOf, signInNeeded } from '../access/request-principal.js';
import { requestCredentials } from '../access/session-cookie.js';
import {
  type BrowserInput,
  type DeliveryInput,
  deleteBrowserSchema,
  deliverySchemas,
  getDeliverySchema,
  putBrowserSchema,
  putDeliverySchema,
} from './delivery.schema.js';

export interface DeliveryRoutesDeps {
  readonly storage: InboxStorage;
  readonly authenticator: Pick<Authenticator, 'identifyAccount'>;
  /** Undefined when no delivery is configured. */
  readonly deliveries: Pick<PersonalDeliveries, 'wake' | 'push' | 'isMailOffered' | 'findChatRecipient'> | undefined;
}

/** Routes of the settings for delivering a user's inbox. */
export async function deliveryRoutes(app: FastifyInstance, deps: DeliveryRoutesDeps): Promise<void> {
  for (const schema of deliverySchemas) app.addSchema(schema);
  const config = { access: 'password' } as const;
  app.get('/me/delivery', { config, schema: getDeliverySchema }, async (request, reply: FastifyReply) => {
    reply.header('cache-control', 'private, no-cache');
    return viewOf(deps, principalOf(request));
  });
  app.put('/me/delivery', { config, schema: putDeliverySchema }, putHandler(deps));
  app.put('/me/browsers', { config, schema: putBrowserSchema }, putBrowserHandler(deps));
  app.delete('/me/browsers/:id', { config, schema: deleteBrowserSchema }, deleteBrowserHandler(deps));
}

const putHandler = (deps: DeliveryRoutesDeps) => async (request: FastifyRequest<{ Body: DeliveryInput }>) => {
  const { mail, quiet, chat } = request.body;
  if (mail && !deps.deliveries?.isMailOffered) {
    throw new Fault('conflict', 'delivery.not-offered', 'This service sends no mails to users. Turn mails off.');
  }
  const account = await identifyAccount(deps, request);
  if (chat && deps.deliveries?.findChatRecipient(account) === undefined) {
    throw new Fault(
      'conflict',
      'delivery.chat-not-offered',
      'This service does not send chat messages to users. The administrator can turn them on with the setting chatUrl.',
    );
  }
  await chooseDelivery(deps.storage, account, { mail, chat, ...(quiet && { quiet }) });
  await deps.deliveries?.wake(account);
  return viewOf(deps, principalOf(request));
};

const putBrowserHandler = (deps: DeliveryRoutesDeps) => async (request: FastifyRequest<{ Body: BrowserInput }>) => {
  const { storage, deliveries } = deps;
  if (!deliveries?.push) {
    throw new Fault(
      'conflict',
      'delivery.push-not-offered',
      'This service does not send notifications to browsers. The administrator can turn them on with the setting pushContact.',
    );
  }
  const account = await identifyAccount(deps, request);
  const { id, name } = await putBrowser(storage, deliveries.push, account, request.body);
  await deliveries.wake(account);
  return { id, name };
};

const deleteBrowserHandler =
  ({ storage, deliveries }: DeliveryRoutesDeps) =>
  async (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
    const owner = principalOf(request);
    await removeBrowser(storage, owner, request.params.id);
    await deliveries?.wake(owner);
    return reply.send();
  };

async function identifyAccount({ authenticator }: DeliveryRoutesDeps, request: FastifyRequest): Promise<Account> {
  const account = await authenticator.identifyAccount(requestCredentials(request));
  if (!account) throw signInNeeded();
  return account;
}

async function viewOf({ storage, deliveries }: DeliveryRoutesDeps, principal: Principal) {
  const { mail, chatAfter, quiet = null, browsers = [] } = await findDelivery(storage.committed.inbox, principal);
  return {
    ...{ mail, quiet, mailAddress: principal.mail ?? null, isMailOffered: deliveries?.isMailOffered ?? false },
    ...{ chat: chatAfter !== undefined, chatRecipient: deliveries?.findChatRecipient(principal) ?? null },
    browsers: browsers.map(({ id, name }) => ({ id, name })),
    pushKey: (await deliveries?.push?.findPublicKey()) ?? null,
  };
}
