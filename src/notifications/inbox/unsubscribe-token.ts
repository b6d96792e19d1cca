import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AccountKey } from '../../auth/accounts.js';

/** Returns a token that allows its bearer to turn off the mails to the user, and nothing else. */
export function unsubscribeToken(secret: string, { scheme, userName }: AccountKey): string {
  const subject = Buffer.from(JSON.stringify([scheme, userName])).toString('base64url');
  return `${subject}.${sign(secret, subject)}`;
}

/** Returns the user of the token; undefined when it is not a token of this logbook. */
export function readUnsubscribeToken(secret: string, token: string): AccountKey | undefined {
  const [subject = '', signature = ''] = token.split('.');
  const [sent, expected] = [Buffer.from(signature), Buffer.from(sign(secret, subject))];
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) return undefined;
  const [scheme, userName] = JSON.parse(Buffer.from(subject, 'base64url').toString()) as [string, string];
  return { scheme, userName };
}

function sign(secret: string, subject: string): string {
  return createHmac('sha256', secret).update(`unsubscribe ${subject}`).digest('base64url');
}
