import { escapeHeader, type Frame, type StompFragments, type StompVersion } from './frame.js';
import { sessionLimits } from './negotiation.js';
import { limitError, quoted, StompError } from './stomp-error.js';

/** Content of a message from the server. */
export interface StompMessage {
  readonly contentType: string;
  readonly body: Uint8Array;
}

interface Subscription<Topic> {
  /** Undefined for a message without a subscription. */
  readonly topic: Topic | undefined;
  /** Encoded headers that all messages of the subscription share. */
  readonly headers: string;
  /** Whether messages have an `ack` header, to which an ACK frame would refer. */
  readonly hasAckHeader: boolean;
}

export class Subscriptions<Topic> {
  private readonly all = new Map<string, Subscription<Topic> & { readonly topic: Topic }>();
  private messages = 0;

  /** @param findTopic throws a StompError when there is no such topic */
  constructor(private readonly findTopic: (destination: string) => Topic) {}

  /** @throws StompError */
  add(headers: ReadonlyMap<string, string>, version: StompVersion): void {
    const destination = headers.get('destination') ?? '';
    const id = headers.get('id');
    const topic = this.findTopic(destination);
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

  /** Removes the subscription, if it exists. */
  remove(headers: ReadonlyMap<string, string>): void {
    this.all.delete(headers.get('id') ?? `destination ${headers.get('destination') ?? ''}`);
  }

  /** @param messageOn returns the message for the subscribers of a topic; undefined when there is none for them */
  encodeMessages(messageOn: (topic: Topic) => StompMessage | undefined): StompFragments[] {
    const frames: StompFragments[] = [];
    for (const subscription of this.all.values()) {
      const message = messageOn(subscription.topic);
      if (message) frames.push(this.encode(subscription, message.contentType, message.body));
    }
    return frames;
  }

  /**
   * Encodes a frame for the client's own subscriptions to the topics for which `isOn` is true. If there are none,
   * encodes it as a message without a subscription.
   */
  encodeEcho({ body, headers }: Frame, isOn: (topic: Topic) => boolean, version: StompVersion): StompFragments[] {
    const own = [...this.all.values()].filter(({ topic }) => isOn(topic));
    const destination = headers.get('destination') ?? '';
    const none: Subscription<Topic> = {
      topic: undefined,
      headers: `destination:${escapeHeader(destination, version)}\n`,
      hasAckHeader: false,
    };
    const contentType = escapeHeader(headers.get('content-type') ?? 'text/plain', version);
    return (own.length > 0 ? own : [none]).map((subscription) => this.encode(subscription, contentType, body));
  }

  private encode(
    { headers, hasAckHeader }: Subscription<Topic>,
    contentType: string,
    body: Uint8Array,
  ): StompFragments {
    this.messages += 1;
    const ack = hasAckHeader ? `ack:${this.messages}\n` : '';
    const head = `MESSAGE\n${headers}message-id:${this.messages}\n${ack}content-type:${contentType}\n`;
    return [Buffer.from(`${head}content-length:${body.length}\n\n`), body, nul];
  }
}

const nul = Buffer.of(0);
