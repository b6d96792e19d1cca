import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toIdentity } from './claims.js';
import { type Claims, findClaim, mergeClaims } from './find-claim.js';
import { describeGroupLimit, hasLeftOutGroups } from './group-overage.js';

const names = { userClaim: 'preferred_username', groupsClaim: 'groups', groupsSeparator: ',' };

describe('the groups of an identity', () => {
  test.each([
    ['a list', ['operators', 'shift leaders'], ['operators', 'shift leaders']],
    ['a list with a duplicate', ['operators', 'operators'], ['operators']],
    ['a text with spaces, which are part of a name', 'shift leaders', ['shift leaders']],
    ['a text with commas', 'operators, experts,', ['operators', 'experts']],
    ['numbers', [7, 1_000_000_007], ['7', '1000000007']],
    ['an empty text', '', []],
    ['null', null, []],
    ['a missing claim', undefined, []],
  ])('%s', (_case, groups, expected) => {
    expect(toIdentity({ preferred_username: 'ada', groups }, names)).toEqual({
      userName: 'ada',
      groups: expected,
      roles: [],
    });
  });

  test.each([
    [';', 'Domain Admins; experts', ['Domain Admins', 'experts']],
    [' ', 'operators  experts', ['operators', 'experts']],
    ['|', 'a,b|c', ['a,b', 'c']],
  ])('in one text with the separator “%s”', (groupsSeparator, groups, expected) => {
    const identity = toIdentity({ preferred_username: 'ada', groups }, { ...names, groupsSeparator });
    expect(identity.groups).toEqual(expected);
  });

  test('are not read when no claim is configured for them', () => {
    const identity = toIdentity(
      { preferred_username: 'ada', groups: ['operators'] },
      { ...names, groupsClaim: undefined },
    );
    expect(identity.groups).toEqual([]);
  });
});

test.each([
  ['no user name', { sub: 'account-1' }],
  ['null', { preferred_username: null }],
  ['an empty name', { preferred_username: '' }],
  ['a number', { preferred_username: 7 }],
  ['leading or trailing spaces', { preferred_username: 'ada ' }],
  ['a line end', { preferred_username: 'ada\nadmin' }],
  ['a very long name', { preferred_username: 'a'.repeat(256) }],
  ['groups as an object', { preferred_username: 'ada', groups: { operators: true } }],
  ['groups with a fraction', { preferred_username: 'ada', groups: ['operators', 7.5] }],
  ['groups as a list of objects', { preferred_username: 'ada', groups: [{ name: 'operators' }] }],
  ['groups as true', { preferred_username: 'ada', groups: true }],
])('401 auth.oidc-refused: %s', (_case, claims) => {
  expect(() => toIdentity(claims, names)).toThrow(expect.objectContaining({ code: 'auth.oidc-refused' }));
});

test('401 auth.oidc-refused: the message says what is wrong, and then what to do', () => {
  const identify = (groups: unknown) => toIdentity({ preferred_username: 'ada', groups }, names);
  expect(() => identify([{ name: 'operators' }])).toThrow(
    'The identity provider sends a “groups” that contains objects instead of names for this account. Ask its administrator for help, or ask the administrator of the logbook to check oidcGroupsClaim, which must name an attribute of the objects, as in groups.name.',
  );
  expect(() => identify(true)).toThrow(
    'The identity provider sends a “groups” that is not a list of names for this account. Ask its administrator for help, or ask the administrator of the logbook to check oidcGroupsClaim.',
  );
});

test('401 auth.oidc-refused: a property that every object inherits is not a claim', () => {
  expect(() => toIdentity({}, { ...names, userClaim: 'constructor' })).toThrow('does not send the claim “constructor”');
});

test('an unverified e-mail address is not accepted as a user name', () => {
  const emailNames = { ...names, userClaim: 'email' };
  const email = 'ada@example.org';
  expect(() => toIdentity({ email, email_verified: false }, emailNames)).toThrow('has not verified');
  expect(toIdentity({ email, email_verified: true }, emailNames).userName).toBe(email);
});

test('a mail address is taken only when the provider has verified it, and when it is one', () => {
  const mailOf = (claims: Claims) => toIdentity({ preferred_username: 'ada', ...claims }, names).mail;
  const email = 'ada@example.org';
  expect(mailOf({ email, email_verified: true })).toBe(email);
  for (const claims of [{ email }, { email, email_verified: false }, { email, email_verified: 'true' }]) {
    expect(mailOf(claims)).toBeUndefined();
  }
  for (const odd of ['ada', 'a@b.org, c@d.org', 'a@b.org\r\nBcc: c@d.org', 7]) {
    expect(mailOf({ email: odd, email_verified: true })).toBeUndefined();
  }
});

