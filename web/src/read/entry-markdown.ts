import type { Entry } from '../api/types.ts';
import { escapeMarkdown } from '../hand-over/escape-markdown.ts';

type Shown = Pick<Entry, 'title' | 'level' | 'owner' | 'ownerName' | 'logbooks' | 'tags' | 'source' | 'attachments'>;

interface Addresses {
  readonly address: string;
  readonly fileAddress: (attachmentId: string) => string;
}

/** Returns an entry as a self-contained text, with its address. */
export function toMarkdown(
  { title, level, owner, ownerName, logbooks, tags, source, attachments }: Shown,
  { created, address, fileAddress }: Addresses & { readonly created: string },
): string {
  const names = [...logbooks, ...tags].map(({ name }) => name).join(', ');
  const facts = [level, ownerName ?? owner, created, names].map(escapeMarkdown);
  const ids = new Set(attachments.map(({ id }) => id));
  const text = withWholeAddresses(source, (id) => ids.has(id), fileAddress);
  return `# ${escapeMarkdown(title)}\n\n${[...facts, address].join(' · ')}\n\n${text}\n`;
}

const target = /\]\((?:\.?\/)?(?:[\w.-][\w/.-]*\/)?attachment\/([^)\s?]+)/g;

/** Makes the addresses of attachments in links and images absolute: outside the page, relative ones lead nowhere. */
function withWholeAddresses(
  source: string,
  isAttachment: (id: string) => boolean,
  addressOf: Addresses['fileAddress'],
) {
  return source.replace(target, (whole, id: string) => (isAttachment(id) ? `](${addressOf(id)}` : whole));
}
