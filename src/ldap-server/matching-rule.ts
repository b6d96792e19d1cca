import { isUtf8 } from 'node:buffer';
import { ignoringCase, respectingCase, withSingleSpaces } from './comparable-text.js';
import { keyOfName, parseName } from './distinguished-name.js';

/** How values of an attribute are compared: two that are equal have one key. */
export interface MatchingRule {
  /** Undefined when the value is none that the rule knows. */
  keyOf(value: Buffer): string | undefined;
  /** The key of a piece; absent when the rule cannot tell what begins or ends with another value. */
  readonly keyOfPiece?: (piece: Buffer) => string;
}

const caseIgnore: MatchingRule = {
  keyOf: (value) => ignoringCase(textOf(value)),
  keyOfPiece: (piece) => withSingleSpaces(withSingleSpaces(textOf(piece)).toLowerCase()),
};
const caseExact: MatchingRule = {
  keyOf: (value) => respectingCase(textOf(value)),
  keyOfPiece: (piece) => withSingleSpaces(textOf(piece)),
};
const telephone: MatchingRule = {
  keyOf: (value) => withoutSeparators(textOf(value)),
  keyOfPiece: (piece) => withoutSeparators(textOf(piece)),
};
const octets: MatchingRule = { keyOf: (value) => value.toString('latin1') };
const integer: MatchingRule = {
  keyOf(value) {
    const text = textOf(value).trim();
    return /^-?\d{1,40}$/.test(text) ? String(BigInt(text)) : undefined;
  },
};
const distinguishedName: MatchingRule = {
  keyOf(value) {
    try {
      return keyOfName(parseName(textOf(value)));
    } catch {
      return undefined;
    }
  },
};

const rulesOfTypes = new Map<string, MatchingRule>([
  ...['member', 'uniquemember', 'memberof', 'owner', 'seealso', 'manager', 'secretary', 'roleoccupant', 'entrydn'].map(
    (type) => [type, distinguishedName] as const,
  ),
  ...['creatorsname', 'modifiersname', 'distinguishedname', 'aliasedobjectname', 'associatedname'].map(
    (type) => [type, distinguishedName] as const,
  ),
  ...['memberuid', 'homedirectory', 'loginshell'].map((type) => [type, caseExact] as const),
  ...['telephonenumber', 'facsimiletelephonenumber', 'homephone', 'mobile', 'pager'].map(
    (type) => [type, telephone] as const,
  ),
  ...['uidnumber', 'gidnumber'].map((type) => [type, integer] as const),
]);

const rulesByName = new Map<string, MatchingRule>([
  ['caseignorematch', caseIgnore],
  ['2.5.13.2', caseIgnore],
  ['caseignoreia5match', caseIgnore],
  ['1.3.6.1.4.1.1466.109.114.2', caseIgnore],
  ['objectidentifiermatch', caseIgnore],
  ['2.5.13.0', caseIgnore],
  ['caseexactmatch', caseExact],
  ['2.5.13.5', caseExact],
  ['caseexactia5match', caseExact],
  ['1.3.6.1.4.1.1466.109.114.1', caseExact],
  ['distinguishednamematch', distinguishedName],
  ['2.5.13.1', distinguishedName],
  ['integermatch', integer],
  ['2.5.13.14', integer],
  ['octetstringmatch', octets],
  ['2.5.13.17', octets],
  ['telephonenumbermatch', telephone],
  ['2.5.13.20', telephone],
]);

/** There is no schema: what is not known here ignores the case, as nearly all attributes do. */
export function ruleOfType(type: string): MatchingRule {
  return rulesOfTypes.get(type) ?? caseIgnore;
}

export function findRule(nameOrOid: string): MatchingRule | undefined {
  return rulesByName.get(nameOrOid.toLowerCase());
}

/** Numbers by their value, all else by its characters. */
export function compareKeys(a: string, b: string): number {
  if (isNumber(a) && isNumber(b)) {
    const [first, second] = [BigInt(a), BigInt(b)];
    return first < second ? -1 : first > second ? 1 : 0;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}

function isNumber(key: string): boolean {
  return /^-?\d{1,40}$/.test(key);
}

/** Bytes that are no text stay apart from all texts. */
function textOf(value: Buffer): string {
  return isUtf8(value) ? value.toString() : `\0${value.toString('latin1')}`;
}

function withoutSeparators(text: string): string {
  return text.replace(/[\s-]+/gu, '').toLowerCase();
}
