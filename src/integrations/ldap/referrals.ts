import { quoted } from '../../kernel/fault.js';
import type { Log } from '../../kernel/log.js';

/** Result code of a server that does not have the entry but refers to another server. */
export const referralCode = 10;

/** A part of a directory that a server does not have. */
export interface Referral {
  /** The DN that was searched or bound. */
  readonly base: string;
  /** URL of the server with that part; undefined when the server has nothing at the DN and names no other. */
  readonly url: string | undefined;
}

/** Callback for each part of the directory that is missing in a response. */
export type NoteReferral = (referral: Referral) => void;

/** Maximum number of logged causes, because a server could name any number of them. */
const maxLogged = 100;
const maxUrlLength = 300;

/** Logs each missing part of a directory, once while the service runs. */
export class ReferralLog {
  private readonly logged = new Set<string>();

  constructor(private readonly log: Log) {}

  readonly note: NoteReferral = ({ base, url }) => {
    const cause = url === undefined ? base : targetOf(url);
    const key = `${url === undefined} ${cause.toLowerCase()}`;
    if (this.logged.size >= maxLogged || this.logged.has(key)) return;
    this.logged.add(key);
    const referral = { base, referral: url === undefined ? undefined : quoted(cause, maxUrlLength) };
    if (url === undefined) {
      this.log.warn(
        { ...referral, advice: adviceForBase },
        'LDAP server does not have the DN, and refers to another server',
      );
    } else if (holdsNoAccounts(url)) {
      this.log.info(referral, 'LDAP referral to a partition without users and groups is not followed');
    } else {
      this.log.warn(
        { ...referral, advice: adviceForPart },
        'LDAP referral is not followed: users and groups there are not found',
      );
    }
    if (this.logged.size === maxLogged)
      this.log.warn({ referrals: maxLogged }, 'further LDAP referrals are not logged');
  };
}

const globalCatalogue =
  'In Active Directory, use the global catalogue of a domain controller (port 3268, or 3269 with ldaps) to find the users of all domains.';
const adviceForBase = `Correct the base DN, or configure the URL of the server that has it. ${globalCatalogue}`;
const adviceForPart = `Users there cannot sign in, and groups there give no rights. To include them, configure the server that has them, or one with a copy of the whole directory. ${globalCatalogue}`;

/** Describes a part that a search leaves out; undefined for one without users or groups. */
export function describeMissingPart({ url }: Referral): string | undefined {
  if (url === undefined || holdsNoAccounts(url)) return undefined;
  return `refers to ${targetOf(url).slice(0, maxUrlLength)}, which is not followed. ${adviceForPart}`;
}

/** Describes a DN that the server does not have. */
export function describeMissingBase(): string {
  return `is not on this server, which refers to another one. ${adviceForBase}`;
}

/** Returns the server and DN of an LDAP URL, without the attributes and scope, which depend on the search. */
function targetOf(url: string): string {
  return url.replace(/\?.*$/s, '');
}

/** True for the partitions of Active Directory that contain its settings and DNS zones. */
function holdsNoAccounts(url: string): boolean {
  return /^ldaps?:\/\/[^/]*\/(CN=Configuration|DC=(Domain|Forest)DnsZones)(,|%2c)/i.test(url);
}

/** Returns the DN above an entry, which is the same for neighbouring entries that are missing for the same reason. */
export function parentOf(dn: string): string {
  const [, parent = dn] = /^(?:\\.|[^\\,])*,(.+)$/s.exec(dn) ?? [];
  return parent;
}
