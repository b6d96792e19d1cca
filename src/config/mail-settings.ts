import { caFile, duration, optional } from './setting-types.js';
import { subscriberKeys } from './subscribers/subscriber-keys.js';

export const mailSettings = {
  smtpUrl: {
    ...optional(
      'URL',
      'Mail server for mails to users about items in their inbox, smtp://user:password@host:587 or smtps://…:465. Empty: users cannot choose mails. Requires publicUrl.',
      subscriberKeys.smtpUrl.parse,
    ),
    secret: true,
  },
  smtpFrom: optional(
    'ADDRESS',
    'With smtpUrl: sender address of these mails, such as logbook@example.org or Logbook <logbook@example.org>.',
    subscriberKeys.smtpFrom.parse,
  ),
  smtpBatchWindow: duration(
    '10s',
    'With smtpUrl: how long to wait after an inbox item for more items to send with it.',
    { zero: true },
  ),
  smtpCaFile: caFile('With smtpUrl: PEM file with the CAs to trust. Empty: the public CAs.'),
} as const;

/** Options for sending mails to users. */
export interface MailOptions {
  readonly url: URL;
  readonly from: string;
  readonly caCertificates: string | undefined;
  readonly batchWindowMs: number;
  /** URL of the service for its users, because each mail contains a link. */
  readonly publicUrl: string;
}

type Values = { readonly [K in keyof typeof mailSettings]: ReturnType<(typeof mailSettings)[K]['parse']> } & {
  readonly publicUrl: string | undefined;
};

/** Returns undefined when no mail server is configured, so that users cannot choose mails. */
export function toMailOptions(values: Values): MailOptions | undefined {
  const { smtpUrl: url, smtpFrom: from, smtpBatchWindow: batchWindowMs, publicUrl, smtpCaFile } = values;
  if (url === undefined || from === undefined || publicUrl === undefined) return undefined;
  return { url, from, publicUrl, batchWindowMs, caCertificates: smtpCaFile?.pem };
}

export function checkMailSettings(isSet: (name: keyof Values) => boolean): string[] {
  const problems: string[] = [];
  if (isSet('smtpUrl') !== isSet('smtpFrom'))
    problems.push('smtpUrl and smtpFrom belong together: set both or neither');
  if (isSet('smtpUrl') && !isSet('publicUrl')) {
    problems.push('publicUrl is missing: with smtpUrl, each mail has a link with which the user turns mails off');
  }
  if (isSet('smtpCaFile') && !isSet('smtpUrl')) {
    problems.push('smtpCaFile has no effect without smtpUrl: set both or neither');
  }
  return problems;
}
