import { createECDH, createPublicKey, verify } from 'node:crypto';
import { expect, test } from 'vitest';
import { areBrowserKeys, encryptMessage, maxMessageBytes } from './encrypt-message.js';
import { deriveSenderKeys, signAuthorization } from './sender-keys.js';

const bytes = (text: string) => Buffer.from(text, 'base64url');
const browser = {
  publicKey: bytes('BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'),
  secret: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
};

test('the example of RFC 8291 is encrypted as written there', () => {
  const keyPair = createECDH('prime256v1');
  keyPair.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const own = { keyPair, salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') };
  const message = Buffer.from('When I grow up, I want to be a watermelon');
  expect(encryptMessage(message, browser, own).toString('base64url')).toBe(
    'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  );
});

test('the longest message fills the body that push services accept; a longer one is refused', () => {
  expect(encryptMessage(Buffer.alloc(maxMessageBytes), browser)).toHaveLength(4_096);
  expect(() => encryptMessage(Buffer.alloc(maxMessageBytes + 1), browser)).toThrow(RangeError);
});

test('keys that are not a point of the curve, or have another length, are rejected', () => {
  expect(areBrowserKeys(browser)).toBe(true);
  expect(areBrowserKeys({ ...browser, publicKey: Buffer.alloc(65, 4) })).toBe(false);
  expect(areBrowserKeys({ ...browser, publicKey: browser.publicKey.subarray(1) })).toBe(false);
  expect(areBrowserKeys({ ...browser, secret: Buffer.alloc(15) })).toBe(false);
});

test('the sender has the same keys from the same secret, and proves that it has them', () => {
  const keys = deriveSenderKeys('a secret');
  expect(deriveSenderKeys('a secret').publicKey).toBe(keys.publicKey);
  expect(deriveSenderKeys('another').publicKey).not.toBe(keys.publicKey);
  const about = { origin: 'https://push.example.org', contact: 'mailto:ops@example.org', nowMs: 1_000_000 };
  const header = signAuthorization(keys, about);
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? [];
  expect(JSON.parse(bytes(claims).toString())).toEqual({
    ...{ aud: 'https://push.example.org', exp: 1_000 + 43_200, sub: 'mailto:ops@example.org' },
  });
  const point = bytes(key);
  const [x = '', y = ''] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y } });
  const signed = Buffer.from(`${head}.${claims}`);
  expect(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes(signature))).toBe(true);
});
