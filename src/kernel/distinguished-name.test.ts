import { expect, test } from 'vitest';
import { type DistinguishedName, isWithin, normalizeDn, parseDn } from './distinguished-name.js';

const parsed = (text: string): DistinguishedName => {
  const name = parseDn(text);
  if (name === undefined) throw new Error(`${text} is no name`);
  return name;
};
const normalized = (text: string) => normalizeDn(parsed(text));

test('a name has levels of types and values, without escapes', () => {
  expect(parsed('CN=Smith\\, J\\C3\\B6rg\\2B , ou = R&D+l=x=y,dc=a')).toEqual([
    [{ type: 'cn', value: 'Smith, Jörg+' }],
    [
      { type: 'ou', value: 'R&D' },
      { type: 'l', value: 'x=y' },
    ],
    [{ type: 'dc', value: 'a' }],
  ]);
});

test.each([
  ['CN=Admins,OU=Groups,DC=x', 'cn=admins,ou=groups,dc=x'],
  ['cn = admins , ou = groups,  dc=x', 'cn=admins,ou=groups,dc=x'],
  ['cn=two  words', 'cn=Two Words'],
  ['cn=a\\2Cb', 'cn=a\\,b'],
  ['cn=a+ou=b,dc=x', 'ou=B+cn=A,dc=X'],
  ['cn=Z\\C3\\8B', 'cn=zë'],
  ['cn=Zoe\u0308', 'cn=Zoë'],
])('%j and %j are spellings of one name', (one, other) => {
  expect(normalized(one)).toBe(normalized(other));
});

test.each([
  ['cn=a\\,ou=b,dc=x', 'cn=a,ou=b,dc=x'],
  ['cn=a\\+ou=b', 'cn=a+ou=b'],
  ['cn=admins,ou=other,dc=x', 'cn=admins,dc=x'],
  ['cn=a,b=c', 'cn=a\\,b\\=c'],
])('%j and %j are two names', (one, other) => {
  expect(normalized(one)).not.toBe(normalized(other));
});

test.each(['', 'admins', 'cn', 'cn=a,', 'cn=a,,dc=b', '=a', 'cn=a;dc=b', 'cn="a"', 'cn=#0403616263', 'cn=\\ff\\fe'])(
  '%j is not a valid name',
  (text) => {
    expect(parseDn(text)).toBeUndefined();
  },
);

test('a name is within itself and within the names above it, compared by whole levels', () => {
  const group = parsed('cn=admins,ou=groups,dc=x');
  expect(isWithin(group, parsed('OU=Groups, DC=x'))).toBe(true);
  expect(isWithin(group, group)).toBe(true);
  expect(isWithin(group, parsed('ou=oups,dc=x'))).toBe(false);
  expect(isWithin(parsed('dc=x'), group)).toBe(false);
});
