import type { Env, Token } from 'markdown-it';
import { createParser } from './parse.js';
import { addTaskLists, type TaskBox } from './task-lists.js';

export type Attributes = Readonly<Record<string, string>>;

/** Functions and classes with which a page shows the links, images and blocks of a text. */
export interface TextPage {
  /** Returns the attributes of a link, including `href`. `isBare`: the text of the link is its target. */
  readonly link: (target: string, isBare: boolean) => Attributes;
  /** Returns the attributes of an image, including `src`; undefined if the page shows a link instead. */
  readonly image: (target: string) => Attributes | undefined;
  /** Returns the attributes of a link for a number such as #48211. If absent, numbers are text. */
  readonly number?: (digits: string) => Attributes;
  /** Returns the attributes of the box of a task in a list, by its line from 0. If absent, boxes are shown as typed. */
  readonly task?: (line: number) => Attributes;
  /** Returns the content that the page shows instead of a block of code; undefined to show the code. */
  readonly block?: (info: string, content: string) => string | undefined;
  /** Class of code inside a line. */
  readonly codeClass?: string;
  /** Class of a line that consists of several images and nothing else. */
  readonly picturesClass?: string;
  /** Class of the title of an image, which is shown under it. If absent, the title is only a hint. */
  readonly captionClass?: string;
  /** Class of a region around a table, which can be scrolled by keyboard. */
  readonly tableClass?: string;
}

/** Maximum length in UTF-16 code units. Laying out a longer text would block a page. */
const maxLength = 300_000;
/** Minimum length of the pieces into which a longer text is divided, in UTF-16 code units. */
const pieceLength = 4_000;

const { markdown, parse } = createParser();
const { renderer } = markdown;
const { escapeHtml } = markdown.utils;

/**
 * Renders a text in CommonMark as HTML that shows everything that was typed. HTML in the text is shown as text. So is
 * everything in a text of more than 300,000 characters.
 */
export function renderHtml(source: string, page: TextPage): string {
  return renderBlocks(source, page).join('');
}

/**
 * Renders like `renderHtml`, but returns blocks of one element each. A change within one block does not affect the
 * others.
 */
export function renderBlocks(source: string, page: TextPage): string[] {
  // Browsers do not show a line end directly after the tag.
  if (source.length > maxLength)
    return piecesOf(source).map((one) => `<pre class="plain">\n${escapeHtml(one)}</pre>\n`);
  const { tokens } = parse(source, page);
  const blocks: string[] = [];
  let start = 0;
  tokens.forEach((token, at) => {
    if (token.level > 0 || token.nesting > 0) return;
    const block = tokens.slice(start, at + 1);
    blocks.push(renderer.render(block, markdown.options as Required<typeof markdown.options>, { page }));
    start = at + 1;
  });
  return blocks;
}

/** Divides a text at empty lines, or otherwise at line ends. */
function piecesOf(source: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < source.length; ) {
    const empty = source.indexOf('\n\n', start + pieceLength) + 2;
    const end = source.indexOf('\n', start + pieceLength) + 1;
    const next = empty > 1 && empty < start + 2 * pieceLength ? empty : end || source.length;
    pieces.push(source.slice(start, next));
    start = next;
  }
  return pieces;
}

const pageOf = (env: Env | undefined) => env?.page as TextPage;

