import { caFile, list, optional, setting } from './setting-types.js';
import { checkNetwork, subscriberKeys } from './subscribers/subscriber-keys.js';

/** Settings for messages to users in a chat. */
export const chatSettings = {
  chatUrl: {
    ...optional(
      'URL',
      'Incoming webhook of the chat, Mattermost or compatible, that posts messages to users about items in their inbox. Create it with a service account, and do not lock it to a channel. Empty: users cannot choose messages in the chat.',
      subscriberKeys.url.parse,
    ),
    secret: true,
  },
  chatRecipient: setting(
    'TEMPLATE',
    '@{userName}',
    'With chatUrl: name of a user in the chat. {userName} is the user name in the logbook, which must be the same person in the chat.',
    parseRecipient,
  ),
  chatAllowAddresses: list(
    'ADDRESSES',
    '',
    'With chatUrl: non-public addresses and networks (10.1.0.0/16) where the chat server may be.',
    checkNetwork,
  ),
  chatCaFile: caFile('With chatUrl: PEM file with the CAs to trust. Empty: the public CAs.'),
} as const;

/** Options for sending messages to users in a chat. */
export interface ChatOptions {
  readonly url: URL;
  /** Template of the recipient, with `{userName}`. */
  readonly recipient: string;
  readonly allowAddresses: readonly string[];
  readonly caCertificates: string | undefined;
}

type Values = { readonly [K in keyof typeof chatSettings]: ReturnType<(typeof chatSettings)[K]['parse']> };

/** Returns undefined when no chat is configured, so that users cannot choose such messages. */
export function toChatOptions(values: Values): ChatOptions | undefined {
  const { chatUrl: url, chatRecipient: recipient, chatAllowAddresses: allowAddresses, chatCaFile } = values;
  return url && { url, recipient, allowAddresses, caCertificates: chatCaFile?.pem };
}

export function checkChatSettings(isSet: (name: keyof Values) => boolean): string[] {
  if (isSet('chatUrl')) return [];
  return (['chatRecipient', 'chatAllowAddresses', 'chatCaFile'] as const)
    .filter(isSet)
    .map((name) => `${name} has no effect without chatUrl: set chatUrl, or remove ${name}`);
}

/**
 * Refuses a recipient without the user name, who would be the same for all users, or without @, which could be a
 * channel.
 */
function parseRecipient(value: string): string {
  if (/^@.*\{userName\}/.test(value)) return value;
  throw new Error('it must begin with @ and contain {userName}, such as @{userName}');
}
