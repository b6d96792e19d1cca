import { hash, randomBytes } from 'node:crypto';

/**
 * Parts of a TimeStampReq (RFC 3161, 2.4.1): version 1, SHA-256, the digest, a nonce of 8 bytes, and a request for
 * certificates.
 */
const beforeDigest = Buffer.from('3043020101 3031 300d06096086480165030402010500 0420'.replaceAll(' ', ''), 'hex');
const beforeNonce = Buffer.from('0208', 'hex');
const wantsCertificates = Buffer.from('0101ff', 'hex');
const nonceBytes = 8;

const timeoutMs = 30_000;
const maxResponseBytes = 1_000_000;

/**
 * Requests a time stamp for a text from a time-stamping authority.
 * @returns its response in DER, which `openssl ts -verify` checks
 * @throws Error that states why there is no time stamp
 */
export async function requestTimestamp(url: string, text: string, signal: AbortSignal): Promise<Buffer> {
  const digest = hash('sha256', text, 'buffer');
  const nonce = newNonce();
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: Buffer.concat([beforeDigest, digest, beforeNonce, nonce, wantsCertificates]),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
  });
  const body = await readBounded(response);
  if (!response.ok) throw new Error(`the time-stamping authority answered ${response.status}`);
  if (!isGranted(body)) throw new Error('the time-stamping authority did not grant a time stamp');
  if (!body.includes(digest) || !body.includes(nonce)) throw new Error('the time stamp is for something else');
  return body;
}

/** Returns a nonce, a positive integer of exactly eight bytes. */
function newNonce(): Buffer {
  const nonce = randomBytes(nonceBytes);
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  return nonce;
}

async function readBounded(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Error('the response of the time-stamping authority is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Whether the status of a TimeStampResp is granted (0) or granted with modifications (1). */
function isGranted(response: Buffer): boolean {
  const status = contentOf(contentOf(response, 0x30), 0x30);
  const [tag, length, value] = status ?? [];
  return tag === 0x02 && length === 1 && (value === 0 || value === 1);
}

/** Returns the content of a DER element with this tag; undefined when it has another tag. */
function contentOf(element: Buffer | undefined, tag: number): Buffer | undefined {
  if (element?.[0] !== tag) return undefined;
  const length = element[1] ?? 0;
  return element.subarray(length < 0x80 ? 2 : 2 + (length & 0x7f));
}
