import type { DeliveredChange, Delivery } from '../../notifications/subscribers/sender.port.js';

const longestSubject = 200;
const longestTitle = 500;
const longestText = 4_000;

const said = { created: 'New', edited: 'Edited', annotated: 'Joined a group' } as const;

/** A delivery as a mail in plain text. Its Message-ID is the same each time, so that mail programs show it once. */
export function mailOf({ id, subscriber, changes }: Delivery, from: string, to: readonly string[]) {
  const domain = /@([^@\s>]+)>?\s*$/.exec(from)?.[1] ?? 'localhost';
  return {
    from,
    to: [...to],
    subject: subjectOf(changes),
    text: `${changes.map(paragraphOf).join('\n\n')}\n\n-- \nSent by the logbook to the subscriber ${subscriber}.\n`,
    messageId: `<${id}@${domain}>`,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Logbook-Delivery': id },
    disableFileAccess: true,
    disableUrlAccess: true,
  };
}

function subjectOf(changes: readonly DeliveredChange[]): string {
  const [first] = changes;
  const title = onOneLine(first?.stored.entry.title ?? '', longestSubject);
  if (changes.length === 1) return `[Logbook] ${onOneLine(first?.stored.entry.level ?? '', 60)}: ${title}`;
  return `[Logbook] ${changes.length} entries: ${title}`;
}

function paragraphOf({ kind, stored: { entry }, link }: DeliveredChange): string {
  const names = (list: readonly { readonly name: string }[]) =>
    onOneLine(list.map(({ name }) => name).join(', '), longestTitle);
  const lines = [
    `${said[kind]}: ${onOneLine(entry.title, longestTitle)}`,
    `${onOneLine(entry.owner, 100)}, ${new Date(entry.createdDate).toISOString()}, ${onOneLine(entry.level, 60)}`,
    `Logbooks: ${names(entry.logbooks)}`,
    ...(entry.tags.length > 0 ? [`Tags: ${names(entry.tags)}`] : []),
    ...(entry.attachments.length > 0 ? [`Attachments: ${entry.attachments.length}`] : []),
    ...(link === '' ? [] : [link]),
  ];
  const text = bounded(entry.description.trim(), longestText);
  return text === '' ? lines.join('\n') : `${lines.join('\n')}\n\n${text}`;
}

/** What would end a header line ends nothing. */
function onOneLine(text: string, longest: number): string {
  return bounded(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), longest);
}

function bounded(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest).toWellFormed()}…` : text;
}
