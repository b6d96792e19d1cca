import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatName, InvalidName, normalizeName, parseName } from './distinguished-name.js';

const text = fc.string({ unit: 'binary', maxLength: 20 });
const part = fc.record({ type: fc.constantFrom('cn', 'OU', 'x-y', '2.5.4.3'), value: text });
const name = fc.array(fc.array(part, { minLength: 1, maxLength: 3 }), { maxLength: 4 });

describe('a distinguished name', () => {
  test.each([
    ['', []],
    ['dc=x', [[['dc', 'x']]]],
    ['UID=jsmith,DC=example,DC=net', [[['UID', 'jsmith']], [['DC', 'example']], [['DC', 'net']]]],
    [' cn = A  B , dc = x ', [[['cn', 'A  B']], [['dc', 'x']]]],
    [
      'OU=Sales+CN=J. Smith,DC=x',
      [
        [
          ['OU', 'Sales'],
          ['CN', 'J. Smith'],
        ],
        [['DC', 'x']],
      ],
    ],
    ['CN=James \\"Jim\\" Smith\\, III,DC=x', [[['CN', 'James "Jim" Smith, III']], [['DC', 'x']]]],
    ['CN=Before\\0dAfter', [[['CN', 'Before\rAfter']]]],
    ['CN=Lu\\C4\\8Di\\C4\\87', [[['CN', 'Lučić']]]],
    ['1.3.6.1.4.1.1466.0=#04024869', [[['1.3.6.1.4.1.1466.0', 'Hi']]]],
    ['cn=\\ a\\ ,dc=x', [[['cn', ' a ']], [['dc', 'x']]]],
    ['cn=\\#a=b', [[['cn', '#a=b']]]],
    ['cn=', [[['cn', '']]]],
  ])('%j is parsed as RFC 4514 specifies', (written, levels) => {
    expect(parseName(written).map((level) => level.map(({ type, value }) => [type, value]))).toEqual(levels);
  });

  test.each([
    'x',
    '=x',
    'cn=a,',
    ',cn=a',
    'cn=a;dc=x',
    'cn="a"',
    'cn=a+',
    'cn=\\',
    'cn=\\zz',
    'cn=\\ff',
    'cn=#',
    'cn=#04',
    'cn=#0405aa',
    'c n=a',
    'cn=a\0',
  ])('%j is refused', (written) => {
    expect(() => parseName(written)).toThrow(InvalidName);
  });

  test('is unchanged after formatting and parsing', () => {
    fc.assert(
      fc.property(name, (name) => {
        expect(parseName(formatName(name))).toEqual(name);
      }),
    );
  });

  test('normalizes alike whatever its case, spaces, order of parts and attribute aliases', () => {
    const key = normalizeName(parseName('cn=Ann Lee+uid=ann,ou=People,dc=x'));
    for (const same of [
      'UID=ANN + 2.5.4.3=ann  lee , OU = people,DC=X',
      'commonName=Ann\\20Lee+uid=#0403616e6e,ou=people,dc=x',
    ]) {
      expect(normalizeName(parseName(same))).toBe(key);
    }
    for (const other of ['cn=Ann Lee,uid=ann,ou=People,dc=x', 'cn=AnnLee+uid=ann,ou=People,dc=x']) {
      expect(normalizeName(parseName(other))).not.toBe(key);
    }
  });

  test('normalizes differently from any other name', () => {
    expect(normalizeName([[{ type: 'cn', value: 'a,dc=x' }]])).not.toBe(
      normalizeName([[{ type: 'cn', value: 'a' }], [{ type: 'dc', value: 'x' }]]),
    );
  });

  test('any text is either parsed or refused with InvalidName', () => {
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: fc.constantFrom(...'cn=,+\\# "4f;') })), (text) => {
        try {
          parseName(text);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidName);
        }
      }),
    );
  });
});
