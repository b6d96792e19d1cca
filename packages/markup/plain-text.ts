import type { Token } from 'markdown-it';
import { markerOf } from './list-markers.js';
import { createParser, type ParsedText } from './parse.js';

const parser = createParser();

/**
 * Returns a text in CommonMark as plain text, without losing a word. Each block, table row and line break becomes a
 * line, with cells separated by a space and list markers as typed. Images become their descriptions, and the target of
 * a link follows its text.
 */
export function plainTextOf(source: string): string {
  const parsed = parser.parse(source);
  const lines: string[] = [];
  let line = '';
  const endLine = () => {
    const text = line.trim();
    if (text !== '') lines.push(text);
    line = '';
  };
  for (const token of parsed.tokens) {
    if (token.type === 'inline') line += inlineText(token.children ?? [], parsed);
    else if (token.type === 'fence' || token.type === 'code_block') {
      line += token.info.trim();
      endLine();
      if (token.content !== '') lines.push(token.content.replace(/\n$/, ''));
    } else if (token.type === 'th_close' || token.type === 'td_close') line += ' ';
    else if (token.type === 'list_item_open') line += `${markerOf(token)} `;
    else if (token.block && (token.nesting === -1 || token.type === 'hr')) endLine();
  }
  endLine();
  return lines.join('\n');
}

function inlineText(tokens: readonly Token[], parsed: ParsedText): string {
  // Parts are collected in an array: the end of a link needs the link's text, and slicing a growing string would take
  // quadratic time.
  const said: string[] = [];
  const links: { readonly token: Token; readonly start: number }[] = [];
  for (const token of tokens) {
    if (token.type === 'softbreak' || token.type === 'hardbreak') said.push('\n');
    else if (token.type === 'image') said.push(imageText(token, parsed));
    else if (token.type === 'link_open') links.push({ token, start: said.length });
    else if (token.type === 'link_close') {
      const link = links.pop();
      if (link) said.push(linkNote(link.token, said.slice(link.start).join(''), parsed));
    } else said.push(token.content);
  }
  return said.join('');
}

/** Returns the target of a link, unless it equals the link's text, and the title. */
function linkNote(token: Token, text: string, { typedTarget }: ParsedText): string {
  const href = String(token.attrGet('href') ?? '');
  const target = typedTarget(href);
  const isSaid = token.info === 'auto' || [target, href, target.replace(/^mailto:/i, '')].includes(text);
  return note([isSaid ? '' : target, String(token.attrGet('title') ?? '')]);
}

/**
 * Returns the description and title of an image. An external image also has its address, because it may not be shown.
 */
function imageText(token: Token, parsed: ParsedText): string {
  const source = String(token.attrGet('src') ?? '');
  const text = inlineText(token.children ?? [], parsed);
  const target = /^(?:[a-z]+:|\/\/)/i.test(source) ? parsed.typedTarget(source) : '';
  return text + note([target === text ? '' : target, String(token.attrGet('title') ?? '')]);
}

function note(parts: readonly string[]): string {
  const said = parts.filter((part) => part !== '');
  return said.length === 0 ? '' : ` (${said.join(', ')})`;
}
