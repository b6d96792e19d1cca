import { onOneLine } from '../../kernel/text.js';
import type { DeliveredChange, Delivery } from '../../notifications/subscribers/sender.port.js';

const maxSubjectLength = 200;
const maxTitleLength = 500;
const maxTextLength = 4_000;

const labels = { created: 'New', edited: 'Edited', annotated: 'Supplemented' } as const;

export interface MailFrame {
  /** Sender: an address, or a name and an address. */
  readonly from: string;
  readonly to: readonly string[];
  /** IANA time zone of the times in the mail. */
  readonly zone: string;
}

/**
 * Formats a delivery as a plain-text mail. The Message-ID is the same for every attempt, so that mail programs hide
 * duplicates.
 */
export function toMail({ id, subscriber, changes, personal }: Delivery, { from, to, zone }: MailFrame) {
  const times = timeFormat(zone);
  const domain = /@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  const footer = personal
    ? `The logbook sends what arrives in your inbox. To stop these mails, open ${personal.unsubscribeUrl}`
    : `Sent by the logbook to the subscriber ${subscriber}.`;
  return {
    from,
    to: [...to],
    subject: formatSubject(changes),
    text: `${changes.map((change) => formatChange(change, times)).join('\n\n')}\n\n-- \n${footer}\n`,
    messageId: `<${id}@${domain}>`,
    ...(personal?.thread !== undefined && toThreadHeaders(`<thread-${personal.thread}@${domain}>`)),
    headers: {
      ...{ 'Auto-Submitted': 'auto-generated', 'X-Logbook-Delivery': id },
      ...(personal && {
        'List-Unsubscribe': `<${personal.unsubscribeUrl}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

/** Returns headers that make mail programs group the mails of a thread, as replies to a message that does not exist. */
const toThreadHeaders = (threadId: string) => ({ inReplyTo: threadId, references: threadId });

function formatSubject(changes: readonly DeliveredChange[]): string {
  const [first] = changes;
  const title = boundedLine(first?.stored.entry.title ?? '', maxSubjectLength);
  if (changes.length === 1) return `[Logbook] ${boundedLine(first?.stored.entry.level ?? '', 60)}: ${title}`;
  return `[Logbook] ${changes.length} entries: ${title}`;
}

function formatChange({ kind, stored: { entry }, link }: DeliveredChange, times: Intl.DateTimeFormat): string {
  const names = (list: readonly { readonly name: string }[]) =>
    boundedLine(list.map(({ name }) => name).join(', '), maxTitleLength);
  const lines = [
    `${labels[kind]}: ${boundedLine(entry.title, maxTitleLength)}`,
    `${boundedLine(entry.owner, 100)}, ${times.format(entry.createdDate)}, ${boundedLine(entry.level, 60)}`,
    `Logbooks: ${names(entry.logbooks)}`,
    ...(entry.tags.length > 0 ? [`Tags: ${names(entry.tags)}`] : []),
    ...(entry.attachments.length > 0 ? [`Attachments: ${entry.attachments.length}`] : []),
    ...(link === undefined ? [] : [link]),
  ];
  const text = truncate(entry.description.trim(), maxTextLength);
  return text === '' ? lines.join('\n') : `${lines.join('\n')}\n\n${text}`;
}

/** Returns the format of times such as `2026-11-29 03:12 CET`. */
function timeFormat(timeZone: string): Intl.DateTimeFormat {
  // Swedish has the date and time of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', {
    ...({ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const),
    ...({ timeZoneName: 'short', timeZone } as const),
  });
}

/** Replaces line breaks and control characters, so that the text cannot end a header. */
function boundedLine(text: string, maxLength: number): string {
  return truncate(onOneLine(text).trim(), maxLength);
}

function truncate(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}
