import fc from 'fast-check';
import { FilterParser } from 'ldapts';
import { expect, test } from 'vitest';
import { parseDn } from '../../kernel/distinguished-name.js';
import { fillPattern } from './fill-pattern.js';

const name = fc.string({ unit: 'binary', minLength: 1 });

test('whatever a name contains, the filter compares with exactly that name', () => {
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

test('whatever a name contains, it is a single value of the DN', () => {
  fc.assert(
    fc.property(name, (value) => {
      const dn = fillPattern('uid={0},ou=people', value);
      expect(dn).toMatch(/^uid=[^,+="<>; ]+,ou=people$/);
      expect(parseDn(dn)?.[0]).toEqual([{ type: 'uid', value }]);
    }),
  );
});

test('placeholders inside a value are not replaced', () => {
  expect(fillPattern('{0} {1}', '{1}', '$&')).toBe('\\7b1\\7d \\24\\26');
  expect(fillPattern('{0} {1}', 'x')).toBe('x {1}');
});
