import { isIP } from 'node:net';
import { parseQuery } from '../../search/parse-query.js';
import type { Setting } from '../setting.js';

export const subscriberKinds = ['webhook', 'email', 'chat'] as const;
export type SubscriberKind = (typeof subscriberKinds)[number];

const eventNames = ['created', 'edited', 'annotated'] as const;

/** One key of a subscriber, `subscriber.NAME.key`. */
export interface SubscriberKey<T> extends Setting<T> {
  /** The kinds of subscribers that have it; absent: all. */
  readonly kinds?: readonly SubscriberKind[];
  readonly required?: true;
  /** In place of the default, for an e-mail subscriber. */
  readonly emailDefaultText?: string;
}

const overHttp = { kinds: ['webhook', 'chat'] } as const;
const byMail = { kinds: ['email'] } as const;

export const subscriberKeys = {
  kind: {
    ...key('webhook|email|chat', '', 'What it is told by.', (text) => {
      const kind = subscriberKinds.find((one) => one === text);
      if (!kind) throw new Error('it must be webhook, email or chat');
      return kind;
    }),
    required: true,
  },
  search: key(
    'QUERY',
    '',
    'It is told of the entries that this search finds, written as in an address: level=Problem&logbooks=operations. Empty: of all, in every logbook.',
    parseSearch,
  ),
  events: key('EVENTS', 'created', `What it is told of, comma separated: ${eventNames.join(', ')}.`, (text) => {
    const names = itemsOf(text).map((name) => {
      const event = eventNames.find((one) => one === name);
      if (!event) throw new Error(`each must be one of ${eventNames.join(', ')}`);
      return event;
    });
    if (names.length === 0) throw new Error('it must name one at least');
    return names;
  }),
  url: {
    ...key('URL', '', 'Where to post to; http or https, with user and password if they are needed.', (text) => {
      const url = urlOf(text, ['http:', 'https:'], 'https://host/path');
      if (url.hash !== '') throw new Error('it must have no part behind a #');
      return url;
    }),
    ...overHttp,
    required: true,
    secret: true,
  },
  secret: {
    ...key('TEXT', '', 'What deliveries are signed with; 16 characters or more.', (text) => {
      if (text.length < 16) throw new Error('it must have 16 characters or more');
      return text;
    }),
    kinds: ['webhook'],
    required: true,
    secret: true,
  },
  text: {
    ...key(
      'TEXT',
      '{level}: {title} ({owner}, {logbooks}) {link}',
      'The line for a change, with {title}, {owner}, {level}, {logbooks}, {tags}, {id}, {kind} and {link}; a link needs publicUrl.',
      (text) => text,
    ),
    kinds: ['chat'],
  },
  allowAddresses: {
    ...key(
      'ADDRESSES',
      '',
      'Addresses and networks (10.1.0.0/16) that it may be at though they are not public, comma separated.',
      (text) => itemsOf(text).map(checkNetwork),
    ),
    ...overHttp,
  },
  allowPrivateAddresses: {
    ...key(
      'true|false',
      'false',
      'Whether it may be at any address of private networks and of this machine.',
      (text) => {
        if (!/^(true|false)$/i.test(text)) throw new Error('it must be true or false');
        return text.toLowerCase() === 'true';
      },
    ),
    ...overHttp,
  },
  to: {
    ...key('ADDRESSES', '', 'Who gets the mails, comma separated.', (text) => itemsOf(text).map(checkMailbox)),
    ...byMail,
    required: true,
  },
  smtpUrl: {
    ...key(
      'URL',
      '',
      'The mail server, smtp://user:password@host:587 or smtps://…:465. smtp turns to TLS where that is offered; a password goes over TLS alone, but for this machine.',
      (text) => {
        const url = urlOf(text, ['smtp:', 'smtps:'], 'smtp://host:port or smtps://host:port');
        if (!/^\/?$/.test(url.pathname) || url.search + url.hash !== '') {
          throw new Error('it must end after host and port');
        }
        return url;
      },
    ),
    ...byMail,
    required: true,
    secret: true,
  },
  smtpFrom: {
    ...key('ADDRESS', '', 'Sender of the mails, such as logbook@example.org.', checkMailbox),
    ...byMail,
    required: true,
  },
  batchWindowSeconds: {
    ...seconds('1', 'For so long after the first change, others go with it.', { from: 0, to: 3_600 }),
    emailDefaultText: '10',
  },
  timeoutSeconds: seconds('10', 'So long an attempt may take; for e-mail, each step of it.', { from: 0.1, to: 60 }),
  initialRetryDelaySeconds: seconds('1', 'Wait before the second attempt; it doubles with each one.', {
    from: 0.01,
    to: 3_600,
  }),
  maxRetryDelaySeconds: seconds('600', 'The longest wait.', { from: 0.01, to: 86_400 }),
  maxDeliveryAgeSeconds: seconds('86400', 'What fails for so long becomes a dead letter, and the next is delivered.', {
    from: 0,
    to: 31_536_000,
  }),
} as const satisfies Record<string, SubscriberKey<unknown>>;

