import MarkdownIt, { type Token } from 'markdown-it';
import { rootPath } from '../app/root-path.ts';
import { trustedHtml } from '../app/trusted-types.ts';

/** As the server reads markup; addresses without brackets are links too. */
const markdown = new MarkdownIt('commonmark', { html: false, maxNesting: 50, linkify: true })
  .enable('table')
  .enable('linkify');
markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });

/** Longer texts are shown as they are: laying them out would hold up the page. */
const maxLength = 300_000;

markdown.core.ruler.push('entry-references', (state) => {
  for (const token of state.tokens) if (token.children) token.children = withReferences(token.children, state.Token);
});
markdown.core.ruler.push('cell-classes', (state) => {
  for (const token of state.tokens) if (token.attrs && /^t[hd]_open$/.test(token.type)) alignByClass(token);
});
markdown.core.ruler.push('image-sizes', (state) => {
  for (const token of state.tokens) if (token.children) readImageSizes(token.children);
});

const { rules } = markdown.renderer;
rules.image = (tokens, at) => renderImage(tokens[at] as Token);
rules.table_open = () => '<div class="table-scroll" tabindex="0" role="group"><table>';
rules.table_close = () => '</table></div>';
rules.code_inline = (tokens, at) => `<code class="device">${escapeHtml(tokens[at]?.content ?? '')}</code>`;
rules.link_open = (tokens, at, options, _env, renderer) => {
  const token = tokens[at] as Token;
  const href = attribute(token, 'href') ?? '';
  if (/^[a-z]+:/i.test(href)) {
    token.attrSet('target', '_blank');
    token.attrSet('rel', 'noreferrer');
    // Its text is the address, which a print needs not repeat.
    if (token.info === 'auto') token.attrJoin('class', 'bare');
  } else token.attrSet('href', ownAddress(href));
  return renderer.renderToken(tokens, at, options);
};

function attribute(token: Token, name: string): string | undefined {
  const value = token.attrGet(name);
  return value === null ? undefined : String(value);
}

const escapeHtml = (text: string): string => markdown.utils.escapeHtml(text);

/** The policy of the page forbids style attributes, with which the parser aligns cells. */
function alignByClass(token: Token): void {
  const [, align] = /^text-align:\s*(\w+)/.exec(attribute(token, 'style') ?? '') ?? [];
  token.attrs = align === undefined ? null : [['class', `align-${align}`]];
}

/** An address in a text is relative to the root path; `#48211` is an entry. */
function ownAddress(href: string): string {
  const [, id] = /^#(\d+)$/.exec(href) ?? [];
  if (id !== undefined) return `/entries/${id}`;
  return /^(attachment|logs)\//.test(href) ? `${rootPath}/${href}` : href;
}

/** An image of this service is shown; of any other only its address, which the reader may open. */
function renderImage(token: Token): string {
  const source = attribute(token, 'src') ?? '';
  const alt = escapeHtml(token.content);
  const [, id] = /^(?:\.?\/)?(?:[\w/.-]*\/)?attachment\/([^/?#]+)$/.exec(source) ?? [];
  if (id === undefined || /^[a-z]+:/i.test(source)) {
    return `<a href="${escapeHtml(source)}" target="_blank" rel="noreferrer">${alt || escapeHtml(source)}</a>`;
  }
  const attributes = ['width', 'height']
    .map((name) => [name, attribute(token, name)] as const)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeHtml(value)}"`))
    .join('');
  return `<img src="${escapeHtml(`${rootPath}/attachment/${id}?inline=true`)}" alt="${alt}" data-attachment="${escapeHtml(id)}"${attributes}>`;
}

const imageSize = /^\{\s*((?:(?:width|height)=["']?\d+(?:px)?["']?\s*)+)\}/;

/** Takes the size that follows an image, such as {width=640 height=480}, as its attributes. */
function readImageSizes(tokens: readonly Token[]): void {
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    if (token.type !== 'image' || next?.type !== 'text') return;
    const [whole, sizes] = imageSize.exec(next.content) ?? [];
    if (whole === undefined || sizes === undefined) return;
    next.content = next.content.slice(whole.length);
    for (const [, name, value] of sizes.matchAll(/(width|height)=["']?(\d+)/g)) {
      if (name !== undefined && value !== undefined) token.attrSet(name, value);
    }
  });
}

const reference = /(?<![\w#&/])#(\d{1,12})(?!\w)/g;

/** Makes links of entry numbers such as #48211 outside of links. */
function withReferences(tokens: readonly Token[], TokenClass: typeof Token): Token[] {
  let depth = 0;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open') depth += 1;
    if (token.type === 'link_close') depth -= 1;
    if (token.type !== 'text' || depth > 0 || !token.content.includes('#')) return [token];
    return splitReferences(token.content, TokenClass);
  });
}

function splitReferences(content: string, TokenClass: typeof Token): Token[] {
  const text = (part: string) => Object.assign(new TokenClass('text', '', 0), { content: part });
  const tokens: Token[] = [];
  let at = 0;
  for (const match of content.matchAll(reference)) {
    const open = new TokenClass('link_open', 'a', 1);
    open.attrSet('href', `/entries/${match[1]}`);
    open.attrSet('data-entry', match[1] ?? '');
    tokens.push(text(content.slice(at, match.index)), open, text(match[0]), new TokenClass('link_close', 'a', -1));
    at = match.index + match[0].length;
  }
  return [...tokens, text(content.slice(at))];
}

/** Renders CommonMark. HTML in the text stays text. */
export function renderMarkdown(source: string): string {
  if (source.length > maxLength) return trustedHtml(`<pre class="plain">${escapeHtml(source)}</pre>`);
  return trustedHtml(markdown.render(source));
}
