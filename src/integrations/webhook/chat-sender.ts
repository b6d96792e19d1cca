import type { DeliveredChange, Delivery, Outcome, Sender } from '../../notifications/subscribers/sender.port.js';
import { postJson, type Resolve, resolveName, type Target } from './post-json.js';
import { userAgent } from './webhook-sender.js';

const longestValue = 300;

/** Posts a line for each change to an incoming webhook of Slack, Mattermost, or what understands the same. */
export class ChatSender implements Sender {
  constructor(
    /** `text`: of a line, with `{title}` and the like in it. */
    private readonly target: Target & { readonly text: string },
    private readonly resolve: Resolve = resolveName,
  ) {}

  send({ id, changes }: Delivery, signal: AbortSignal): Promise<Outcome> {
    const body = JSON.stringify({ text: changes.map((change) => lineOf(change, this.target.text)).join('\n') });
    const headers = { 'user-agent': userAgent, 'x-logbook-delivery': id };
    return postJson(this.target, { body, headers }, signal, this.resolve);
  }
}

/** The template with its placeholders filled in. */
export function lineOf({ kind, stored: { entry }, link }: DeliveredChange, template: string): string {
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
  return template
    .replace(/\{(\w+)\}/g, (placeholder, name: string) =>
      name === 'link' ? link : name in values ? harmless(values[name] ?? '') : placeholder,
    )
    .trim();
}

/** As it reads, but on one line, mentioning nobody and linking nowhere: it is what somebody wrote in an entry. */
function harmless(value: string): string {
  const line = value.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ');
  const bounded = line.length > longestValue ? `${line.slice(0, longestValue).toWellFormed()}…` : line;
  return bounded
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('@', '@\u200b')
    .replaceAll('](', ']\u200b(');
}
