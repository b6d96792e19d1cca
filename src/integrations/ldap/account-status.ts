import type { Entry } from 'ldapts';
import { textsOf } from './ldap-values.js';

/** Attributes that say whether an account may sign in: of OpenLDAP, 389, eDirectory and Active Directory. */
export const statusAttributes = [
  'pwdAccountLockedTime',
  'nsAccountLock',
  'loginDisabled',
  'userAccountControl',
  'msDS-User-Account-Control-Computed',
  'accountExpires',
];

/** The time by which OpenLDAP marks an account that an administrator has locked. */
const lockedByAdministrator = '000001010000Z';
const disabledFlag = 0x2;
const lockedFlag = 0x10;
/** Start of the times of Active Directory, the year 1601, in milliseconds since the epoch. */
const windowsEpochMs = -11_644_473_600_000;
const neverExpires = 0x7fff_ffff_ffff_ffffn;

/** Whether the directory would refuse even the right password, because the account is disabled, expired or locked. */
export function isClosed(entry: Entry, nowMs: number): boolean {
  const text = (attribute: string) => textsOf(entry, attribute)[0] ?? '';
  const flags = Number(text('userAccountControl')) | Number(text('msDS-User-Account-Control-Computed'));
  return (
    text('pwdAccountLockedTime') === lockedByAdministrator ||
    [text('nsAccountLock'), text('loginDisabled')].some((value) => value.toLowerCase() === 'true') ||
    (flags & (disabledFlag | lockedFlag)) !== 0 ||
    hasExpired(text('accountExpires'), nowMs)
  );
}

/** @param fileTime time in units of 100 ns since 1601; 0 and the largest number mean never */
function hasExpired(fileTime: string, nowMs: number): boolean {
  if (!/^\d+$/.test(fileTime)) return false;
  const time = BigInt(fileTime);
  return time !== 0n && time < neverExpires && Number(time / 10_000n) + windowsEpochMs <= nowMs;
}
