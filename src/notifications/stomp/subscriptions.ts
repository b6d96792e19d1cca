import { quoted } from '../../kernel/fault.js';
import type { LiveNotification } from '../live/entry-notification.js';
import { escapeHeader, type Frame, limitError, StompError, type StompFragments, type StompVersion } from './frame.js';
import { sessionLimits } from './negotiation.js';
import { findTopic, type Topic, toMessage } from './topics.js';

interface Subscription {
  readonly topic: Topic;
  /** The headers that all of its messages share, encoded. */
  readonly headers: string;
  /** Whether messages have an `ack` header, which an ACK frame would name. */
  readonly hasAckHeader: boolean;
}

/** The subscriptions of one client. */
export class Subscriptions {
  private readonly all = new Map<string, Subscription>();
  private messages = 0;

  /** @throws StompError */
  add(headers: ReadonlyMap<string, string>, version: StompVersion): void {
    const destination = headers.get('destination') ?? '';
    const id = headers.get('id');
    const topic = findTopic(destination);
    if (!topic) {
      throw new StompError(
        `Topic ${quoted(destination)} not found. Topics are the path of the socket with /messages, /topic/entries and /topic/logbooks/{name}.`,
      );
    }
    if (id === undefined && version !== '1.0') throw new StompError('The header “id” is missing.');
    const key = id ?? `destination ${destination}`;
    if (this.all.has(key)) throw new StompError(`A subscription ${quoted(id ?? destination)} already exists.`);
    if (this.all.size >= sessionLimits.subscriptions) {
      throw limitError(
        'There are too many subscriptions.',
        `${sessionLimits.subscriptions} subscriptions`,
        'each connection',
      );
    }
    const shared = [['destination', destination], ...(id === undefined ? [] : [['subscription', id]])];
    this.all.set(key, {
      topic,
      headers: shared.map(([name = '', value = '']) => `${name}:${escapeHeader(value, version)}\n`).join(''),
      hasAckHeader: version === '1.2' && (headers.get('ack') ?? 'auto') !== 'auto',
    });
  }

  /** No effect when there is no such subscription. */
  remove(headers: ReadonlyMap<string, string>): void {
    this.all.delete(headers.get('id') ?? `destination ${headers.get('destination') ?? ''}`);
  }

  encodeMessages(notification: LiveNotification): StompFragments[] {
    const frames: StompFragments[] = [];
    for (const subscription of this.all.values()) {
      const message = toMessage(subscription.topic, notification);
      if (message) frames.push(this.encode(subscription, message.contentType, message.body));
    }
    return frames;
  }

  /** Sends a frame back on the client's own subscriptions; without one, as a message that belongs to none. */
  encodeEcho({ body, headers }: Frame, destination: string, version: StompVersion): StompFragments[] {
    const own = [...this.all.values()].filter(({ topic }) => topic.kind === 'messages' || topic.kind === 'echo');
    const none: Subscription = {
      topic: { kind: 'echo' },
      headers: `destination:${escapeHeader(destination, version)}\n`,
      hasAckHeader: false,
    };
    const contentType = escapeHeader(headers.get('content-type') ?? 'text/plain', version);
    return (own.length > 0 ? own : [none]).map((subscription) => this.encode(subscription, contentType, body));
  }

  private encode({ headers, hasAckHeader }: Subscription, contentType: string, body: Uint8Array): StompFragments {
    this.messages += 1;
    const ack = hasAckHeader ? `ack:${this.messages}\n` : '';
    const head = `MESSAGE\n${headers}message-id:${this.messages}\n${ack}content-type:${contentType}\n`;
    return [Buffer.from(`${head}content-length:${body.length}\n\n`), body, nul];
  }
}

const nul = Buffer.of(0);
