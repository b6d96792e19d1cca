import { OrderedLabels } from '../../../packages/rich-text/ordered-labels.js';
import { TextBuilder } from '../../../packages/rich-text/text-builder.js';
import type { ParsedText } from '../../../packages/rich-text/text-model.js';

const names =
  'b|u|i|s|center|left|right|justify|color|size|font|code1?|list|h[1-6]|url|email|img|quote|table|line|hr|anchor|sup|sub|youtube|\\*';
const token = new RegExp(
  `(\\\\?)(?:\\[(/?)(${names})(?:=("[^"\\n]{0,1000}"(?=\\])|[^\\]\\n]{0,2000})| [^\\]\\n]{0,500})?\\]|((?:https?|ftp|file)://[^\\s({[)}\\]"]{1,2000}))|<br */?>|\\r?\\n|\\|-?`,
  'gi',
);

/** Parses ELCode, which resembles BBCode, in the way ELOG shows it. */
export function readElcode(text: string): ParsedText {
  return new ElcodeReader(text).read();
}

class ElcodeReader {
  private readonly builder = new TextBuilder();
  /** Open tags, the innermost last, each with the function that ends it. */
  private readonly open: { readonly name: string; readonly end: () => void }[] = [];
  private tables = 0;
  private at = 0;

  constructor(private readonly source: string) {}

  read(): ParsedText {
    token.lastIndex = 0;
    for (;;) {
      token.lastIndex = this.at;
      const match = token.exec(this.source);
      if (!match) break;
      this.text(this.source.slice(this.at, match.index));
      this.at = match.index + match[0].length;
      this.take(match);
    }
    this.text(this.source.slice(this.at));
    for (const { end } of this.open.reverse()) end();
    return this.builder.finish();
  }

  private text(text: string): void {
    this.builder.text(text.replace(/[ \t]+/g, ' '));
  }

  private take([whole, backslash, slash, name, argument, address]: RegExpExecArray): void {
    const { builder } = this;
    if (backslash === '\\') builder.text(whole.slice(1));
    else if (address !== undefined) this.address(address);
    else if (name !== undefined) {
      const lower = name.toLowerCase();
      if (slash === '/') this.close(lower);
      else this.openOrInsert(lower, (argument ?? '').replace(/^"|"$/g, '').trim(), whole);
    } else if (whole === '|' || whole === '|-') this.separator(whole);
    // Line breaks do not end a row of a table.
    else if (this.tables > 0 && whole.endsWith('\n')) builder.text(' ');
    else builder.breakLine();
  }

  private address(address: string): void {
    const link = address.replace(/[.,]$/, '');
    this.at -= address.length - link.length;
    this.builder.openLink(link);
    this.builder.text(link);
    this.builder.closeLink();
  }

  private separator(mark: string): void {
    const { builder } = this;
    if (this.tables === 0) builder.text(mark);
    else if (mark === '|') builder.openCell();
    else {
      builder.openRow();
      builder.openCell();
    }
  }

  private openOrInsert(name: string, argument: string, whole: string): void {
    const { builder } = this;
    if (name === 'code' || name === 'code1') this.code(name);
    else if (name === '*') this.item();
    else if (name === 'line' || name === 'hr') builder.rule();
    else if (name === 'img') this.image(argument);
    else if ((name === 'url' || name === 'email') && argument === '') this.bareLink(name);
    else if (name === 'youtube') this.youtube(argument);
    else this.openTag(name, argument, whole);
  }

  private openTag(name: string, argument: string, whole: string): void {
    const { builder } = this;
    const push = (end: () => void) => this.open.push({ name, end });
    const mark = (one: 'strong' | 'emphasis' | 'above' | 'below') => {
      builder.mark(one, 1);
      push(() => builder.mark(one, -1));
    };
    if (name === 'b') mark('strong');
    else if (name === 'i') mark('emphasis');
    else if (name === 'sup') mark('above');
    else if (name === 'sub') mark('below');
    else if (/^h[1-6]$/.test(name)) {
      builder.startHeading(Number(name[1]));
      push(() => builder.endParagraph());
    } else if (name === 'quote') this.quote(argument, push);
    else if (name === 'list') this.list(argument, push);
    else if (name === 'table') this.table(whole, push);
    else if (name === 'url' || name === 'email') {
      builder.openLink(name === 'email' ? `mailto:${argument}` : toAddress(argument));
      push(() => builder.closeLink());
    } else {
      builder.isLossy = true;
      const isBlock = /^(center|left|right|justify)$/.test(name);
      if (isBlock) builder.endParagraph();
      push(() => isBlock && builder.endParagraph());
    }
  }

  /** Closes a tag and all tags that were opened in it. A closing tag without an opening one is ignored. */
  private close(name: string): void {
    const at = this.open.findLastIndex((one) => one.name === name);
    if (at < 0) return;
    for (const { end } of this.open.splice(at).reverse()) end();
  }

  private code(name: string): void {
    const { builder } = this;
    const end = this.source.toLowerCase().indexOf(`[/${name}]`, this.at);
    builder.openPreformatted();
    builder.text(this.source.slice(this.at, end < 0 ? undefined : end));
    builder.closePreformatted();
    this.at = end < 0 ? this.source.length : end + name.length + 3;
  }

  private item(): void {
    // Ends the tags that the previous item has not closed.
    const list = this.open.findLastIndex(({ name }) => name === 'list' || name === 'table' || name === 'quote');
    for (const { end } of this.open.splice(list + 1).reverse()) end();
    if (!this.builder.openItem()) this.builder.text('• ');
  }

  /** Takes the text up to the next tag. */
  private takeContent(): string {
    const end = this.source.indexOf('[', this.at);
    const content = this.source.slice(this.at, end < 0 ? undefined : end);
    this.at += content.length;
    return content.trim();
  }

  private image(argument: string): void {
    const address = argument || this.takeContent();
    if (address !== '') this.builder.image({ address, alt: '' });
  }

  private bareLink(name: string): void {
    const content = this.takeContent();
    this.builder.openLink(name === 'email' ? `mailto:${content}` : toAddress(content));
    this.builder.text(content);
    this.builder.closeLink();
  }

  private youtube(argument: string): void {
    const content = argument || this.takeContent();
    this.builder.openLink(content.includes('/') ? content : `https://www.youtube.com/watch?v=${content}`);
    this.builder.text(content);
    this.builder.closeLink();
  }

  private quote(author: string, push: (end: () => void) => void): void {
    const { builder } = this;
    builder.openQuote();
    push(() => builder.close('quote'));
    if (author === '') return;
    builder.mark('strong', 1);
    builder.text(`${author} wrote:`);
    builder.mark('strong', -1);
    builder.endParagraph();
  }

  private list(type: string, push: (end: () => void) => void): void {
    this.builder.openList(type === '' ? undefined : new OrderedLabels(type, undefined));
    push(() => this.builder.close('list'));
  }

  private table(whole: string, push: (end: () => void) => void): void {
    const { builder } = this;
    builder.isLossy ||= /color|align|style/i.test(whole);
    builder.openTable();
    builder.openRow();
    builder.openCell();
    this.tables += 1;
    push(() => {
      this.tables -= 1;
      builder.close('table');
    });
  }
}

/** Adds `http://` to an address that begins with a host name. Other addresses without a scheme are within the ELOG. */
function toAddress(address: string): string {
  return /^[\w-]+([.][\w-]+)+([/:?#]|$)/.test(address) ? `http://${address}` : address;
}
