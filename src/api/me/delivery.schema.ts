import { bodyErrors, errorResponses, readErrors, signedIn, writeErrors } from '../../http/common.schema.js';
import { type Static, Type } from '../../kernel/json-schema.js';

const time = (description: string) =>
  Type.String({ description, pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', examples: ['22:00'] });

const quietHours = Type.Object(
  {
    from: time('When they begin.'),
    to: time('When they end, perhaps on the next day.'),
    zone: Type.String({ description: 'IANA time zone of both times.', maxLength: 100, examples: ['Europe/Berlin'] }),
  },
  { description: 'Hours of each day in which no mail is sent; what arrives in them follows in one mail.' },
);
const mail = Type.Boolean({ description: 'Whether new items of the inbox are mailed to the user.' });
const quiet = Type.Union([quietHours, Type.Null()], { description: 'The quiet hours; null: none.' });

const InboxDeliverySchema = Type.Object(
  {
    mail,
    quiet,
    mailAddress: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'The address that the user directory told at the last sign-in; null: none.',
    }),
    isMailOffered: Type.Boolean({ description: 'Whether the service can send mails to users.' }),
  },
  { $id: 'InboxDelivery', description: 'How items of the inbox reach their user outside of the service.' },
);

export const deliverySchemas = [InboxDeliverySchema];

const body = Type.Object({ mail, quiet }, { description: 'The choice of the user.' });
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
    'Mails are sent at least once and in order, those of a thread as one conversation. They leave out what the user may not read when they are sent.',
  security: signedIn,
  body,
  response: { 200: response, ...errorResponses(...writeErrors, 409) },
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
