import { lookup } from 'node:dns/promises';
import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { readRetryAfterMs } from '../../kernel/retry-after.js';
import type { Outcome } from '../../notifications/subscribers/sender.port.js';
import { type AddressRules, findRefusal } from './allowed-addresses.js';

export interface Target extends AddressRules {
  readonly url: URL;
  /** PEM of the only trusted authorities. Undefined: the authorities that Node.js trusts. */
  readonly caCertificates?: string | undefined;
  /** Advice to the administrator on how to allow an address of the target's host. */
  readonly advice?: string;
  /** Maximum number of redirects to follow; undefined: 3. */
  readonly maxRedirects?: number;
  /** Time limit for the whole attempt: name resolution, connections, redirects and the status of the response. */
  readonly timeoutMs: number;
}

interface ResolvedAddress {
  readonly address: string;
  readonly family: number;
}

/** Resolves a host name to its addresses. @throws Error when the name has none */
export type Resolve = (hostname: string) => Promise<readonly ResolvedAddress[]>;

export interface Post {
  readonly body: string | Buffer;
  /** Header fields; the default content type is that of JSON. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Thrown when an attempt fails. The message is shown to the administrator, so it contains only the host and port of a
 * URL.
 */
class AttemptFailed extends Error {}

const maxResponseBytes = 65_536;
/** Maximum time from the status of a response until the connection is closed. */
const bodyGraceMs = 500;
/** Redirects after which the same request is repeated. A 303 is excluded, because it requires a GET. */
const redirectStatuses = [301, 302, 307, 308];
/** Statuses with which a receiver refuses this delivery, or all deliveries, permanently. */
export const refusalStatuses: readonly number[] = [400, 410, 413, 415, 422];

export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

/** Posts JSON to the target and follows its redirects. */
export function postJson(target: Target, post: Post, stop: AbortSignal, resolve?: Resolve): Promise<Outcome> {
  return postTo(target, post, { stop, resolve, toOutcome });
}

interface PostOptions<Result> {
  readonly stop: AbortSignal;
  readonly resolve?: Resolve | undefined;
  readonly toOutcome: (response: ReceivedResponse, url: URL) => Result;
}

/**
 * Posts to the target, and returns what `toOutcome` makes of the response. Each host name is resolved once, its
 * addresses are checked, and the connection uses only those: a name could resolve to another address after the check
 * (DNS rebinding).
 */
export async function postTo<Result>(
  target: Target,
  post: Post,
  { stop, resolve = resolveName, toOutcome: read }: PostOptions<Result>,
): Promise<Result | Extract<Outcome, { kind: 'failed' }>> {
  const timeout = AbortSignal.timeout(target.timeoutMs);
  const signal = AbortSignal.any([stop, timeout]);
  try {
    const { response, url } = await postFollowingRedirects(target, post, signal, resolve);
    return read(response, url);
  } catch (error) {
    if (stop.aborted) return { kind: 'failed', reason: 'The service stopped.' };
    if (timeout.aborted) return { kind: 'failed', reason: `No response within ${target.timeoutMs / 1_000} s.` };
    if (error instanceof AttemptFailed) return { kind: 'failed', reason: error.message };
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'failed', reason: `Connection failed: ${code ?? message}.` };
  }
}

async function postFollowingRedirects(
  target: Target,
  post: Post,
  signal: AbortSignal,
  resolve: Resolve,
): Promise<{ readonly response: ReceivedResponse; readonly url: URL }> {
  let url = target.url;
  for (let redirects = 0; ; redirects++) {
    const addresses = await resolveAllowed(url, target, signal, resolve);
    const response = await exchange(url, toRequest(url, target, addresses, post), post.body, signal);
    const { status, location } = response;
    if (!redirectStatuses.includes(status) || location === undefined) return { response, url };
    const { maxRedirects = 3 } = target;
    if (redirects === maxRedirects) throw new AttemptFailed(`More than ${maxRedirects} redirects.`);
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next?.protocol !== 'https:' && next?.protocol !== 'http:') {
      throw new AttemptFailed(`${url.host} redirects to an address that is not http or https.`);
    }
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new AttemptFailed(`${url.host} redirects from https to http, which is not followed.`);
    }
    url = next;
  }
}

