import { createHash } from 'node:crypto';
import { hashSync } from 'bcryptjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PasswordCheck } from './password-check.js';
import { costKey, parseUserPassword, toDummyHash } from './user-password.js';

const salt = Buffer.from('saltsalt');
const digest = (scheme: string, algorithm: string, salt = Buffer.alloc(0)) =>
  `{${scheme}}${Buffer.concat([createHash(algorithm).update('sécret').update(salt).digest(), salt]).toString('base64')}`;
const bcrypt = hashSync('sécret', 4);

const forms: [string, string][] = [
  ['plain text', 'sécret'],
  ['{CLEARTEXT}', '{CLEARTEXT}sécret'],
  ['{SHA}', digest('SHA', 'sha1')],
  ['{SSHA}', digest('SSHA', 'sha1', salt)],
  ['{ssha} in lower case', digest('ssha', 'sha1', salt)],
  ['{SHA256}', digest('SHA256', 'sha256')],
  ['{SSHA256}', digest('SSHA256', 'sha256', salt)],
  ['{SHA512}', digest('SHA512', 'sha512')],
  ['{SSHA512}', digest('SSHA512', 'sha512', salt)],
  ['bcrypt', bcrypt],
  ['{BCRYPT}', `{BCRYPT}${bcrypt}`],
  ['{CRYPT} with bcrypt', `{CRYPT}${bcrypt.replace('$2b$', '$2a$')}`],
  ['{CRYPT} with bcrypt of PHP', `{CRYPT}${bcrypt.replace('$2b$', '$2y$')}`],
];

async function matches(stored: readonly string[], password: string | Buffer, others: readonly string[] = []) {
  const passwords = stored.map((value) => parseUserPassword(Buffer.from(value)));
  const check = new PasswordCheck(
    [passwords, others.map((value) => parseUserPassword(Buffer.from(value)))],
    () => undefined,
  );
  onTestFinished(() => check.close());
  return await check.matchesAny(passwords, Buffer.from(password), new AbortController().signal);
}

describe('a stored password', () => {
  test.each(forms)('as %s matches that password only', async (_form, stored) => {
    expect(await matches([stored], 'sécret')).toBe(true);
    for (const other of ['Sécret', 'secret', 'sécret ', '', stored]) {
      if (other !== 'sécret') expect(await matches([stored], other)).toBe(false);
    }
  });

  test('that is not UTF-8 is compared byte by byte, and never with bcrypt', async () => {
    expect(await matches([bcrypt, 'x'], Buffer.from([0xff]))).toBe(false);
    expect(await matches([hashSync('\uFFFD', 4)], Buffer.from([0xff]))).toBe(false);
    expect(await matches([hashSync('\uFFFD', 4)], '\uFFFD')).toBe(true);
  });

  test('may be one of several', async () => {
    const stored = ['first', digest('SSHA', 'sha1', salt), hashSync('third', 4)];
    for (const password of ['first', 'sécret', 'third']) expect(await matches(stored, password)).toBe(true);
    expect(await matches(stored, 'fourth')).toBe(false);
  });

  test('of another entry does not match', async () => {
    expect(await matches([], 'sécret', ['sécret', bcrypt])).toBe(false);
    expect(await matches(['mine'], 'sécret', ['sécret', bcrypt])).toBe(false);
  });

  test.each([
    ['', 'empty'],
    ['{SASL}user@realm', '{SASL}'],
    ['{CRYPT}$6$salt$hash', 'bcrypt'],
    ['{SHA}AAAA', '{SHA}'],
    ['{SSHA}%%%', '{SSHA}'],
    [digest('SSHA', 'sha1'), '{SSHA}'],
    ['$2b$10$short', 'bcrypt'],
    [bcrypt.replace('$04$', '$31$'), 'cost of 31'],
    [bcrypt.replace('$04$', '$03$'), 'bcrypt'],
  ])('as %j is refused', (stored, problem) => {
    expect(() => parseUserPassword(Buffer.from(stored))).toThrow(problem);
  });

  test('has a dummy hash of the same cost that no password matches', async () => {
    for (const [, stored] of forms) {
      const password = parseUserPassword(Buffer.from(stored));
      expect(costKey(toDummyHash(password))).toBe(costKey(password));
      const check = new PasswordCheck([[password]], () => undefined);
      onTestFinished(() => check.close());
      const { signal } = new AbortController();
      for (const tried of ['sécret', '.', ' ']) {
        expect(await check.matchesAny([toDummyHash(password)], Buffer.from(tried), signal)).toBe(false);
      }
    }
  });

  test('takes as many comparisons for an unknown name as for the most expensive entry', async () => {
    const expensive = [hashSync('a', 9), hashSync('b', 9)].map((value) => parseUserPassword(Buffer.from(value)));
    const cheap = [parseUserPassword(Buffer.from('plain'))];
    const check = new PasswordCheck([expensive, cheap], () => undefined);
    onTestFinished(() => check.close());
    const costs = (passwords: Parameters<PasswordCheck['matchesAny']>[0]) =>
      check.addDummyHashes(passwords).map(costKey).toSorted();
    expect(costs(expensive)).toHaveLength(3);
    expect(costs(cheap)).toEqual(costs(expensive));
    expect(costs([])).toEqual(costs(expensive));
  });
});
