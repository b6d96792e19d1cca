import { onOneLine } from '../../kernel/text.js';
import type { DeliveredChange, Delivery, Outcome, Sender } from '../../notifications/subscribers/sender.port.js';
import {
  postTo,
  type ReceivedResponse,
  type Resolve,
  refusalStatuses,
  resolveName,
  type Target,
  toOutcome,
} from './post-json.js';
import { userAgent } from './webhook-sender.js';

const maxValueLength = 300;

/**
 * A URL, or a character that Markdown would interpret. An underscore within a word is text, and so is a backslash
 * before a letter.
 */
const urlOrMarkup = /https?:\/\/\S+|[`*]|\\(?!\w)|~(?=~)|(?<![a-z\d])_|_(?![a-z\d])/gi;

/** A heading, list item, rule or table at the beginning of a line. */
const blockMark = /^(\d{1,9}(?=[.)]\s)|(?=(?:#{1,6}|[-+]|-{3,}|={2,})(?:\s|$)|[|]))/;

/**
 * Time for which a message is retried after a 400. Mattermost also sends it for a valid webhook or user while its
 * database is unreachable. A message that it refuses for ever must not delay the next ones for longer.
 */
const maxBadRequestMs = 3_600_000;
const chatRefusals = refusalStatuses.filter((status) => status !== 400);

export interface ChatTarget extends Target {
  /** Template of a line, with placeholders such as `{title}`. */
  readonly text: string;
  /** Recipient of the messages: a channel, or a user as `@name`; undefined: the channel of the webhook. */
  readonly channel?: string;
}

/** Posts one line per change to an incoming webhook of Slack, Mattermost or a compatible chat. */
export class ChatSender implements Sender {
  constructor(
    private readonly target: ChatTarget,
    private readonly resolve: Resolve = resolveName,
  ) {}

  send({ id, changes }: Delivery, signal: AbortSignal): Promise<Outcome> {
    const { text: template, channel } = this.target;
    const text = changes.map((change) => formatLine(change, template)).join('\n');
    // JSON omits an undefined channel.
    const body = JSON.stringify({ channel, text });
    const headers = { 'user-agent': userAgent, 'x-logbook-delivery': id };
    return postTo(this.target, { body, headers }, { stop: signal, resolve: this.resolve, toOutcome: toChatOutcome });
  }
}

function toChatOutcome(response: ReceivedResponse, url: URL): Outcome {
  const outcome = toOutcome(response, url, chatRefusals);
  return response.status === 400 && outcome.kind === 'failed' ? { ...outcome, maxAgeMs: maxBadRequestMs } : outcome;
}

/**
 * Fills in the placeholders of the template. Unknown ones are left as they are. An empty line becomes the number of the
 * entry, because chats refuse an empty message.
 */
function formatLine({ kind, stored: { entry }, link }: DeliveredChange, template: string): string {
  const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name).join(', ');
  const values: Readonly<Record<string, string>> = {
    id: String(entry.id),
    kind,
    title: entry.title,
    owner: entry.owner,
    level: entry.level,
    logbooks: names(entry.logbooks),
    tags: names(entry.tags),
  };
  const line = template.replace(/\{(\w+)\}/g, (placeholder, name: string, at: number) => {
    if (name === 'link') return link ?? '';
    if (!(name in values)) return placeholder;
    const value = sanitize(values[name] ?? '');
    return template.slice(0, at).trim() === '' ? value.replace(blockMark, '$1\\') : value;
  });
  return line.trim() || `#${entry.id}`;
}

/** Makes user input safe for a chat: one line without mentions, markup or disguised links. */
function sanitize(value: string): string {
  const line = onOneLine(value);
  const bounded = line.length > maxValueLength ? `${line.slice(0, maxValueLength).toWellFormed()}…` : line;
  return bounded
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b')
    .replace(urlOrMarkup, (part) => (part.length > 1 ? part : `\\${part}`))
    .replaceAll('](', ']\u200b(');
}