/** @throws AttemptFailed when a connection to one of the addresses is not allowed */
async function resolveAllowed(
  url: URL,
  rules: Target,
  signal: AbortSignal,
  resolve: Resolve,
): Promise<readonly ResolvedAddress[]> {
  // `URL` has already normalised decimal, octal and hexadecimal forms of IPv4 addresses.
  const host = hostOf(url);
  const family = isIP(host);
  const addresses = family > 0 ? [{ address: host, family }] : await orAborted(resolve(host), signal);
  if (addresses.length === 0) throw new AttemptFailed(`${host} has no address.`);
  for (const { address } of addresses) {
    const refusal = findRefusal(address, rules);
    if (refusal !== undefined) {
      const { advice = 'add it to allowAddresses of the subscriber, or set allowPrivateAddresses' } = rules;
      throw new AttemptFailed(`${host}: ${refusal}. To allow it, ${advice}.`);
    }
  }
  return addresses;
}

/** Returns the host of the URL, without the brackets of an IPv6 address. */
function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1');
}

/** Returns the options of a request. Credentials in the configured URL are sent only to the origin of that URL. */
function toRequest(
  url: URL,
  { url: configured, caCertificates }: Target,
  addresses: readonly ResolvedAddress[],
  { body, headers }: Post,
): RequestOptions {
  const { username, password } = configured;
  const credentials =
    username !== '' && url.origin === configured.origin
      ? Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
      : undefined;
  return {
    protocol: url.protocol,
    hostname: hostOf(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...headers,
      'content-length': Buffer.byteLength(body),
      ...(credentials !== undefined && { authorization: `Basic ${credentials}` }),
    },
    agent: false,
    ...(caCertificates !== undefined && { ca: caCertificates }),
    lookup: lookupIn(addresses),
  };
}

export interface ReceivedResponse {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
}

async function exchange(
  { host, protocol }: URL,
  options: RequestOptions,
  body: Post['body'],
  signal: AbortSignal,
): Promise<ReceivedResponse> {
  const send = protocol === 'https:' ? requestHttps : requestHttp;
  const responding = new Promise<IncomingMessage>((resolve, reject) => {
    const request = send({ ...options, signal });
    request.on('response', resolve);
    request.on('error', reject);
    // A target that switches protocols produces neither a response nor an error.
    request.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new AttemptFailed(`${host} responded with status 101.`));
    });
    request.on('close', () => reject(new AttemptFailed(`${host} closed the connection.`)));
    request.end(body);
  });
  const response = await orAborted(responding, signal);
  const { statusCode: status = 0, headers } = response;
  // The status alone is the outcome. Otherwise an endless body would cause the delivery to be repeated.
  await drain(response, AbortSignal.any([signal, AbortSignal.timeout(bodyGraceMs)]));
  return { status, location: headers.location, retryAfter: headers['retry-after'] };
}

/** Returns a name resolution that yields only the checked addresses. */
function lookupIn(addresses: readonly ResolvedAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}

/** Reads and ignores at most `maxResponseBytes` of the body, until `end` aborts. Then closes the connection. */
async function drain(response: IncomingMessage, end: AbortSignal): Promise<void> {
  let size = 0;
  const destroy = () => response.destroy();
  end.addEventListener('abort', destroy, { once: true });
  if (end.aborted) destroy();
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxResponseBytes) break;
    }
  } catch {
    // The status is known, so a truncated body does not matter.
  }
  end.removeEventListener('abort', destroy);
  response.destroy();
}

export function toOutcome(
  { status, retryAfter }: ReceivedResponse,
  { host }: URL,
  refusals: readonly number[] = refusalStatuses,
): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const reason = `${host} responded with status ${status}.`;
  if (refusals.includes(status)) return { kind: 'refused', reason };
  const retryAfterMs = readRetryAfterMs(retryAfter);
  return { kind: 'failed', reason, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
