import { ResultCodeError } from 'ldapts';
import { referralCode } from './referrals.js';

/** Returns fields for the log: the result code of the server and its name in RFC 4511, if a server has responded. */
export function describeError(error: unknown): { readonly resultCode?: number; readonly result?: string } {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AggregateError) return describeError(cause.errors[0]);
    if (cause instanceof ResultCodeError) {
      if (cause.code === referralCode) return { resultCode: referralCode, result: 'referral' };
      const name = cause.name.replace(/Error$/, '');
      return { resultCode: cause.code, result: `${name.charAt(0).toLowerCase()}${name.slice(1)}` };
    }
  }
  return {};
}
