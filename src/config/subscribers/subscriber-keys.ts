import { isIP } from 'node:net';
import { isMailAddress } from '../../kernel/mail-address.js';
import { parseQuery } from '../../search/parse-query.js';
import { selectingParameters } from '../../search/value-filters.js';
import { readCaFile } from '../file-path.js';
import type { Setting } from '../setting.js';
import { splitList } from '../setting-types.js';

export const subscriberKinds = ['webhook', 'email', 'chat'] as const;
export type SubscriberKind = (typeof subscriberKinds)[number];

const eventNames = ['created', 'edited', 'annotated'] as const;

export interface SubscriberKey<T> extends Setting<T> {
  /** Kinds of subscribers that have the key; all kinds if absent. */
  readonly kinds?: readonly SubscriberKind[];
  readonly required?: true;
  /** Default for an e-mail subscriber, when it differs. */
  readonly emailDefaultText?: string;
}

const overHttp = { kinds: ['webhook', 'chat'] } as const;
const byEmail = { kinds: ['email'] } as const;

export const subscriberKeys = {
  kind: {
    ...key(subscriberKinds.join('|'), '', 'How changes are delivered.', (text) => {
      const kind = subscriberKinds.find((one) => one === text);
      if (!kind) throw new Error(`it must be one of ${subscriberKinds.join(', ')}`);
      return kind;
    }),
    required: true,
  },
  search: key(
    'QUERY',
    '',
    'Search that selects the entries, written as a query string: level=Problem&logbooks=operations. Empty: all entries of all logbooks.',
    parseSearch,
  ),
  events: key(
    'EVENTS',
    'created',
    `Kinds of changes to deliver, comma-separated: ${eventNames.join(', ')}.`,
    (text) => {
      const names = splitList(text).map((name) => {
        const event = eventNames.find((one) => one === name);
        if (!event) throw new Error(`each must be one of ${eventNames.join(', ')}`);
        return event;
      });
      if (names.length === 0) throw new Error('it must name at least one');
      return names;
    },
  ),
  url: {
    ...key('URL', '', 'URL to post to; http or https, with user and password if required.', (text) => {
      const url = parseUrl(text, ['http:', 'https:'], 'https://host/path');
      if (url.hash !== '') throw new Error('it must not contain a fragment (#…)');
      return url;
    }),
    ...overHttp,
    required: true,
    secret: true,
  },
  secret: {
    ...key('TEXT', '', 'Secret that deliveries are signed with; at least 16 characters.', (text) => {
      if (text.length < 16) throw new Error('it must have at least 16 characters');
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
      'Template of the line for a change, with {title}, {owner}, {level}, {logbooks}, {tags}, {id}, {kind} and {link} (requires publicUrl).',
      (text) => text,
    ),
    kinds: ['chat'],
  },
  allowAddresses: {
    ...key(
      'ADDRESSES',
      '',
      'Non-public addresses and networks (10.1.0.0/16) that deliveries may be sent to; comma-separated.',
      (text) => splitList(text).map(checkNetwork),
    ),
    ...overHttp,
  },
  allowPrivateAddresses: {
    ...key(
      'true|false',
      'false',
      'Whether deliveries may be sent to any address in private networks and on this machine.',
      (text) => {
        if (!/^(true|false)$/i.test(text)) throw new Error('it must be true or false');
        return text.toLowerCase() === 'true';
      },
    ),
    ...overHttp,
  },
  to: {
    ...key('ADDRESSES', '', 'Recipients of the e-mails; comma-separated.', (text) => splitList(text).map(checkMailbox)),
    ...byEmail,
    required: true,
  },
  smtpUrl: {
    ...key('URL', '', 'Mail server, smtp://user:password@host:587 or smtps://…:465.', (text) => {
      const url = parseUrl(text, ['smtp:', 'smtps:'], 'smtp://host:port or smtps://host:port');
      if (!/^\/?$/.test(url.pathname) || url.search + url.hash !== '') {
        throw new Error('it must end after host and port');
      }
      return url;
    }),
    ...byEmail,
    required: true,
    secret: true,
  },
  smtpFrom: {
    ...key(
      'ADDRESS',
      '',
      'Sender address of the e-mails, such as logbook@example.org or Logbook <logbook@example.org>.',
      parseSender,
    ),
    ...byEmail,
    required: true,
  },
  caFile: {
    ...key(
      'FILE',
      '',
      'PEM file with the CAs to trust at the url or the mail server. Empty: the public CAs.',
      (file) => (file === '' ? undefined : readCaFile(file)),
    ),
    isFile: true,
  },
  batchWindowSeconds: {
    ...seconds('1', 'How long to wait after a change for further changes to deliver with it.', { from: 0, to: 3_600 }),
    emailDefaultText: '10',
    formerNames: ['batchSeconds'],
  },
  timeoutSeconds: seconds('10', 'How long an attempt may take; for e-mail, each step of it.', { from: 0.1, to: 60 }),
  initialRetryDelaySeconds: {
    ...seconds('1', 'Delay before the second attempt; it doubles with each further attempt.', {
      from: 0.01,
      to: 3_600,
    }),
    formerNames: ['retrySeconds'],
  },
  maxRetryDelaySeconds: {
    ...seconds('600', 'Maximum delay between attempts.', { from: 0.01, to: 86_400 }),
    formerNames: ['maxRetrySeconds'],
  },
  maxDeliveryAgeSeconds: {
    ...seconds('86400', 'How long a failing delivery is retried before it becomes a dead letter.', {
      from: 0,
      to: 31_536_000,
    }),
    formerNames: ['giveUpSeconds'],
  },
} as const satisfies Record<string, SubscriberKey<unknown>>;

export type SubscriberKeyName = keyof typeof subscriberKeys;
export const subscriberKeyNames = Object.keys(subscriberKeys) as SubscriberKeyName[];

type Values = { readonly [K in SubscriberKeyName]: ReturnType<(typeof subscriberKeys)[K]['parse']> };
type KeysOf<K extends SubscriberKind> = Exclude<
  {
    [N in SubscriberKeyName]: (typeof subscriberKeys)[N] extends { readonly kinds: readonly (infer Kind)[] }
      ? K extends Kind
        ? N
        : never
      : N;
  }[SubscriberKeyName],
  'kind'
>;

/** Configuration of a subscriber of any kind, with the keys that `kinds` gives to that kind. */
export type SubscriberSetting = {
  [K in SubscriberKind]: { readonly name: string; readonly kind: K } & Pick<Values, KeysOf<K>>;
}[SubscriberKind];

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

function parseSearch(text: string): Record<string, string[]> {
  const params: Record<string, string[]> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    if (!selectingParameters.has(name.trim().toLowerCase())) {
      throw new Error(`“${name}” does not select entries; use ${[...selectingParameters].join(', ')}`);
    }
    params[name] = [...(params[name] ?? []), value];
  }
  // The query is only checked here, because times such as “2 hours ago” are parsed anew for each delivery.
  parseQuery(params, { nowMs: Date.now(), zone: 'UTC' });
  return params;
}

