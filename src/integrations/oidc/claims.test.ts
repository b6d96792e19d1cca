import { describe, expect, test } from 'vitest';
import { identityOf } from './claims.js';

const names = { userClaim: 'preferred_username', groupsClaim: 'groups' };

describe('the groups of an identity', () => {
  test.each([
    ['a list', ['operators', 'shift leaders'], ['operators', 'shift leaders']],
    ['a list with one twice', ['operators', 'operators'], ['operators']],
    ['a text with spaces, which names may have', 'shift leaders', ['shift leaders']],
    ['a text with commas', 'operators, experts,', ['operators', 'experts']],
    ['an empty text', '', []],
    ['null', null, []],
    ['not there', undefined, []],
  ])('%s', (_case, groups, expected) => {
    expect(identityOf({ preferred_username: 'ada', groups }, names)).toEqual({
      userName: 'ada',
      groups: expected,
      roles: [],
    });
  });

  test('none when they are not asked for', () => {
    const identity = identityOf({ preferred_username: 'ada', groups: ['operators'] }, { ...names, groupsClaim: '' });
    expect(identity.groups).toEqual([]);
  });
});

test.each([
  ['no user name', { sub: 'account-1' }],
  ['null', { preferred_username: null }],
  ['an empty one', { preferred_username: '' }],
  ['a number', { preferred_username: 7 }],
  ['outer spaces', { preferred_username: 'ada ' }],
  ['a line end', { preferred_username: 'ada\nadmin' }],
  ['a very long one', { preferred_username: 'a'.repeat(256) }],
  ['groups as an object', { preferred_username: 'ada', groups: { operators: true } }],
  ['groups with a number', { preferred_username: 'ada', groups: ['operators', 7] }],
])('401 auth.oidc-refused: %s', (_case, claims) => {
  expect(() => identityOf(claims, names)).toThrow(expect.objectContaining({ code: 'auth.oidc-refused' }));
});

test('401 auth.oidc-refused: what every object has is no claim', () => {
  expect(() => identityOf({}, { ...names, userClaim: 'constructor' })).toThrow('does not say the “constructor”');
});

test('an e-mail address that nobody has checked is no name', () => {
  const emailNames = { ...names, userClaim: 'email' };
  const email = 'ada@example.org';
  expect(() => identityOf({ email, email_verified: false }, emailNames)).toThrow('has not checked');
  expect(identityOf({ email, email_verified: true }, emailNames).userName).toBe(email);
});
