import { createECDH, createPrivateKey, hkdfSync, type KeyObject, sign } from 'node:crypto';

/** Keys by which push services recognise the sender. */
export interface SenderKeys {
  /** Public key that browsers receive when they subscribe: an uncompressed point of P-256, in base64url. */
  readonly publicKey: string;
  readonly privateKey: KeyObject;
}

/** Derives the keys from a secret. The same secret always gives the same keys. */
export function deriveSenderKeys(secret: string): SenderKeys {
  const keyPair = createECDH('prime256v1');
  keyPair.setPrivateKey(Buffer.from(hkdfSync('sha256', secret, '', 'web push sender', 32)));
  const point = keyPair.getPublicKey();
  const [x, y, d] = [point.subarray(1, 33), point.subarray(33), keyPair.getPrivateKey()].map((part) =>
    Buffer.from(part).toString('base64url').padStart(43, 'A'),
  ) as [string, string, string];
  const privateKey = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x, y, d } });
  return { publicKey: point.toString('base64url'), privateKey };
}

/** Time for which a signed header is valid. Push services accept at most a day. */
const validSeconds = 12 * 3_600;

/**
 * Returns the value of the header `Authorization`.
 * @param contact `mailto:` or `https:` address at which the operator of a push service reaches the sender
 */
export function signAuthorization(
  { publicKey, privateKey }: SenderKeys,
  { origin, contact, nowMs }: { readonly origin: string; readonly contact: string; readonly nowMs: number },
): string {
  const claims = { aud: origin, exp: Math.floor(nowMs / 1_000) + validSeconds, sub: contact };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims].map(toBase64Url).join('.');
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}

const toBase64Url = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