function parseUrl(text: string, protocols: readonly string[], example: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol) || url.hostname === '') throw new Error(`it must look like ${example}`);
  try {
    decodeURIComponent(url.username + url.password);
  } catch {
    throw new Error('a % in the user name or password must be written as %25');
  }
  return url;
}

/** @throws Error that describes the expected value */
export function checkNetwork(text: string): string {
  const [host = '', bits, more] = text.split('/');
  const family = isIP(host);
  const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  if (family === 0 || host.includes('%') || more !== undefined || !isNetwork) {
    throw new Error('each must be an IP address such as 10.1.2.3, or a network such as 10.1.0.0/16');
  }
  return text;
}

/** Returns the address, preceded by the quoted display name if there is one. */
function parseSender(text: string): string {
  const [, quotedName, plainName = '', address] = /^(?:"([^"]*)"|([^"<>]*?))\s*<([^<>]*)>$/.exec(text) ?? [];
  if (address === undefined) return checkMailbox(text);
  const name = quotedName ?? plainName;
  if (/[\\\p{Cc}]/u.test(name)) throw new Error('the name before the address must not contain \\ or a line break');
  return name === '' ? checkMailbox(address) : `"${name}" <${checkMailbox(address)}>`;
}

function checkMailbox(text: string): string {
  if (!isMailAddress(text)) throw new Error('it must be an address such as shift@example.org');
  return text;
}
