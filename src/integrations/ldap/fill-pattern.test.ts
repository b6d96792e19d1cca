import fc from 'fast-check';
import { FilterParser } from 'ldapts';
import { expect, test } from 'vitest';
import { fillPattern } from './fill-pattern.js';
import { firstValue } from './ldap-values.js';

const name = fc.string({ unit: 'binary', minLength: 1 });

test('whatever a name holds, a filter compares with just that name', () => {
  fc.assert(
    fc.property(name, (value) => {
      const filter = FilterParser.parseString(fillPattern('(&(uid={0})(cn=x))', value));
      expect(filter).toMatchObject({
        filters: [
          { attribute: 'uid', value },
          { attribute: 'cn', value: 'x' },
        ],
      });
    }),
  );
});

test('whatever a name holds, it is one value of a DN', () => {
  fc.assert(
    fc.property(name, (value) => {
      const dn = fillPattern('uid={0},ou=people', value);
      expect(dn).toMatch(/^uid=[^,+="<>; ]+,ou=people$/);
      expect(firstValue(dn)).toBe(value);
    }),
  );
});

test('the first value of a DN as directories write it', () => {
  expect(firstValue('uid=jane,ou=people')).toBe('jane');
  expect(firstValue('uid=J\\C3\\A9r\\2C \\#x\\\\\\20+cn=y,ou=people')).toBe('Jér, #x\\ ');
  expect(firstValue('')).toBeUndefined();
});

test('a value is not filled in a second time', () => {
  expect(fillPattern('{0} {1}', '{1}', '$&')).toBe('\\7b1\\7d \\24\\26');
  expect(fillPattern('{0} {1}', 'x')).toBe('x {1}');
});
