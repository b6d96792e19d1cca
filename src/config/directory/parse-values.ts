import { checkFile, readCaFile } from '../file-path.js';

/** Parsers of the directory keys. Each throws an Error that says what the text must look like. */

export interface ServerAddresses {
  /** Scheme, host and port of each server. */
  readonly urls: readonly string[];
  /** Base DN from the path of the URLs; undefined when no URL has a path. */
  readonly baseDn: string | undefined;
}

export function parseUrls(text: string): ServerAddresses {
  const parts = text.split(/[\s,]+(?=ldaps?:)|\s+/i).filter((part) => part !== '');
  const addresses = parts.map(parseUrl);
  const bases = new Set(addresses.map(({ base }) => base).filter((base) => base !== undefined));
  if (bases.size > 1) throw new Error('all URLs must end with the same base DN');
  return { urls: addresses.map(({ url }) => url), baseDn: [...bases][0] };
}

function parseUrl(text: string): { url: string; base: string | undefined } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isLdap = url !== undefined && /^ldaps?:$/.test(url.protocol) && url.hostname !== '';
  if (!isLdap || url.username !== '' || url.search !== '' || url.hash !== '') {
    throw new Error('each URL must look like ldap://host[:port][/base] or ldaps://host[:port][/base]');
  }
  return { url: `${url.protocol}//${url.host}`, base: parseDn(decoded(url.pathname.slice(1))) };
}

function decoded(base: string): string {
  try {
    return decodeURIComponent(base);
  } catch {
    throw new Error('a % in the base DN must be written as %25');
  }
}

export function parseDn(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^\s*[\w.-]+\s*=/.test(text)) throw new Error('it must be a DN such as ou=people,dc=example,dc=org');
  return text;
}

export function parseUserDnPattern(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^\s*[\w.-]+\s*=[^=]*\{0\}/.test(text)) {
    throw new Error('it must be a DN whose first value contains {0}, the user name, such as uid={0},ou=people');
  }
  return text;
}

export function parseUserFilter(text: string): string | undefined {
  if (text === '') return undefined;
  if (!text.includes('{0}')) throw new Error('it must contain {0} for the user name');
  return parseFilter(text);
}

export function parseGroupFilter(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/\{[01]\}/.test(text)) {
    throw new Error('it must contain {0} for the DN of the user, or {1} for the user name');
  }
  return parseFilter(text);
}

function parseFilter(text: string): string {
  const filter = text.startsWith('(') ? text : `(${text})`;
  let depth = 0;
  for (const [index, char] of [...filter].entries()) {
    if (char === '(') depth++;
    if (char === ')') depth--;
    if (depth < 0 || (depth === 0 && index < filter.length - 1)) throw new Error('its parentheses do not match');
  }
  if (depth !== 0) throw new Error('its parentheses do not match');
  if (!filter.includes('=')) throw new Error('it must be a filter such as (uid={0})');
  return filter;
}

/** Reads the certificates of a PEM file; undefined when no file is named. */
export function parseCaFile(file: string): string | undefined {
  return file === '' ? undefined : readCaFile(file);
}

/** Checks that the file can be read. The embedded directory checks the content when it starts. */
export function parseLdifFile(file: string): string | undefined {
  return file === '' ? undefined : checkFile(file);
}

export function parseAttribute(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^[a-z][\w-]*$/i.test(text)) throw new Error('it must be the name of an attribute, such as uid');
  return text;
}

export function parseFlag(text: string): boolean {
  if (!/^(true|false|on|off|yes|no)$/i.test(text)) throw new Error('it must be true or false');
  return /^(true|on|yes)$/i.test(text);
}

const msPerUnit: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000 };

export function parseTimeout(text: string): number {
  const [, number, unit = ''] = /^(\d+) ?(ms|s|m)$/.exec(text) ?? [];
  const ms = Number(number) * (msPerUnit[unit] ?? Number.NaN);
  if (!(ms > 0 && ms <= 600_000)) throw new Error('it must be a time such as 5s, at most 10m');
  return ms;
}

export function parsePort(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535) throw new Error('it must be a number from 0 to 65535');
  return Number(text);
}

export function parseDomain(text: string): string | undefined {
  if (text === '') return undefined;
  if (!/^[\w-]+(\.[\w-]+)*$/.test(text)) throw new Error('it must look like example.org');
  return text;
}

export function parseText(text: string): string | undefined {
  return text === '' ? undefined : text;
}
