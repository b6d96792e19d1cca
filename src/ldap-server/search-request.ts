import { Ber } from 'ldapts';
import { type AttributeName, covers, parseAttributeName } from './attribute-name.js';
import { Elements, MalformedMessage } from './ber-reader.js';
import type { Attribute, Entry } from './directory.js';
import { type DistinguishedName, parseName } from './distinguished-name.js';
import { type Filter, readFilter } from './filter.js';
import type { RequestControl } from './message.js';
import { Refusal, resultCode } from './result.js';

const scopes = ['base', 'one', 'subtree', 'below'] as const;
const maxSelected = 1_000;

export interface SearchRequest {
  readonly base: DistinguishedName;
  readonly scope: (typeof scopes)[number];
  /** 0 for none. */
  readonly sizeLimit: number;
  /** 0 for none. */
  readonly timeLimitSeconds: number;
  readonly namesOnly: boolean;
  readonly filter: Filter;
  readonly selection: Selection;
}

/** Which attributes are returned. */
export interface Selection {
  readonly allOfUsers: boolean;
  readonly allOperational: boolean;
  readonly names: readonly AttributeName[];
}

export function readSearchRequest(elements: Elements): SearchRequest {
  const base = readName(elements.text());
  const scope = scopes[elements.integer(Ber.Enumeration)];
  const dereferencing = elements.integer(Ber.Enumeration);
  const sizeLimit = elements.integer();
  const timeLimitSeconds = elements.integer();
  if (scope === undefined || dereferencing < 0 || dereferencing > 3 || sizeLimit < 0 || timeLimitSeconds < 0) {
    throw new MalformedMessage('the search has a scope or a limit that there is not');
  }
  return {
    base,
    scope,
    sizeLimit,
    timeLimitSeconds,
    namesOnly: elements.boolean(),
    filter: readFilter(elements),
    selection: readSelection(elements.within()),
  };
}

/** @throws Refusal invalidDnSyntax */
export function readName(text: string): DistinguishedName {
  try {
    return parseName(text);
  } catch (error) {
    throw new Refusal(resultCode.invalidDnSyntax, (error as Error).message);
  }
}

function readSelection(elements: Elements): Selection {
  const asked: string[] = [];
  while (elements.tag !== undefined) {
    asked.push(elements.text());
    if (asked.length > maxSelected) {
      throw new Refusal(resultCode.adminLimitExceeded, 'The search names too many attributes.');
    }
  }
  const names = asked.map(parseAttributeName);
  return {
    allOfUsers: asked.length === 0 || asked.includes('*'),
    allOperational: asked.includes('+'),
    // `1.1` stands for none: no attribute has that name.
    names: names.filter((name) => name !== undefined),
  };
}

export function selectAttributes(entry: Pick<Entry, 'attributes'>, selection: Selection): Attribute[] {
  return entry.attributes.filter(
    (attribute) =>
      (attribute.isOperational ? selection.allOperational : selection.allOfUsers) ||
      selection.names.some((name) => covers(name, attribute.name)),
  );
}

/** How much of a result is asked for, and from where on. */
export interface Page {
  readonly size: number;
  readonly start: number;
}

/**
 * The cookie is the place of the next entry to look at: the directory never changes, so nothing is kept.
 * @throws MalformedMessage
 */
export function readPage(control: RequestControl | undefined): Page | undefined {
  if (!control) return undefined;
  const elements = new Elements(control.value).within();
  const size = elements.integer();
  const cookie = elements.bytes();
  if (size < 0 || (cookie.length !== 0 && cookie.length !== 4)) {
    throw new MalformedMessage('the page has no such size, or its cookie is none of this directory');
  }
  return { size, start: cookie.length === 0 ? 0 : cookie.readUInt32BE() };
}

export function writeCookie(place: number | undefined): Buffer {
  const cookie = Buffer.alloc(place === undefined ? 0 : 4);
  if (place !== undefined) cookie.writeUInt32BE(place);
  return cookie;
}
