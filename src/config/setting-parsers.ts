import { isIP } from 'node:net';
import { Temporal } from 'temporal-polyfill';
import { type SchemeName, schemeNames } from './directory/schemes.js';
import { suggestName } from './suggest-name.js';

/** Parsers of single settings. Each throws an Error that describes the expected text. */

export function parseRootPath(value: string): string {
  if (!/^(\/[\w~-][\w.~-]*)+\/?$/.test(value)) throw new Error('it must look like /logbook');
  if (
    /^\/(healthz|readyz|metrics|mcp|swagger-ui|openapi\.json|\w+\.html|assets|entries|write|new|at|devices|drafts|saved|inbox|hand-over|wall|sign-in|administration|look-after)(\/|$)/.test(
      value,
    )
  ) {
    throw new Error('the service uses this path for something else');
  }
  return value.replace(/\/$/, '');
}

export function parsePublicUrl(value: string): string {
  if (!/^https?:\/\/[^\s/?#@\\]+\/?$/i.test(value) || !URL.canParse(value)) {
    throw new Error('it must look like https://host[:port]');
  }
  return new URL(value).origin;
}

export function parseOrigin(origin: string): string {
  if (!/^https?:\/\/[^\s/,*]+$/.test(origin)) {
    throw new Error('each must look like https://host[:port], without a path');
  }
  return origin;
}

export function parseProxy(address: string): string {
  const [host = '', bits, more] = address.split('/');
  const family = isIP(host);
  const maxBits = family === 4 ? 32 : 128;
  const isNetwork = bits === undefined || (/^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= maxBits);
  if (family === 0 || more !== undefined || !isNetwork) {
    throw new Error('each must be an IP address such as 127.0.0.1, or a network such as 10.0.0.0/8');
  }
  return address;
}

/** Parses the name of a provider, ignoring case and punctuation. */
export function parseScheme(scheme: string): SchemeName {
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const known = schemeNames.find((name) => plain(name) === plain(scheme));
  if (known !== undefined) return known;
  const nearest = suggestName(scheme, schemeNames);
  throw new Error(
    `${scheme} is not a provider; ${nearest === undefined ? `use ${schemeNames.join(', ')}` : `did you mean ${nearest}?`}`,
  );
}

export function parsePermissions(value: string): 'signed-in' | 'roles' {
  if (value !== 'signed-in' && value !== 'roles') throw new Error('it must be signed-in or roles');
  return value;
}

export function parseSameSite(value: string): 'lax' | 'none' {
  const mode = value.toLowerCase();
  if (mode !== 'lax' && mode !== 'none') throw new Error('it must be lax or none');
  return mode;
}

export function parseIssuer(value: string): string {
  if (!URL.canParse(value)) throw new Error('it must look like https://host/path');
  const { protocol, hostname, pathname, search, hash, username } = new URL(value);
  if (protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) {
    throw new Error('it must begin with https://: over plain HTTP, an eavesdropper could sign in as any user');
  }
  if (!/^https?:$/.test(protocol) || search + hash + username !== '') {
    throw new Error('it must look like https://host/path');
  }
  if (pathname.includes('/.well-known/')) throw new Error('it must end before /.well-known/');
  return value;
}

export function parseScopes(value: string): string {
  const scopes = value.split(/\s+/);
  if (!scopes.includes('openid')) throw new Error('openid must be one of them');
  return scopes.join(' ');
}

/** Parses a time zone. An empty text means the zone of the machine. */
export function parseTimeZone(value: string): string {
  try {
    return value === '' ? Temporal.Now.timeZoneId() : Temporal.Now.zonedDateTimeISO(value).timeZoneId;
  } catch {
    throw new Error('it must be a name from the IANA list, such as Europe/Berlin');
  }
}

/** Start of a shift in the time zone of the service. The shift ends when the next one begins. */
export interface Shift {
  readonly name: string;
  /** Start of the shift, such as `07:00`. */
  readonly start: string;
}

export function parseShift(value: string): Shift {
  const [, name, hour = '', minute = ''] = /^(\S.*?)\s+(\d{1,2}):(\d{2})$/.exec(value) ?? [];
  if (name === undefined || Number(hour) > 23 || Number(minute) > 59) {
    throw new Error('each must be a name and the time when the shift begins, such as Night 23:00');
  }
  return { name, start: `${hour.padStart(2, '0')}:${minute}` };
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof logLevels)[number];

export function parseLogLevel(value: string): LogLevel {
  const level = logLevels.find((name) => name === value);
  if (level === undefined) throw new Error('it must be debug, info, warn or error');
  return level;
}

export function parseSearchThreads(value: string): number {
  if (!/^\d{1,2}$/.test(value) || Number(value) < 2 || Number(value) > 16) {
    throw new Error('it must be a whole number from 2 to 16');
  }
  return Number(value);
}

export function parseHostName(name: string): string {
  const url = URL.canParse(`http://${name}`) ? new URL(`http://${name}`) : undefined;
  if (!url || url.host !== url.hostname || url.pathname !== '/' || url.username !== '') {
    throw new Error('each must be a host name such as log.example.org, without a port');
  }
  return url.hostname;
}

/** Returns a parser of server URLs, which have no path. */
export function parseServerUrl(example: string): (value: string) => string {
  return (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isPlain = url?.pathname === '/' && url.username === '' && url.search === '' && url.hash === '';
    if (!url || !isPlain || !/^https?:$/.test(url.protocol)) {
      throw new Error(`each must be a URL without a path, such as ${example}`);
    }
    return url.origin;
  };
}
