import { quoted } from '../../kernel/fault.js';
import type { EntryNotification } from '../live/announcement.js';
import { escapeHeader, type Frame, type FramePieces, StompError, type StompVersion } from './frame.js';
import { sessionLimits } from './negotiation.js';
import { findTopic, messageFor, type Topic } from './topics.js';

interface Subscription {
  readonly topic: Topic;
  /** The headers that each of its messages has, written out. */
  readonly headers: string;
  /** Whether messages say what an ACK would name. */
  readonly named: boolean;
}

/** What one client follows. */
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
        `There is no topic ${quoted(destination)}. Topics are the path of the socket with /messages, /topic/entries and /topic/logbooks/{name}.`,
      );
    }
    if (id === undefined && version !== '1.0') throw new StompError('The header “id” is missing.');
    const key = id ?? `destination ${destination}`;
    if (this.all.has(key)) throw new StompError(`There is a subscription ${quoted(id ?? destination)} already.`);
    if (this.all.size >= sessionLimits.subscriptions) {
      throw new StompError(`A connection has at most ${sessionLimits.subscriptions} subscriptions.`);
    }
    const written = [['destination', destination], ...(id === undefined ? [] : [['subscription', id]])];
    this.all.set(key, {
      topic,
      headers: written.map(([name = '', value = '']) => `${name}:${escapeHeader(value, version)}\n`).join(''),
      named: version === '1.2' && (headers.get('ack') ?? 'auto') !== 'auto',
    });
  }

  /** No effect when there is no such subscription. */
  remove(headers: ReadonlyMap<string, string>): void {
    this.all.delete(headers.get('id') ?? `destination ${headers.get('destination') ?? ''}`);
  }

  framesFor(announcement: EntryNotification): FramePieces[] {
    const frames: FramePieces[] = [];
    for (const subscription of this.all.values()) {
      const message = messageFor(subscription.topic, announcement);
      if (message) frames.push(this.frame(subscription, message.contentType, message.body));
    }
    return frames;
  }

  /** Answers on what the client itself follows; without a subscription, on none. */
  echo({ body, headers }: Frame, destination: string, version: StompVersion): FramePieces[] {
    const own = [...this.all.values()].filter(({ topic }) => topic.kind === 'messages' || topic.kind === 'echo');
    const none: Subscription = {
      topic: { kind: 'echo' },
      headers: `destination:${escapeHeader(destination, version)}\n`,
      named: false,
    };
    const contentType = escapeHeader(headers.get('content-type') ?? 'text/plain', version);
    return (own.length > 0 ? own : [none]).map((subscription) => this.frame(subscription, contentType, body));
  }

  private frame({ headers, named }: Subscription, contentType: string, body: Uint8Array): FramePieces {
    this.messages += 1;
    const ack = named ? `ack:${this.messages}\n` : '';
    const head = `MESSAGE\n${headers}message-id:${this.messages}\n${ack}content-type:${contentType}\n`;
    return [Buffer.from(`${head}content-length:${body.length}\n\n`), body, nul];
  }
}

const nul = Buffer.of(0);
