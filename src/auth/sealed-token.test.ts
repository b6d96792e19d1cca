import { expect, test } from 'vitest';
import { openToken, sealToken } from './sealed-token.js';

const token = 'header.payload.signature';

test('a token is opened with the secret that it was sealed with, and does not appear in what is stored', () => {
  const sealed = sealToken(token, 'secret') ?? '';
  expect(openToken(sealed, 'secret')).toBe(token);
  expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('payload');
  expect(sealToken(token, 'secret')).not.toBe(sealed);
});

test('a token is not opened with another secret, or when it is damaged or cut off', () => {
  const sealed = sealToken(token, 'secret') ?? '';
  const damaged = Buffer.from(sealed, 'base64');
  damaged[30] = (damaged[30] ?? 0) ^ 1;
  expect(openToken(sealed, 'other')).toBeUndefined();
  expect(openToken(damaged.toString('base64'), 'secret')).toBeUndefined();
  expect(openToken(sealed.slice(0, 20), 'secret')).toBeUndefined();
  expect(openToken('', 'secret')).toBeUndefined();
});

test('a token that is too long for an address is not kept', () => {
  expect(sealToken('x'.repeat(6_001), 'secret')).toBeUndefined();
});
