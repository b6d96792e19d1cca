import { isUtf8 } from 'node:buffer';
import { normalizeName, parseName } from './distinguished-name.js';
import { collapseSpaces, foldCase, trimSpaces } from './prepare-text.js';

/** Comparison of the values of an attribute. Equal values have the same normalised value. */
export interface MatchingRule {
  /** @returns undefined when the value does not have the syntax of the rule */
  normalize(value: Buffer): string | undefined;
  /** Absent when the rule does not support substring filters. */
  readonly normalizeSubstring?: (substring: Buffer) => string;
}

const caseIgnore: MatchingRule = {
  normalize: (value) => foldCase(toText(value)),
  normalizeSubstring: (substring) => collapseSpaces(collapseSpaces(toText(substring)).toLowerCase()),
};
const caseExact: MatchingRule = {
  normalize: (value) => trimSpaces(toText(value)),
  normalizeSubstring: (substring) => collapseSpaces(toText(substring)),
};
const telephoneNumber: MatchingRule = { normalize: removeSeparators, normalizeSubstring: removeSeparators };
const octetString: MatchingRule = { normalize: (value) => value.toString('latin1') };
const integer: MatchingRule = {
  normalize(value) {
    const text = toText(value).trim();
    return isInteger(text) ? String(BigInt(text)) : undefined;
  },
};
const distinguishedName: MatchingRule = {
  normalize(value) {
    try {
      return normalizeName(parseName(toText(value)));
    } catch {
      return undefined;
    }
  },
};

const rulesByType = tableOf([
  [distinguishedName, 'member uniquemember memberof owner seealso manager secretary roleoccupant entrydn creatorsname'],
  [distinguishedName, 'modifiersname distinguishedname aliasedobjectname associatedname'],
  [caseExact, 'memberuid homedirectory loginshell'],
  [telephoneNumber, 'telephonenumber facsimiletelephonenumber homephone mobile pager'],
  [integer, 'uidnumber gidnumber'],
]);

const rulesByName = tableOf([
  [caseIgnore, 'caseignorematch 2.5.13.2 caseignoreia5match 1.3.6.1.4.1.1466.109.114.2 objectidentifiermatch 2.5.13.0'],
  [caseExact, 'caseexactmatch 2.5.13.5 caseexactia5match 1.3.6.1.4.1.1466.109.114.1'],
  [distinguishedName, 'distinguishednamematch 2.5.13.1'],
  [integer, 'integermatch 2.5.13.14'],
  [octetString, 'octetstringmatch 2.5.13.17'],
  [telephoneNumber, 'telephonenumbermatch 2.5.13.20'],
]);

function tableOf(rules: readonly (readonly [rule: MatchingRule, names: string])[]): ReadonlyMap<string, MatchingRule> {
  return new Map(rules.flatMap(([rule, names]) => names.split(' ').map((name) => [name, rule] as const)));
}

/**
 * Returns the equality rule of an attribute. There is no schema: attributes that are not listed ignore case, as nearly
 * all attributes do.
 */
export function equalityRule(type: string): MatchingRule {
  return rulesByType.get(type) ?? caseIgnore;
}

export function findMatchingRule(nameOrOid: string): MatchingRule | undefined {
  return rulesByName.get(nameOrOid.toLowerCase());
}

/** Compares two normalised values: integers numerically, everything else by character. */
export function compareNormalized(a: string, b: string): number {
  const [first, second] = isInteger(a) && isInteger(b) ? [BigInt(a), BigInt(b)] : [a, b];
  return first < second ? -1 : first > second ? 1 : 0;
}

function isInteger(text: string): boolean {
  return /^-?\d{1,40}$/.test(text);
}

/** Maps bytes that are not UTF-8 to a string that differs from every UTF-8 value. */
function toText(value: Buffer): string {
  return isUtf8(value) ? value.toString() : `\0${value.toString('latin1')}`;
}

function removeSeparators(value: Buffer): string {
  return toText(value)
    .replace(/[\s-]+/gu, '')
    .toLowerCase();
}