export type SubscriberKeyName = keyof typeof subscriberKeys;
export const subscriberKeyNames = Object.keys(subscriberKeys) as SubscriberKeyName[];

type Values = { readonly [K in SubscriberKeyName]: ReturnType<(typeof subscriberKeys)[K]['parse']> };
type OfEvery =
  | 'search'
  | 'events'
  | 'batchWindowSeconds'
  | 'timeoutSeconds'
  | 'initialRetryDelaySeconds'
  | 'maxRetryDelaySeconds'
  | 'maxDeliveryAgeSeconds';
type OverHttp = 'url' | 'allowAddresses' | 'allowPrivateAddresses';

/** A subscriber as it is configured. */
export type SubscriberSetting = { readonly name: string } & Pick<Values, OfEvery> &
  (
    | ({ readonly kind: 'webhook' } & Pick<Values, OverHttp | 'secret'>)
    | ({ readonly kind: 'chat' } & Pick<Values, OverHttp | 'text'>)
    | ({ readonly kind: 'email' } & Pick<Values, 'to' | 'smtpUrl' | 'smtpFrom'>)
  );

/** What a subscriber of that kind has when the key is absent. */
export function defaultTextOf(name: SubscriberKeyName, kind: SubscriberKind): string {
  const { defaultText, emailDefaultText }: SubscriberKey<unknown> = subscriberKeys[name];
  return kind === 'email' ? (emailDefaultText ?? defaultText) : defaultText;
}

function key<T>(
  placeholder: string,
  defaultText: string,
  description: string,
  parse: (text: string) => T,
): SubscriberKey<T> {
  return { placeholder, defaultText, description, parse: (text) => parse(text.trim()) };
}

function seconds(defaultText: string, description: string, { from, to }: { from: number; to: number }) {
  return key('SECONDS', defaultText, description, (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= from && value <= to)) throw new Error(`it must be a number of seconds from ${from} to ${to}`);
    return value;
  });
}

/** The keys of the search that say which entries are meant. One that is mistyped would mean all of them. */
const searchKeys = new Set(
  'title text desc description phrase query attachmenttext owner level logbooks tags properties attachments fuzzy start end includeevents tz'.split(
    ' ',
  ),
);

function parseSearch(text: string): Record<string, string[]> {
  const params: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (!searchKeys.has(name.trim().toLowerCase())) {
      throw new Error(`“${name}” is no key by which entries are chosen; they are ${[...searchKeys].join(', ')}`);
    }
    params[name] = [...(params[name] ?? []), value];
  }
  // Times such as “2 hours ago” are read anew each time; here it matters only whether they can be.
  parseQuery(params, { nowMs: Date.now(), zone: 'UTC' });
  return params;
}

function itemsOf(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

function urlOf(text: string, protocols: readonly string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol) || url.hostname === '') throw new Error(`it must look like ${example}`);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw new Error('a % in user or password must be written as %25');
  }
  return url;
}

function checkNetwork(text: string): string {
  const [host = '', bits, more] = text.split('/');
  const family = isIP(host);
  const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  if (family === 0 || host.includes('%') || more !== undefined || !isNetwork) {
    throw new Error('each must be an IP address such as 10.1.2.3, or a network such as 10.1.0.0/16');
  }
  return text;
}

function checkMailbox(text: string): string {
  if (!/^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/.test(text) || /\p{Cc}/u.test(text)) {
    throw new Error('it must be an address such as shift@example.org');
  }
  return text;
}