renderer.rules.task_box = (tokens, at, _options, env) => {
  const { line, isDone, label } = (tokens[at] as Token).meta as unknown as TaskBox;
  const state: Attributes = isDone ? { checked: '' } : {};
  return `<input${toHtml({ type: 'checkbox', 'aria-label': label, ...state, ...pageOf(env).task?.(line) })} /> `;
};
renderer.rules.list_marker = (tokens, at) => `<span class="marker">${escapeHtml(tokens[at]?.markup ?? '')}</span> `;
renderer.rules.paragraph_open = (tokens, at, options, env, self) => {
  const page = pageOf(env);
  const { picturesClass } = page;
  if (picturesClass !== undefined && isPictures(tokens[at + 1], page)) tokens[at]?.attrSet('class', picturesClass);
  return self.renderToken(tokens, at, options);
};
renderer.rules.link_open = (tokens, at, _options, env) => linkStart(tokens[at] as Token, pageOf(env));
renderer.rules.image = (tokens, at, _options, env) => {
  const token = tokens[at] as Token;
  const target = attributeOf(token, 'src') ?? '';
  const alt = altOf(token.children ?? []);
  const image = pageOf(env).image(target);
  if (image) return imageHtml(token, { ...image, alt }, pageOf(env));
  const link = pageOf(env).link(target, alt === '');
  return `<a${toHtml({ ...link, ...only(token, ['title']) })}>${escapeHtml(alt || target)}</a>`;
};
renderer.rules.code_inline = (tokens, at, _options, env) => {
  const { codeClass } = pageOf(env);
  const attributes: Attributes = codeClass === undefined ? {} : { class: codeClass };
  return `<code${toHtml(attributes)}>${escapeHtml(tokens[at]?.content ?? '')}</code>`;
};
renderer.rules.fence = (tokens, at, _options, env) => {
  const { info = '', content = '' } = tokens[at] ?? {};
  const instead = pageOf(env).block?.(info.trim(), content);
  if (instead !== undefined) return instead;
  const shown = info.trim() === '' ? '' : `<span class="info">${escapeHtml(info.trim())}</span>\n`;
  return `<pre>${shown}<code>${escapeHtml(content)}</code></pre>\n`;
};
renderer.rules.table_open = (_tokens, _at, _options, env) => {
  const { tableClass } = pageOf(env);
  if (tableClass === undefined) return '<table>\n';
  return `<div${toHtml({ class: tableClass, tabindex: '0', role: 'group' })}><table>\n`;
};
renderer.rules.table_close = (_tokens, _at, _options, env) =>
  pageOf(env).tableClass === undefined ? '</table>\n' : '</table></div>\n';

/** Whether the token is a line of several images and nothing else. */
function isPictures(token: Token | undefined, page: TextPage): boolean {
  const parts = (token?.children ?? []).filter(({ type, content }) => type !== 'text' || content.trim() !== '');
  const isPicture = (part: Token) => part.type === 'image' && page.image(attributeOf(part, 'src') ?? '') !== undefined;
  return parts.length > 1 && parts.every(isPicture);
}

function imageHtml(token: Token, image: Attributes, { captionClass }: TextPage): string {
  const title = attributeOf(token, 'title')?.trim() ?? '';
  const shown = captionClass === undefined ? ['title', 'width', 'height'] : ['width', 'height'];
  const picture = `<img${toHtml({ ...image, ...only(token, shown) })} />`;
  if (captionClass === undefined || title === '') return picture;
  return `<span class="captioned">${picture}<span${toHtml({ class: captionClass })}>${escapeHtml(title)}</span></span>`;
}

function linkStart(token: Token, page: TextPage): string {
  const target = attributeOf(token, 'href') ?? '';
  const link = token.info === 'number' ? page.number?.(target) : page.link(target, token.info === 'auto');
  return `<a${toHtml({ ...link, ...only(token, ['title']) })}>`;
}

function toHtml(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeHtml(value)}"`)
    .join('');
}

/** Returns the description of an image, without markup. */
function altOf(tokens: readonly Token[]): string {
  const say = (token: Token) => (token.children ? altOf(token.children) : token.tag === 'br' ? ' ' : token.content);
  return tokens.map(say).join('');
}

function attributeOf(token: Token, name: string): string | undefined {
  const value = token.attrGet(name);
  return value === null ? undefined : String(value);
}

function only(token: Token, names: readonly string[]): Attributes {
  return Object.fromEntries(
    (token.attrs ?? []).filter(([name]) => names.includes(name)).map(([name, value]) => [name, String(value)]),
  );
}

addTaskLists(markdown, (env) => pageOf(env).task !== undefined);

const number = /(?<![\w#&/])#(\d{1,12})(?!\w)/g;

/** Turns numbers such as #48211 into links, except inside links. */
markdown.core.ruler.push('numbers', (state) => {
  if (pageOf(state.env).number === undefined) return;
  for (const block of state.tokens) {
    let depth = 0;
    block.children &&= block.children.flatMap((token) => {
      depth += token.type === 'link_open' ? 1 : token.type === 'link_close' ? -1 : 0;
      const isText = token.type === 'text' && depth === 0 && token.content.includes('#');
      return isText ? linkNumbers(token.content, state.Token) : [token];
    });
  }
});

function linkNumbers(content: string, TokenClass: typeof Token): Token[] {
  const text = (part: string) => Object.assign(new TokenClass('text', '', 0), { content: part });
  const tokens: Token[] = [];
  let at = 0;
  for (const match of content.matchAll(number)) {
    const open = Object.assign(new TokenClass('link_open', 'a', 1), { info: 'number' });
    open.attrSet('href', match[1] ?? '');
    tokens.push(text(content.slice(at, match.index)), open, text(match[0]), new TokenClass('link_close', 'a', -1));
    at = match.index + match[0].length;
  }
  return [...tokens, text(content.slice(at))];
}
