import { groupPropertyName } from '../api/group-property.ts';
import type { Hit, Span } from '../api/types.ts';
import { wordPatterns } from './word-patterns.ts';

/** A match outside the title and the shown part of the text. */
export type OtherMatch =
  | { readonly in: 'file' | 'tag'; readonly text: string; readonly spans: readonly Span[] }
  | { readonly in: 'property'; readonly name: string; readonly text: string; readonly spans: readonly Span[] }
  /** The text of this file matched; undefined: one of several files, and it is unknown which. */
  | { readonly in: 'fileText'; readonly name: string | undefined };

/** Files whose text the service does not search. */
const withoutText = /^(?:image|video|audio|font)\//;

/** Returns a match of the search that the row does not show; undefined if it shows all. */
export function otherMatch(hit: Hit, query: string | undefined): OtherMatch | undefined {
  const { title, snippet = '', highlights, logbooks, owner, ownerName, level } = hit;
  const shown = [title, snippet, owner, ownerName ?? '', level, ...logbooks.map(({ name }) => name)].join('\n');
  const hidden = wordPatterns(query).filter((pattern) => !shown.match(pattern));
  for (const pattern of hidden) {
    const found = inFields(hit, pattern);
    if (found) return found;
  }
  const isUnmarked = !highlights?.title?.length && !highlights?.snippet?.length;
  if (hidden.length === 0 || !isUnmarked) return undefined;
  const files = hit.attachments.filter(({ contentType }) => !withoutText.test(contentType ?? ''));
  if (files.length === 0) return undefined;
  return { in: 'fileText', name: files.length === 1 ? files[0]?.filename : undefined };
}

function inFields({ attachments, tags, properties }: Hit, pattern: RegExp): OtherMatch | undefined {
  for (const { filename } of attachments) {
    const spans = spansOf(filename, pattern);
    if (spans.length > 0) return { in: 'file', text: filename, spans };
  }
  for (const { name } of tags) {
    const spans = spansOf(name, pattern);
    if (spans.length > 0) return { in: 'tag', text: name, spans };
  }
  for (const { name, attributes } of properties.filter((one) => one.name !== groupPropertyName)) {
    for (const attribute of attributes) {
      const text = attribute.value ?? '';
      const spans = spansOf(text, pattern);
      const isNamed =
        spans.length > 0 || spansOf(name, pattern).length > 0 || spansOf(attribute.name, pattern).length > 0;
      if (isNamed) return { in: 'property', name: `${name}.${attribute.name}`, text, spans };
    }
  }
  return undefined;
}

function spansOf(text: string, pattern: RegExp): Span[] {
  return Array.from(text.matchAll(pattern), ({ 0: found, index }): Span => [index, index + found.length]);
}

/** Maximum length of the text before its first match: more would push the match out of sight in a list. */
const maxLead = 14;

/** Returns a snippet from shortly before its first match. */
export function visibleSnippet(
  text: string,
  spans: readonly Span[] = [],
): { readonly text: string; readonly spans: readonly Span[] } {
  const first = spans[0]?.[0] ?? 0;
  if (first <= maxLead) return { text, spans };
  const earliest = first - maxLead + 1;
  const space = text.indexOf(' ', earliest - 1);
  const from = space >= 0 && space < first ? space + 1 : isPairAt(text, earliest) ? earliest + 1 : earliest;
  return { text: `…${text.slice(from)}`, spans: spans.map(([start, end]): Span => [start - from + 1, end - from + 1]) };
}

/** Whether a cut here would divide a surrogate pair. */
function isPairAt(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
