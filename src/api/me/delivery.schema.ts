import { bodyErrors, errorResponses, readErrors, signedIn, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';
import { browserLimits } from '../../notifications/inbox/push-browsers.js';

const time = (description: string) =>
  Type.String({ description, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['22:00'] });

const quietHours = Type.Object(
  {
    from: time('When they begin.'),
    to: time('When they end, perhaps on the next day.'),
    zone: Type.String({ description: 'IANA time zone of both times.', maxLength: 100, examples: ['Europe/Berlin'] }),
  },
  {
    description: 'Hours of each day in which nothing is sent; items that arrive in them are sent together afterwards.',
  },
);
const mail = Type.Boolean({ description: 'Whether new items of the inbox are mailed to the user.' });
const chat = Type.Boolean({ description: 'Whether new items of the inbox are sent to the user in the chat.' });
const quiet = Type.Union([quietHours, Type.Null()], { description: 'The quiet hours; null: none.' });

const browserName = Type.String({
  description: 'Shown to its user.',
  maxLength: browserLimits.nameLength,
  examples: ['Firefox on Linux'],
});
const PushBrowserSchema = Type.Object(
  {
    id: Type.String({ description: 'Stays the same for the same endpoint, and for an endpoint that replaces it.' }),
    name: browserName,
  },
  { $id: 'PushBrowser', description: 'A browser that shows new items of the inbox as notifications.' },
);

const InboxDeliverySchema = Type.Object(
  {
    mail,
    chat,
    quiet,
    mailAddress: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The address that the user directory gave at the last sign-in; null: none.',
    }),
    browsers: Type.Array(Type.Ref('PushBrowser'), { description: 'Browsers that show notifications.' }),
    pushKey: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The `applicationServerKey` with which a browser subscribes; null: notifications are not offered.',
    }),
    chatRecipient: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The name under which the user gets messages in the chat; null: they are not offered.',
    }),
    isMailOffered: Type.Boolean({ description: 'Whether the service can send mails to users.' }),
  },
  { $id: 'InboxDelivery', description: 'How items of the inbox reach their user outside of the service.' },
);

export const deliverySchemas = [PushBrowserSchema, InboxDeliverySchema];

const body = Type.Object({ mail, chat: Type.Optional(chat), quiet }, { description: 'The choice of the user.' });
export type DeliveryInput = Static<typeof body>;

const tags = ['Me'];
const response = { ...Type.Ref('InboxDelivery'), description: 'The choice of the user.' };

export const getDeliverySchema = {
  tags,
  operationId: 'getInboxDelivery',
  summary: 'Get how your inbox is delivered',
  description: 'Returns the choice of the user; until there is one, nothing is sent.',
  security: signedIn,
  response: { 200: response, ...errorResponses(...readErrors) },
};

export const putDeliverySchema = {
  tags,
  operationId: 'putInboxDelivery',
  summary: 'Choose how your inbox is delivered',
  description:
    'Mails are sent at least once and in order, those of a thread as one conversation. They leave out what the user may not read when they are sent. The same applies to messages in the chat. Without `chat`, the setting for chat messages stays as it is.',
  security: signedIn,
  body,
  response: { 200: response, ...errorResponses(...writeErrors, 409) },
};

const browser = Type.Object(
  {
    endpoint: Type.String({
      description: 'Address of the browser at the push service of its maker, https.',
      maxLength: browserLimits.endpointLength,
    }),
    publicKey: Type.String({ description: 'The key `p256dh` of the browser.', maxLength: 100 }),
    secret: Type.String({ description: 'The key `auth` of the browser.', maxLength: 100 }),
    name: browserName,
    replaces: Type.Optional(
      Type.String({
        description:
          'Address that the browser had before its push service ended it (`pushsubscriptionchange`). The browser keeps its id. Refused if the user has removed it.',
        maxLength: browserLimits.endpointLength,
      }),
    ),
  },
  { description: 'The subscription of a browser (Push API).' },
);
export type BrowserInput = Static<typeof browser>;

export const putBrowserSchema = {
  tags,
  operationId: 'putPushBrowser',
  summary: 'Show your inbox as notifications of a browser',
  description: `Adds a browser, or replaces the one with the same endpoint; a user has at most ${browserLimits.browsers}. Messages are encrypted for the browser (RFC 8291), and sent at least once and in order. A browser whose push service answers 404 or 410 is removed; it may renew its subscription with \`replaces\`, and then gets the messages that were refused within the last hour.`,
  security: signedIn,
  body: browser,
  response: {
    200: { ...Type.Ref('PushBrowser'), description: 'The browser.' },
    ...errorResponses(...writeErrors, 409),
  },
};

export const deleteBrowserSchema = {
  tags,
  operationId: 'deletePushBrowser',
  summary: 'Stop the notifications of a browser',
  description: 'Also succeeds if there is none with this id.',
  security: signedIn,
  params: Type.Object({ id: Type.String({ description: 'Id of the browser.', maxLength: 100 }) }),
  response: {
    200: { type: 'null', description: 'The browser gets no more notifications.' },
    ...errorResponses(...writeErrors),
  },
};

const params = Type.Object({
  token: Type.String({ description: 'The token in the link of a mail.', maxLength: 2_000 }),
});
const page = Type.String({ description: 'A page for people.' });

export const unsubscribeSchema = (operationId: string, summary: string, description: string) => ({
  tags,
  operationId,
  summary,
  description,
  params,
  response: {
    200: { description: 'A page.', content: { 'text/html': { schema: page } } },
    ...errorResponses(...bodyErrors, 403, 404, 500, 503, 507),
  },
});
