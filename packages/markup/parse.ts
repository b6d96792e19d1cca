import CommonMark, { type Env, type MarkdownIt, type Token } from 'markdown-it';
import { isAddress } from './address.js';
import { addBlockRules } from './block-rules.js';
import { type DefinitionEnv, definitionsIn, keepDefinitions, usedLabels } from './definitions.js';
import { addInlineRules } from './inline-rules.js';
import { showMarkers } from './list-markers.js';
import { keepExtraCells } from './table-rules.js';

/**
 * Maximum nesting of the parser, which drops deeper content. No text reaches it, because `addBlockRules` limits the
 * nesting.
 */
const maxNesting = 100;

/** A text in CommonMark, parsed by the rules of this package. */
export interface ParsedText {
  readonly tokens: Token[];
  /** Returns a link target as it was typed. The parser returns it in encoded form. */
  readonly typedTarget: (href: string) => string;
}

export interface MarkupParser {
  readonly markdown: MarkdownIt;
  /** Parses a text. Rules can read `page` as `env.page`. */
  readonly parse: (source: string, page?: object) => ParsedText;
}

/** Creates a parser of CommonMark with tables, image sizes and bare links, which drops nothing that was typed. */
export function createParser(): MarkupParser {
  const markdown = new CommonMark('commonmark', { html: false, linkify: true, breaks: true, maxNesting });
  markdown.enable(['table', 'linkify']);
  markdown.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  markdown.linkify.add('//', null);
  const typed = rememberTargets(markdown);
  markdown.core.ruler.after('normalize', 'line-ends', (state) => {
    // Pasted text may contain these characters, which no browser shows as line ends.
    state.src = state.src.replace(/[\u000b\u000c\u0085\u2028\u2029]/g, '\n');
  });
  keepDefinitions(markdown);
  addBlockRules(markdown);
  keepExtraCells(markdown);
  addInlineRules(markdown);
  markdown.core.ruler.push('list-markers', (state) => showMarkers(state.tokens, state.Token));
  markdown.core.ruler.push('links', (state) => {
    for (const token of state.tokens) {
      const hasLinks = token.children?.some(({ type }) => type === 'link_open' || type === 'image');
      if (token.children && hasLinks) token.children = withVisibleLinks(token.children, state.Token, typed);
    }
  });
  const parse = (source: string, page?: object): ParsedText => {
    typed.clear();
    return { tokens: parseTwice(markdown, source, page), typedTarget: (href) => typed.get(href) ?? href };
  };
  return { markdown, parse };
}

/** Records each target as it was typed, and refuses targets that are not addresses. */
function rememberTargets(markdown: MarkdownIt): Map<string, string> {
  const typed = new Map<string, string>();
  const normalize = markdown.normalizeLink.bind(markdown);
  const isHarmless = markdown.validateLink.bind(markdown);
  markdown.normalizeLink = (url) => {
    const href = normalize(url);
    typed.set(href, url);
    return href;
  };
  markdown.normalizeLinkText = (url) => url;
  markdown.validateLink = (href) => isAddress(href) && isHarmless(href);
  return typed;
}

/** Parses a text a second time if it has a definition that no link uses, because an unused definition is text. */
function parseTwice(markdown: MarkdownIt, source: string, page: object | undefined): Token[] {
  const env: DefinitionEnv & Env = { page };
  const tokens = markdown.parse(source, env);
  const definitions = definitionsIn(env);
  if (definitions.length === 0) return tokens;
  const used = usedLabels(tokens);
  const seen = new Set<string>();
  const kept = definitions.filter(({ label }) => {
    const isFirst = !seen.has(label);
    seen.add(label);
    return isFirst && used.has(label);
  });
  if (kept.length === definitions.length) return tokens;
  const again: DefinitionEnv & Env = { page, keptDefinitions: new Set(kept.map(({ line }) => line)) };
  return markdown.parse(source, again);
}

/** Shows the target of a link without a text, and a link without a target as it was typed. */
function withVisibleLinks(
  tokens: readonly Token[],
  TokenClass: typeof Token,
  typed: ReadonlyMap<string, string>,
): Token[] {
  const text = (content: string) => Object.assign(new TokenClass('text', '', 0), { content });
  const open: boolean[] = [];
  return tokens.flatMap((token, at) => {
    if (token.type === 'image' && token.attrGet('src') === '') return [text(`![${token.content}]()`)];
    if (token.type === 'link_close') return open.pop() === false ? [text(']()')] : [token];
    if (token.type !== 'link_open') return [token];
    const href = String(token.attrGet('href') ?? '');
    open.push(href !== '');
    if (href === '') return [text('[')];
    const isEmpty = tokens[at + 1]?.type === 'link_close';
    return isEmpty ? [token, text(typed.get(href) ?? href)] : [token];
  });
}
