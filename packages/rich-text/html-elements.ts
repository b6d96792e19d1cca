import { formattingOf, isLossyElement, isNotBold, picturesInStyle, pixelsOf } from './html-formatting.js';
import { OrderedLabels } from './ordered-labels.js';
import type { TextBuilder } from './text-builder.js';

type Attributes = Readonly<Record<string, string>>;

const paragraphs = new Set(
  'address article aside blockquote body caption center dd details dialog div dl dt fieldset figcaption figure footer form header hgroup html legend main nav optgroup option p search section select summary'.split(
    ' ',
  ),
);
const marks: Readonly<Record<string, 'strong' | 'emphasis' | 'code' | 'above' | 'below'>> = {
  b: 'strong',
  strong: 'strong',
  th: 'strong',
  dt: 'strong',
  i: 'emphasis',
  em: 'emphasis',
  cite: 'emphasis',
  var: 'emphasis',
  dfn: 'emphasis',
  code: 'code',
  tt: 'code',
  kbd: 'code',
  samp: 'code',
  sup: 'above',
  sub: 'below',
};
/** Elements that do not contain text themselves. A background picture is shown in the first inner element that does. */
const containers = /^(?:table|colgroup|col|thead|tbody|tfoot|tr|ul|ol|dl|dir|menu|html|head)$/;
const preformatted = /^(pre|xmp|listing|plaintext|textarea)$/;
/** Elements that embed another file, by the attribute with its address. */
const embedded: Readonly<Record<string, string>> = {
  audio: 'src',
  video: 'src',
  source: 'src',
  embed: 'src',
  iframe: 'src',
  object: 'data',
  area: 'href',
};

/** Turns the elements of HTML into calls of a builder. Every opened element is closed, in the order of nesting. */
export class HtmlElements {
  isLossy = false;
  private preDepth = 0;
  /** Actions that close the open elements. */
  private readonly endings: (() => void)[] = [];
  /** Addresses of background pictures of open elements that do not contain text themselves. */
  private readonly backgrounds: string[] = [];

  constructor(private readonly builder: TextBuilder) {}

  text(text: string): void {
    this.builder.text(this.preDepth > 0 ? text : withoutExtraSpace(text));
  }

  open(name: string, attributes: Attributes): void {
    this.isLossy ||= isLossyElement(name, attributes);
    const endings: (() => void)[] = [];
    this.openBlock(name, attributes, endings);
    this.openMarks(name, attributes, endings);
    this.openVoid(name, attributes);
    const { background = '', style = '' } = attributes;
    if (background.trim() !== '') this.backgrounds.push(background.trim());
    this.backgrounds.push(...picturesInStyle(style));
    if (containers.test(name)) endings.push(() => this.showBackgrounds());
    else this.showBackgrounds();
    this.endings.push(() => {
      for (const end of endings.reverse()) end();
    });
  }

  close(): void {
    this.endings.pop()?.();
  }

  private openBlock(name: string, attributes: Attributes, endings: (() => void)[]): void {
    const { builder } = this;
    const level = /^h([1-6])$/.exec(name)?.[1];
    if (level !== undefined) {
      builder.startHeading(Number(level));
      endings.push(() => builder.endParagraph());
    } else if (name === 'blockquote') {
      builder.openQuote();
      endings.push(() => builder.close('quote'));
    } else if (name === 'ul' || name === 'menu' || name === 'dir' || name === 'ol') {
      builder.openList(name === 'ol' ? new OrderedLabels(attributes.type, attributes.start) : undefined);
      endings.push(() => builder.close('list'));
    } else if (name === 'li') {
      const value = /^-?\d{1,9}$/.exec(attributes.value ?? '')?.[0];
      if (!builder.openItem(value === undefined ? undefined : Number(value))) builder.text('• ');
      endings.push(() => builder.endParagraph());
    } else if (preformatted.test(name)) {
      builder.openPreformatted();
      this.preDepth += 1;
      endings.push(() => {
        this.preDepth -= 1;
        if (this.preDepth === 0) builder.closePreformatted();
      });
    } else if (!this.openTable(name, attributes, endings) && paragraphs.has(name)) {
      builder.endParagraph();
      endings.push(() => builder.endParagraph());
    }
  }

