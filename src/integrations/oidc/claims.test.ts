import { describe, expect, test } from 'vitest';
import { toIdentity } from './claims.js';

const names = { userClaim: 'preferred_username', groupsClaim: 'groups', groupsSeparator: ',' };

describe('the groups of an identity', () => {
  test.each([
    ['a list', ['operators', 'shift leaders'], ['operators', 'shift leaders']],
    ['a list with a duplicate', ['operators', 'operators'], ['operators']],
    ['a text with spaces, which are part of a name', 'shift leaders', ['shift leaders']],
    ['a text with commas', 'operators, experts,', ['operators', 'experts']],
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
  ['groups with a number', { preferred_username: 'ada', groups: ['operators', 7] }],
])('401 auth.oidc-refused: %s', (_case, claims) => {
  expect(() => toIdentity(claims, names)).toThrow(expect.objectContaining({ code: 'auth.oidc-refused' }));
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