describe('a claim', () => {
  const groupsAt = (claims: Claims, groupsClaim: string, groupsSeparator = ',') =>
    toIdentity({ preferred_username: 'ada', ...claims }, { ...names, groupsClaim, groupsSeparator }).groups;

  test.each<[string, Claims, string[]]>([
    ['realm_access.roles', { realm_access: { roles: ['a', 'b'] } }, ['a', 'b']],
    ['resource_access.logbook.roles', { resource_access: { logbook: { roles: ['a'] } } }, ['a']],
    ['resource_access.log.example.org.roles', { resource_access: { 'log.example.org': { roles: ['a'] } } }, ['a']],
    ['https://example.org/roles', { 'https://example.org/roles': ['a'] }, ['a']],
    ['https://example.org/app.roles', { 'https://example.org/app': { roles: ['a'] } }, ['a']],
    ['cognito:groups', { 'cognito:groups': ['a'] }, ['a']],
    ['a.b', { 'a.b': ['literal'], a: { b: ['nested'] } }, ['literal']],
    ['a.b', { 'a.b': null, a: { b: ['nested'] } }, ['nested']],
    ['a.b.c', { 'a.b': { d: 1 }, a: { 'b.c': ['x'] } }, ['x']],
    ['groups.name', { groups: [{ name: 'a' }, { name: 'b' }, { id: 7 }] }, ['a', 'b']],
    ['groups.names', { groups: [{ names: ['a', 'b'] }, { names: ['b', 'c'] }] }, ['a', 'b', 'c']],
    ['groups.id', { groups: [{ id: 7 }, { id: 8 }] }, ['7', '8']],
    ['realm_access.roles', { realm_access: { roles: 'a, b' } }, ['a', 'b']],
    ['realm_access.roles', { realm_access: {} }, []],
    ['realm_access.roles', { realm_access: null }, []],
    ['realm_access.roles', { realm_access: 'roles' }, []],
    ['realm_access.roles', { realm_access: ['roles'] }, []],
    ['realm_access.constructor', { realm_access: {} }, []],
    ['realm_access.__proto__', { realm_access: {} }, []],
    ['.', { realm_access: {} }, []],
    ['groups.length', { groups: ['a'] }, []],
  ])('%s in %j', (claim, claims, expected) => {
    expect(groupsAt(claims, claim)).toEqual(expected);
  });

  test('is found by the path of any nested objects, whichever characters their names contain', () => {
    const name = fc.string({ minLength: 1, unit: fc.constantFrom('a', 'b', '.', ':', '/', '_') });
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (path) => {
        const claims = path.reduceRight<unknown>((value, key) => ({ [key]: value }), ['found']) as Claims;
        expect(findClaim(claims, path.join('.'))).toEqual(['found']);
      }),
    );
  });

  test('that is the user name may be nested, too', () => {
    const claims = { profile: { uid: 'ada' } };
    expect(toIdentity(claims, { ...names, userClaim: 'profile.uid' }).userName).toBe('ada');
  });

  test('of the user info is added to the same object of the id token, which has priority', () => {
    const idToken = { a: { x: 1 }, list: [1], b: 'id' };
    const userInfo = { a: { x: 2, y: 3 }, list: [2], b: 'info', c: 4 };
    expect({ ...mergeClaims(idToken, userInfo) }).toEqual({ a: { x: 1, y: 3 }, list: [1], b: 'id', c: 4 });
  });
});

test.each<[boolean, string, Claims]>([
  [true, 'groups', { _claim_names: { groups: 'src1' }, _claim_sources: { src1: { endpoint: 'https://graph/x' } } }],
  [true, 'groups', { hasgroups: true }],
  [true, 'groups', { hasgroups: 'true' }],
  [true, 'resource.roles', { _claim_names: { resource: 'src1' } }],
  [false, 'groups', { groups: [], hasgroups: true }],
  [false, 'groups', { _claim_names: { address: 'src1' } }],
  [false, 'groups', { _claim_names: null, hasgroups: false }],
  [false, 'roles', { _claim_names: { groups: 'src1' }, hasgroups: true }],
  [false, 'groups', {}],
])('%s: the provider has left out %s in %j', (expected, claim, claims) => {
  expect(hasLeftOutGroups(claims, claim)).toBe(expected);
});

test.each([
  [true, 'https://login.microsoftonline.com/tenant/v2.0', 'groups'],
  [true, 'https://sts.windows.net/tenant/', 'groups'],
  [false, 'https://login.microsoftonline.com/tenant/v2.0', 'roles'],
  [false, 'https://login.microsoftonline.com.example.org/', 'groups'],
  [false, 'https://login.example.org/realms/site', 'groups'],
])('%s: the check says that %s may leave %s out', (expected, issuer, claim) => {
  expect(describeGroupLimit(issuer, claim) !== undefined).toBe(expected);
});