  private openTable(name: string, attributes: Attributes, endings: (() => void)[]): boolean {
    const { builder } = this;
    if (name === 'table') {
      builder.openTable();
      endings.push(() => builder.close('table'));
    } else if (name === 'tr') builder.openRow();
    else if (name === 'td' || name === 'th') {
      builder.openCell(spanOf(attributes.colspan), spanOf(attributes.rowspan));
      endings.push(() => builder.endParagraph());
    } else return false;
    return true;
  }

  private openMarks(name: string, attributes: Attributes, endings: (() => void)[]): void {
    const { builder } = this;
    // The first row of a table is shown in bold anyway, and some editors wrap everything in a `b` that is not bold.
    const own = name === 'th' || (name === 'b' && isNotBold(attributes.style)) ? [] : [marks[name] ?? []].flat();
    const mark = (one: 'strong' | 'emphasis' | 'code' | 'above' | 'below') => {
      builder.mark(one, 1);
      endings.push(() => builder.mark(one, -1));
    };
    for (const one of [...own, ...formattingOf(attributes.style)]) mark(one);
    if (name === 'q') {
      builder.text('“');
      endings.push(() => builder.text('”'));
    }
    const { href } = attributes;
    if (name !== 'a' || href === undefined) return;
    builder.openLink(href);
    endings.push(() => builder.closeLink());
  }

  /** Shows the pictures to which a style sheet refers. */
  showSheet(sheet: string): void {
    this.backgrounds.push(...picturesInStyle(sheet));
    this.showBackgrounds();
  }

  private showBackgrounds(): void {
    for (const address of this.backgrounds.splice(0)) {
      this.builder.image({ address, alt: '', isBackground: true });
      if (this.preDepth === 0) this.builder.text(' ');
    }
  }

  private openVoid(name: string, attributes: Attributes): void {
    const { builder } = this;
    if (name === 'br' || name === 'wbr') {
      if (name === 'br') builder.breakLine();
    } else if (name === 'hr') builder.rule();
    else if (name === 'img' || (name === 'input' && attributes.type?.toLowerCase() === 'image')) {
      this.image(attributes);
    } else if (name === 'image') this.image({ ...attributes, src: attributes.href ?? attributes['xlink:href'] ?? '' });
    else if (name === 'input') builder.text(shownValue(attributes));
    else this.embed(name, attributes);
  }

  private image({ src, srcset = '', alt, title, width, height, style }: Attributes): void {
    const [candidate = ''] = srcset.trim().split(/,?\s+/);
    const size = { width: pixelsOf('width', width, style), height: pixelsOf('height', height, style) };
    this.builder.image({ address: (src ?? candidate).trim(), alt: (alt?.trim() || title?.trim()) ?? '', ...size });
  }

  /** Shows the address of the file that an element embeds. */
  embed(name: string, attributes: Attributes): void {
    const { poster = '' } = attributes;
    if (poster.trim() !== '') this.builder.image({ address: poster.trim(), alt: '', isBackground: true });
    const attribute = embedded[name];
    const address = attribute === undefined ? undefined : attributes[attribute]?.trim();
    if (address === undefined || address === '') return;
    this.isLossy = true;
    this.builder.openLink(address);
    this.builder.text(` ${attributes.alt?.trim() || attributes.title?.trim() || address} `);
    this.builder.closeLink();
  }
}

/**
 * Collapses white space. A single non-breaking space becomes a space. Several of them remain, because they align text.
 */
function withoutExtraSpace(text: string): string {
  return text.replace(/[ \t\n\r\f]+/g, ' ').replace(/(?<![\s\u00a0])\u00a0(?![\s\u00a0])/g, ' ');
}

function shownValue({ type = 'text', value = '', checked }: Attributes): string {
  if (/^(checkbox|radio)$/i.test(type)) return checked === undefined ? '☐ ' : '☑ ';
  return /^(hidden|password|file)$/i.test(type) || value === '' ? '' : ` ${value} `;
}

function spanOf(value: string | undefined): number {
  const span = Number.parseInt(value ?? '1', 10);
  return span >= 1 && span <= 100 ? span : 1;
}
