import { Ber } from 'ldapts';
import { type AttributeName, covers, parseAttributeName } from './attribute-name.js';
import { BerReader, MalformedMessage } from './ber-reader.js';
import type { Attribute, Entry } from './directory.js';
import { type DistinguishedName, parseName } from './distinguished-name.js';
import { type Filter, readFilter } from './filter.js';
import type { RequestControl } from './message.js';
import { LdapResultError, resultCode } from './result.js';

const scopes = ['base', 'one', 'subtree', 'children'] as const;
const maxRequestedAttributes = 1_000;

export interface SearchRequest {
  readonly base: DistinguishedName;
  readonly scope: (typeof scopes)[number];
  /** Maximum number of entries; 0 for no limit. */
  readonly sizeLimit: number;
  /** Maximum duration; 0 for no limit. */
  readonly timeLimitSeconds: number;
  readonly typesOnly: boolean;
  readonly filter: Filter;
  readonly selection: Selection;
}

/** The attributes to return. */
export interface Selection {
  readonly allUserAttributes: boolean;
  readonly allOperationalAttributes: boolean;
  readonly names: readonly AttributeName[];
}

/** @throws MalformedMessage; LdapResultError invalidDnSyntax, adminLimitExceeded */
export function readSearchRequest(reader: BerReader): SearchRequest {
  const base = parseDn(reader.readText());
  const scope = scopes[reader.readInteger(Ber.Enumeration)];
  const dereferencing = reader.readInteger(Ber.Enumeration);
  const sizeLimit = reader.readInteger();
  const timeLimitSeconds = reader.readInteger();
  if (scope === undefined || dereferencing < 0 || dereferencing > 3 || sizeLimit < 0 || timeLimitSeconds < 0) {
    throw new MalformedMessage('the scope or a limit of the search is out of range');
  }
  return {
    base,
    scope,
    sizeLimit,
    timeLimitSeconds,
    typesOnly: reader.readBoolean(),
    filter: readFilter(reader),
    selection: readSelection(reader.readConstructed()),
  };
}

/** @throws LdapResultError invalidDnSyntax */
export function parseDn(text: string): DistinguishedName {
  try {
    return parseName(text);
  } catch (error) {
    throw new LdapResultError(resultCode.invalidDnSyntax, (error as Error).message);
  }
}

function readSelection(reader: BerReader): Selection {
  const requested: string[] = [];
  while (reader.nextTag !== undefined) {
    requested.push(reader.readText());
    if (requested.length > maxRequestedAttributes) {
      throw new LdapResultError(resultCode.adminLimitExceeded, 'The search requests too many attributes.');
    }
  }
  return {
    allUserAttributes: requested.length === 0 || requested.includes('*'),
    allOperationalAttributes: requested.includes('+'),
    // `1.1` requests no attributes, which works because no attribute has that name.
    names: requested.map(parseAttributeName).filter((name) => name !== undefined),
  };
}

export function selectAttributes(entry: Entry, selection: Selection): Attribute[] {
  return entry.attributes.filter(
    (attribute) =>
      (attribute.isOperational ? selection.allOperationalAttributes : selection.allUserAttributes) ||
      selection.names.some((name) => covers(name, attribute.name)),
  );
}

/** A page of a paged search (RFC 2696). */
export interface Page {
  readonly size: number;
  /** Index of the first entry to examine. */
  readonly start: number;
}

/**
 * Reads the paged results control. Its cookie is the index of the next entry. The directory never changes, so the
 * server stores no state per search.
 * @throws MalformedMessage
 */
export function readPage(control: RequestControl | undefined): Page | undefined {
  if (!control) return undefined;
  const reader = new BerReader(control.value).readConstructed();
  const size = reader.readInteger();
  const cookie = reader.readBytes();
  if (size < 0 || (cookie.length !== 0 && cookie.length !== 4)) {
    throw new MalformedMessage('invalid page size or cookie');
  }
  return { size, start: cookie.length === 0 ? 0 : cookie.readUInt32BE() };
}

/** @param next undefined after the last page */
export function writeCookie(next: number | undefined): Buffer {
  const cookie = Buffer.alloc(next === undefined ? 0 : 4);
  if (next !== undefined) cookie.writeUInt32BE(next);
  return cookie;
}
