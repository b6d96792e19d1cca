import { isIP } from 'node:net';
import { areBrowserKeys, encryptMessage } from '../../../packages/web-push/encrypt-message.js';
import { deriveSenderKeys, type SenderKeys, signAuthorization } from '../../../packages/web-push/sender-keys.js';
import type { Clock } from '../../kernel/clock.js';
import { onOneLine } from '../../kernel/text.js';
import type {
  PushMessage,
  PushOutcome,
  PushService,
  PushTarget,
} from '../../notifications/subscribers/push-service.port.js';
import { findRefusal } from './allowed-addresses.js';
import { postTo, type ReceivedResponse, type Resolve, toOutcome } from './post-json.js';
import { userAgent } from './webhook-sender.js';

export interface PushOptions {
  /** Address (`mailto:` or `https:`) at which operators of push services can contact the operator of the logbook. */
  readonly contact: string;
  /** Hosts of push services. `*.example.org` matches all hosts below it. */
  readonly hosts: readonly string[];
  /** Non-public addresses and networks that push services may have. */
  readonly allowAddresses: readonly string[];
  readonly caCertificates: string | undefined;
}

interface BrowserPushDeps {
  readonly clock: Clock;
  /** Returns a permanent secret, from which the keys of the sender are derived. */
  readonly secret: () => Promise<string>;
  readonly resolve?: Resolve;
}

const timeoutMs = 10_000;
/** Time for which a push service keeps a message for a closed browser. */
const keptSeconds = 86_400;
/**
 * Maximum length of a title in UTF-16 code units, so that a message with the maximum number of titles fits into one
 * body.
 */
const maxTextLength = 80;

/** Sends encrypted notifications to browsers. */
export class BrowserPush implements PushService {
  private keys: Promise<SenderKeys> | undefined;

  constructor(
    private readonly options: PushOptions,
    private readonly deps: BrowserPushDeps,
  ) {}

  async findPublicKey(): Promise<string> {
    return (await this.findKeys()).publicKey;
  }

  findRefusal(endpoint: string): string | undefined {
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '') {
      return 'the address of its push service is not an https URL.';
    }
    const { hosts, allowAddresses: allowed } = this.options;
    if (!hosts.some((host) => isOf(url.hostname, host))) {
      return `push service ${url.hostname} is not in the setting pushHosts. Use another browser, or ask your administrator to add it.`;
    }
    const address = url.hostname.replace(/^\[(.*)\]$/, '$1');
    const refusal = isIP(address) > 0 ? findRefusal(address, { allowPrivate: false, allowed }) : undefined;
    return refusal && `${refusal}.`;
  }

  areKeys(keys: Pick<PushTarget, 'publicKey' | 'secret'>): boolean {
    return areBrowserKeys(toBytes(keys));
  }

  async send(browser: PushTarget, message: PushMessage, signal: AbortSignal): Promise<PushOutcome> {
    const reason = this.findRefusal(browser.endpoint);
    // The setting may have changed since the browser was added.
    if (reason !== undefined) return { kind: 'refused', reason };
    const url = new URL(browser.endpoint);
    const { contact, caCertificates, allowAddresses: allowed } = this.options;
    const about = { origin: url.origin, contact, nowMs: this.deps.clock.nowMs() };
    const post = {
      body: encryptMessage(toMessage(message), toBytes(browser)),
      headers: {
        ...{ 'user-agent': userAgent, 'content-type': 'application/octet-stream', 'content-encoding': 'aes128gcm' },
        ttl: String(keptSeconds),
        // The push service keeps only the last message of a topic, so that a repeated delivery arrives once.
        topic: message.delivery.id,
        authorization: signAuthorization(await this.findKeys(), about),
      },
    };
    const advice = 'add it to pushAllowAddresses';
    const target = { url, timeoutMs, maxRedirects: 0, allowPrivate: false, allowed, caCertificates, advice };
    return postTo(target, post, { stop: signal, resolve: this.deps.resolve, toOutcome: toPushOutcome });
  }

  private findKeys(): Promise<SenderKeys> {
    this.keys ??= this.deps.secret().then(deriveSenderKeys);
    this.keys.catch(() => {
      this.keys = undefined;
    });
    return this.keys;
  }
}

function toPushOutcome(response: ReceivedResponse, url: URL): PushOutcome {
  return [404, 410].includes(response.status) ? { kind: 'gone' } : toOutcome(response, url);
}

function isOf(host: string, pattern: string): boolean {
  return pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern;
}

const toBytes = ({ publicKey, secret }: Pick<PushTarget, 'publicKey' | 'secret'>) => ({
  publicKey: Buffer.from(publicKey, 'base64url'),
  secret: Buffer.from(secret, 'base64url'),
});

/** Returns the message for the service worker of the client (`web/src/offline/worker/notifications.ts`). */
function toMessage({ delivery: { id, changes }, thread }: PushMessage): Buffer {
  const entries = changes.map(({ sequence, kind, stored }) => ({
    sequence,
    kind,
    id: stored.id,
    title: cut(stored.entry.title),
  }));
  const [first] = changes;
  const by = first && changes.length === 1 ? cut(first.stored.entry.ownerName ?? first.stored.entry.owner) : undefined;
  return Buffer.from(JSON.stringify({ id, thread, by, entries }));
}

function cut(text: string): string {
  const line = onOneLine(text);
  return (line.length > maxTextLength ? `${line.slice(0, maxTextLength - 1)}…` : line).toWellFormed();
}
