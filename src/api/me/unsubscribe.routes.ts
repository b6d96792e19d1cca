import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AccountKey } from '../../auth/accounts.js';
import type { ChangeFeedReader } from '../../entries/change-feed.port.js';
import { Fault } from '../../kernel/fault.js';
import { stopMails } from '../../notifications/inbox/choose-delivery.js';
import type { InboxStorage } from '../../notifications/inbox/inbox-storage.js';
import { readUnsubscribeToken } from '../../notifications/inbox/unsubscribe-token.js';
import { unsubscribeSchema } from './delivery.schema.js';

export interface UnsubscribeRoutesDeps {
  readonly storage: InboxStorage & { readonly committed: { readonly feed: Pick<ChangeFeedReader, 'secret'> } };
  readonly deliveries: { wake(owner: AccountKey): Promise<void> } | undefined;
}

interface TokenParams {
  Params: { token: string };
}

/**
 * Turns off mails without sign-in, through the link in a mail. Only a POST has an effect, because programs that check
 * mails for harmful links follow them with GET. Mail programs with an unsubscribe button send the POST themselves (RFC
 * 8058).
 */
export async function unsubscribeRoutes(app: FastifyInstance, deps: UnsubscribeRoutesDeps): Promise<void> {
  const { storage, deliveries } = deps;
  const config = { access: 'open', audit: 'none' } as const;
  const ownerOf = async ({ params }: FastifyRequest<TokenParams>): Promise<AccountKey> => {
    const owner = readUnsubscribeToken(await storage.committed.feed.secret(), params.token);
    if (owner) return owner;
    throw new Fault(
      'missing',
      'delivery.unknown-link',
      'This link is incomplete or belongs to another logbook. Sign in and turn mails off in your inbox.',
    );
  };
  const ask = unsubscribeSchema('askToUnsubscribe', 'Ask whether to stop mails', 'Changes nothing.');
  app.get<TokenParams>('/unsubscribe/:token', { config, schema: ask }, async (request, reply) => {
    await ownerOf(request);
    return sendPage(reply, '<form method="post"><button>Stop the mails</button></form>');
  });
  await app.register(async (scope) => {
    // The body only states that this is a one-click request, so it is not parsed.
    const types = ['application/x-www-form-urlencoded', 'multipart/form-data'];
    scope.addContentTypeParser(types, (_request, _body, done) => done(null));
    const schema = unsubscribeSchema('unsubscribe', 'Stop mails', 'Turns off the mails to the user of the link.');
    scope.post<TokenParams>('/unsubscribe/:token', { config, schema }, async (request, reply) => {
      const owner = await ownerOf(request);
      await stopMails(storage, owner);
      await deliveries?.wake(owner);
      return sendPage(
        reply,
        '<p>You get no more mails about your inbox. You can turn them on again in your inbox.</p>',
      );
    });
  });
}

function sendPage(reply: FastifyReply, content: string): FastifyReply {
  const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Mails – Logbook</title>
<style>body{font:16px/1.5 system-ui,sans-serif;margin:3rem auto;max-width:40rem;padding:0 1rem}
button{font:inherit;padding:.4rem 1rem}</style>
</head>
<body>
<h1>Mails about your inbox</h1>
${content}
</body>
</html>
`;
  return reply.header('cache-control', 'no-store').type('text/html; charset=utf-8').serializer(String).send(page);
}
