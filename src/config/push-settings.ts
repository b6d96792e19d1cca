import { caFile, list, optional } from './setting-types.js';
import { checkNetwork } from './subscribers/subscriber-keys.js';

/** Settings for notifications in browsers (Web Push). */
export const pushSettings = {
  pushContact: optional(
    'ADDRESS',
    'Address at which the operators of push services reach you, mailto:ops@example.org or https://…. Empty: users cannot choose notifications in their browsers.',
    parseContact,
  ),
  pushHosts: list(
    'HOSTS',
    'fcm.googleapis.com, *.push.services.mozilla.com, *.notify.windows.com, *.push.apple.com',
    'With pushContact: push services of browsers to which notifications may be sent; *. stands for all hosts below a domain.',
    parseHost,
  ),
  pushAllowAddresses: list(
    'ADDRESSES',
    '',
    'With pushContact: non-public addresses and networks (10.1.0.0/16) where push services may be.',
    checkNetwork,
  ),
  pushCaFile: caFile('With pushContact: PEM file with the CAs to trust. Empty: the public CAs.'),
} as const;

/** Options for sending notifications to browsers. */
export interface PushOptions {
  readonly contact: string;
  readonly hosts: readonly string[];
  readonly allowAddresses: readonly string[];
  readonly caCertificates: string | undefined;
}

type Values = { readonly [K in keyof typeof pushSettings]: ReturnType<(typeof pushSettings)[K]['parse']> };

/** Returns undefined when push is not configured, so that users cannot choose notifications. */
export function toPushOptions(values: Values): PushOptions | undefined {
  const { pushContact: contact, pushHosts: hosts, pushAllowAddresses: allowAddresses, pushCaFile } = values;
  return contact === undefined ? undefined : { contact, hosts, allowAddresses, caCertificates: pushCaFile?.pem };
}

export function checkPushSettings(isSet: (name: keyof Values) => boolean): string[] {
  if (isSet('pushContact')) return [];
  return (['pushHosts', 'pushAllowAddresses', 'pushCaFile'] as const)
    .filter(isSet)
    .map((name) => `${name} has no effect without pushContact: set pushContact, or remove ${name}`);
}

function parseContact(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url?.protocol === 'https:' || /^mailto:[^\s@]+@[^\s@]+$/.test(value)) return value;
  throw new Error('it must be an address such as mailto:ops@example.org or https://example.org/contact');
}

function parseHost(value: string): string {
  if (/^(\*\.)?[a-z0-9.-]+$/.test(value)) return value;
  throw new Error('each must be a host such as push.example.org, or *.example.org for all below it, in lower case');
}
