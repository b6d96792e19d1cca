import type { Entry } from '../api/types.ts';
import { escapeMarkdown } from '../hand-over/escape-markdown.ts';

type Shown = Pick<Entry, 'title' | 'level' | 'owner' | 'ownerName' | 'logbooks' | 'tags' | 'source'>;

/** Returns an entry as a text that stands for itself, with its address. */
export function toMarkdown(
  { title, level, owner, ownerName, logbooks, tags, source }: Shown,
  { created, address }: { readonly created: string; readonly address: string },
): string {
  const names = [...logbooks, ...tags].map(({ name }) => name).join(', ');
  const facts = [level, ownerName ?? owner, created, names].map(escapeMarkdown);
  return `# ${escapeMarkdown(title)}\n\n${[...facts, address].join(' · ')}\n\n${source}\n`;
}
