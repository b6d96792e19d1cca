import type TurndownService from 'turndown';
import { escapeMarkup, type FindFile } from './markup-text.js';

/** Elements that CommonMark has, or that mean nothing by themselves. */
const known = new Set(
  'p br b strong i em a ul ol li h1 h2 h3 h4 h5 h6 pre code blockquote hr img div span table tbody thead tr td th html head body title meta tt'.split(
    ' ',
  ),
);
/** Attributes that say something which CommonMark cannot. */
const formatting = /\s(style|color|bgcolor|align|colspan|rowspan|face|size|background)\s*=/i;
/** The parser takes the square of the length of some texts. */
const maxHtmlLength = 500_000;
const maxDepth = 200;
/** Elements that contain nothing, or that the next one of their kind ends. */
const flat = /^(br|img|hr|meta|link|input|col|p|li|tr|td|th)$/i;

let service: TurndownService | undefined;

/**
 * Converts HTML to CommonMark. Scripts and styles are dropped; what has no form in CommonMark becomes its text.
 * A text that cannot be converted, because it is too long or too deep, becomes its text without the elements.
 */
export async function fromHtml(
  html: string,
  findFile: FindFile,
): Promise<{ readonly source: string; readonly isLossy: boolean }> {
  const tags = [...html.matchAll(/<(\/?)([a-z][a-z0-9:-]{0,30})([^<>]*)>/gi)];
  if (html.length > maxHtmlLength || depthOf(tags) > maxDepth) {
    return { source: escapeMarkup(html.replace(/<[^<>]*>/g, ' ').replace(/\s+/g, ' ')), isLossy: true };
  }
  const isLossy = tags.some(([, , name = '', attributes = '']) => {
    return !known.has(name.toLowerCase()) || formatting.test(attributes);
  });
  const linked = html.replace(
    /(\s(?:src|href)=)(["'])([^"'<>\n]{0,4000})\2/gi,
    (whole, name: string, quote: string, to: string) => {
      const file = findFile(to.replaceAll('&amp;', '&'));
      return file === undefined ? whole : `${name}${quote}${file}${quote}`;
    },
  );
  service ??= await createService();
  return { source: service.turndown(linked), isLossy };
}

/** At most how deep elements are nested. */
function depthOf(tags: readonly RegExpMatchArray[]): number {
  let [depth, deepest] = [0, 0];
  for (const [, end, name = ''] of tags) {
    if (flat.test(name)) continue;
    depth = Math.max(0, depth + (end === '/' ? -1 : 1));
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

async function createService(): Promise<TurndownService> {
  const { default: Turndown } = await import('turndown');
  const created = new Turndown({
    headingStyle: 'atx',
    codeBlockStyle: 'fenced',
    bulletListMarker: '-',
    emDelimiter: '*',
  });
  created.remove(['script', 'style', 'noscript', 'title']);
  created.addRule('cell', {
    filter: ['td', 'th'],
    replacement: (content) => ` ${content.trim().replace(/\n+/g, ' ').replaceAll('|', '\\|')} |`,
  });
  created.addRule('row', {
    filter: 'tr',
    replacement: (content, node) => {
      const isFirst = (node as unknown as { previousElementSibling: unknown }).previousElementSibling === null;
      const cells = (node as unknown as { children: { length: number } }).children.length;
      const body = (node.parentNode as unknown as { previousElementSibling: unknown } | null)?.previousElementSibling;
      const isHead = isFirst && (body === null || body === undefined);
      return `\n|${content}${isHead ? `\n|${' --- |'.repeat(cells)}` : ''}`;
    },
  });
  created.addRule('table', {
    filter: 'table',
    replacement: (content) => `\n\n${content.replace(/\n{2,}/g, '\n').trim()}\n\n`,
  });
  created.addRule('section', { filter: ['tbody', 'thead'], replacement: (content) => content });
  return created;
}
