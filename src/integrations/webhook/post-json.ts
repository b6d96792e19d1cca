import { lookup } from 'node:dns/promises';
import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import type { Outcome } from '../../notifications/subscribers/sender.port.js';
import { type AddressRules, refusalOf } from './allowed-addresses.js';

export interface Target extends AddressRules {
  readonly url: URL;
  /** For all of it: the name, the connection, redirects and the answer. */
  readonly timeoutMs: number;
}

interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

/** Finds the addresses of a name. @throws when it has none */
export type Resolve = (hostname: string) => Promise<readonly FoundAddress[]>;

export interface JsonPost {
  readonly body: string | Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

/** A reason for the administrator, with nothing of an address but host and port. */
class AttemptFailed extends Error {}

const maxRedirects = 3;
const maxAnswerBytes = 65_536;
/** The ones after which the same is sent again; after a 303 it would be something else. */
const redirectStatuses = [301, 302, 307, 308];
/** The receiver says that the same delivery will never do, or that it wants no more. */
const refusalStatuses = [400, 410, 413, 415, 422];

export const resolveName: Resolve = (hostname) => lookup(hostname, { all: true });

/**
 * Sends it to the target and where that redirects to. Each name is resolved once and its addresses are checked, and the
 * connection goes to one of those and nowhere else: a name that changes its address in between gains nothing.
 */
export async function postJson(
  target: Target,
  post: JsonPost,
  stop: AbortSignal,
  resolve: Resolve = resolveName,
): Promise<Outcome> {
  const timeout = AbortSignal.timeout(target.timeoutMs);
  const signal = AbortSignal.any([stop, timeout]);
  try {
    return await follow(target, post, signal, resolve);
  } catch (error) {
    if (stop.aborted) return { kind: 'failed', reason: 'The service stopped.' };
    if (timeout.aborted) return { kind: 'failed', reason: `There was no answer within ${target.timeoutMs / 1_000} s.` };
    if (error instanceof AttemptFailed) return { kind: 'failed', reason: error.message };
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'failed', reason: `The connection failed: ${code ?? message}.` };
  }
}

async function follow(target: Target, post: JsonPost, signal: AbortSignal, resolve: Resolve): Promise<Outcome> {
  let url = target.url;
  for (let redirects = 0; ; redirects++) {
    const addresses = await checkedAddresses(url, target, signal, resolve);
    const answer = await exchange(url, target.url, addresses, post, signal);
    const { status, location } = answer;
    if (!redirectStatuses.includes(status) || location === undefined) return outcomeOf(answer, url);
    if (redirects === maxRedirects) throw new AttemptFailed(`It redirects more than ${maxRedirects} times.`);
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    if (next?.protocol !== 'https:' && next?.protocol !== 'http:') {
      throw new AttemptFailed(`${url.host} redirects to something that is no web address.`);
    }
    if (url.protocol === 'https:' && next.protocol === 'http:') {
      throw new AttemptFailed(`${url.host} redirects from https to http; that is not followed.`);
    }
    url = next;
  }
}

/** @throws AttemptFailed when one of them may not be connected to */
async function checkedAddresses(
  url: URL,
  rules: AddressRules,
  signal: AbortSignal,
  resolve: Resolve,
): Promise<readonly FoundAddress[]> {
  // URL has read decimal, octal and hexadecimal forms of IPv4 by now.
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const family = isIP(host);
  const found = family > 0 ? [{ address: host, family }] : await orAborted(resolve(host), signal);
  if (found.length === 0) throw new AttemptFailed(`The name ${host} has no address.`);
  for (const { address } of found) {
    const refusal = refusalOf(address, rules);
    if (refusal !== undefined) {
      throw new AttemptFailed(
        `${host}: ${refusal}. If it is meant, name it in allowAddresses or set allowPrivateAddresses of the subscriber.`,
      );
    }
  }
  return found;
}

interface Answer {
  readonly status: number;
  readonly location: string | undefined;
  readonly retryAfter: string | undefined;
}

async function exchange(
  url: URL,
  first: URL,
  addresses: readonly FoundAddress[],
  { body, headers }: JsonPost,
  signal: AbortSignal,
): Promise<Answer> {
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const { username, password } = first;
  const credentials =
    username !== '' && url.origin === first.origin
      ? Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')
      : undefined;
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    const sent = send({
      protocol: url.protocol,
      hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port,
      path: `${url.pathname}${url.search}`,
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        ...(credentials !== undefined && { authorization: `Basic ${credentials}` }),
      },
      agent: false,
      lookup: lookupAmong(addresses),
      signal,
    });
    sent.on('response', resolve);
    sent.on('error', reject);
    // A target that wants to speak something else has no answer, and no error either.
    sent.on('upgrade', (_response, socket) => {
      socket.destroy();
      reject(new AttemptFailed(`${url.host} answered with 101.`));
    });
    sent.on('close', () => reject(new AttemptFailed(`${url.host} closed the connection.`)));
    sent.end(body);
  });
  const response = await orAborted(answered, signal);
  const { statusCode: status = 0, headers: told } = response;
  await orAborted(drain(response), signal);
  return { status, location: told.location, retryAfter: told['retry-after'] };
}

/** Asked by the connection in place of the system. */
function lookupAmong(addresses: readonly FoundAddress[]): LookupFunction {
  return (_hostname, options, callback) => {
    if (options.all) callback(null, [...addresses]);
    else callback(null, addresses[0]?.address ?? '', addresses[0]?.family);
  };
}

/** Reads the end of an answer, or some of one that is long; what it says does not matter, nor whether it breaks off. */
async function drain(response: IncomingMessage): Promise<void> {
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxAnswerBytes) break;
    }
  } catch {
    // The status has come.
  }
  response.destroy();
}

function outcomeOf({ status, retryAfter }: Answer, { host }: URL): Outcome {
  if (status >= 200 && status < 300) return { kind: 'delivered' };
  const reason = `${host} answered with ${status}.`;
  if (refusalStatuses.includes(status)) return { kind: 'refused', reason };
  const seconds = Number(retryAfter);
  return { kind: 'failed', reason, ...(seconds > 0 && { retryAfterMs: seconds * 1_000 }) };
}

function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
