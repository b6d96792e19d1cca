import type { OrderedLabels } from './ordered-labels.js';
import { PreformattedText } from './preformatted-text.js';
import type { Block, Cell, ListItem, Marks, ParsedText, Run } from './text-model.js';
import { linkWrittenAddresses } from './written-addresses.js';

type Container =
  | { readonly kind: 'quote' | 'group'; readonly blocks: Block[] }
  | { readonly kind: 'list'; readonly items: ListItem[]; readonly labels: OrderedLabels | undefined }
  | { readonly kind: 'item'; readonly label: string | undefined; readonly blocks: Block[] }
  | { readonly kind: 'table'; readonly rows: Cell[][] }
  | { readonly kind: 'row'; readonly cells: Cell[] }
  | { readonly kind: 'cell'; readonly columns: number; readonly rows: number; readonly blocks: Block[] };
type ContainerKind = Container['kind'];
type MarkName = 'strong' | 'emphasis' | 'code' | 'above' | 'below';

/**
 * Maximum number of nested containers. Each takes up to two levels, and `packages/markup` reads marks beyond 60 levels
 * as text.
 */
const maxContainers = 20;

/** Collects the text of an entry as blocks. Everything that is still open at the end of the text is closed. */
export class TextBuilder {
  isLossy = false;
  private readonly blocks: Block[] = [];
  private readonly containers: Container[] = [];
  /** Number of open containers that are nested too deeply to be shown. */
  private tooDeep = 0;
  private runs: Run[] = [];
  private headingLevel = 0;
  private readonly marks: Record<MarkName, number> = { strong: 0, emphasis: 0, code: 0, above: 0, below: 0 };
  private readonly links: string[] = [];
  private preformatted: PreformattedText | undefined;
  private readonly visible: string[] = [];

  /** Adds literal text, without interpreting markup. */
  text(text: string): void {
    if (text === '') return;
    this.visible.push(text);
    if (this.preformatted) {
      this.preformatted.text(text, this.currentMarks());
      return;
    }
    if (text.trim() === '' && this.runs.length === 0) return;
    this.runs.push({ kind: 'text', text, marks: this.currentMarks() });
  }

  breakLine(): void {
    this.visible.push('\n');
    if (this.preformatted) this.preformatted.text('\n', this.currentMarks());
    else if (this.runs.length > 0) this.runs.push({ kind: 'break', marks: this.currentMarks() });
  }

  image(image: {
    readonly address: string;
    readonly alt: string;
    readonly width?: number | undefined;
    readonly height?: number | undefined;
    readonly isBackground?: boolean;
  }): void {
    const defaults = { width: undefined, height: undefined, isBackground: false };
    const run: Run = { kind: 'image', ...defaults, ...image, marks: this.currentMarks() };
    this.visible.push(' ');
    if (this.preformatted) this.preformatted.image(run);
    else this.runs.push(run);
  }

  mark(name: MarkName, change: 1 | -1): void {
    if (name === 'above' || name === 'below') this.visible.push(' ');
    this.marks[name] = Math.max(0, this.marks[name] + change);
    // A reader would take nested exponents for one number.
    this.isLossy ||= this.marks.above + this.marks.below > 1;
  }

  openLink(address: string): void {
    this.links.push(address);
  }

  closeLink(): void {
    this.links.pop();
  }

  /** Ends the paragraph or heading. */
  endParagraph(): void {
    this.visible.push('\n');
    if (this.preformatted) return;
    const { runs, headingLevel } = this;
    this.runs = [];
    this.headingLevel = 0;
    for (const part of atEmptyLines(linkWrittenAddresses(runs))) {
      this.add(
        headingLevel > 0 ? { kind: 'heading', level: headingLevel, runs: part } : { kind: 'paragraph', runs: part },
      );
    }
  }

  startHeading(level: number): void {
    this.endParagraph();
    this.headingLevel = level;
  }

  rule(): void {
    this.endParagraph();
    if (!this.preformatted) this.add({ kind: 'rule' });
  }

  openPreformatted(): void {
    this.endParagraph();
    this.preformatted ??= new PreformattedText();
  }

  closePreformatted(): void {
    const { preformatted } = this;
    if (!preformatted) return;
    this.visible.push('\n');
    this.preformatted = undefined;
    this.isLossy ||= preformatted.isLossy;
    for (const block of preformatted.toBlocks()) this.add(block);
  }

  openQuote(): void {
    this.open({ kind: 'quote', blocks: [] });
  }

  /** @param labels labels of the items; undefined: bullets */
  openList(labels: OrderedLabels | undefined): void {
    this.open({ kind: 'list', items: [], labels });
  }

  /**
   * Opens an item of the innermost list.
   * @param number number of the item; default: the next one of the list
   * @returns false outside of lists
   */
  openItem(number?: number): boolean {
    this.endParagraph();
    if (this.tooDeep > 0) return false;
    const at = this.containers.findLastIndex(({ kind }) => kind === 'list' || kind === 'cell' || kind === 'quote');
    const list = this.containers[at];
    if (list?.kind !== 'list') return false;
    this.closeAbove(at);
    if (number !== undefined) list.labels?.restartAt(number);
    this.open({ kind: 'item', label: list.labels?.next(), blocks: [] });
    return true;
  }

  openTable(): void {
    this.open({ kind: 'table', rows: [] });
  }

  openRow(): void {
    this.openWithin('table', { kind: 'row', cells: [] });
  }

  openCell(columns = 1, rows = 1): void {
    const top = this.containers.findLast(({ kind }) => kind === 'row' || kind === 'table');
    if (top?.kind === 'table') this.openRow();
    this.openWithin('row', { kind: 'cell', columns, rows, blocks: [] });
  }

  /** Closes the innermost container of a kind and everything in it, if there is one. */
  close(kind: ContainerKind): void {
    this.closePreformatted();
    this.endParagraph();
    if (this.tooDeep > 0) {
      if (kind === 'quote' || kind === 'list' || kind === 'table') this.tooDeep -= 1;
      return;
    }
    const at = this.containers.findLastIndex((one) => one.kind === kind);
    if (at >= 0) this.closeAbove(at - 1);
  }

  finish(): ParsedText {
    this.closePreformatted();
    this.endParagraph();
    this.closeAbove(-1);
    return { blocks: this.blocks, isLossy: this.isLossy, visible: this.visible };
  }

  private currentMarks(): Marks {
    const { strong, emphasis, code, above, below } = this.marks;
    const script = above > 0 ? 'above' : below > 0 ? 'below' : undefined;
    return { isStrong: strong > 0, isEmphasis: emphasis > 0, isCode: code > 0, script, link: this.links.at(-1) };
  }

  private openWithin(parent: 'table' | 'row', container: Container): void {
    this.endParagraph();
    if (this.tooDeep > 0) return;
    const at = this.containers.findLastIndex(({ kind }) => kind === parent);
    if (at < 0) return;
    this.closeAbove(at);
    this.open(container);
  }

  private open(container: Container): void {
    this.closePreformatted();
    this.endParagraph();
    if (this.tooDeep > 0 || this.containers.length >= maxContainers) {
      if (container.kind === 'quote' || container.kind === 'list' || container.kind === 'table') this.tooDeep += 1;
      this.isLossy = true;
      return;
    }
    this.containers.push(container);
  }

  private closeAbove(at: number): void {
    while (this.containers.length > at + 1) {
      const container = this.containers.pop() as Container;
      const parent = this.containers.at(-1);
      if (container.kind === 'item' && parent?.kind === 'list') {
        parent.items.push({ label: container.label, content: container.blocks });
      } else if (container.kind === 'row' && parent?.kind === 'table') parent.rows.push(container.cells);
      else if (container.kind === 'cell' && parent?.kind === 'row') {
        parent.cells.push({ content: container.blocks, columns: container.columns, rows: container.rows });
      } else this.addContainer(container);
    }
  }

  private addContainer(container: Container): void {
    if (container.kind === 'list') this.add({ kind: 'list', items: container.items });
    else if (container.kind === 'table') this.add({ kind: 'table', rows: container.rows });
    else if (container.kind === 'quote') this.add({ kind: 'quote', content: container.blocks });
    else if ('blocks' in container) for (const block of container.blocks) this.add(block);
  }

  /**
   * Adds a block to the innermost container. Text of a list or table outside of its items gets a new item, row or cell.
   */
  private add(block: Block): void {
    const top = this.containers.at(-1);
    if (!top) this.blocks.push(block);
    else if ('blocks' in top) top.blocks.push(block);
    else if (top.kind === 'list') top.items.push({ label: undefined, content: [block] });
    else if (top.kind === 'row') top.cells.push({ content: [block], columns: 1, rows: 1 });
    else top.rows.push([{ content: [block], columns: 1, rows: 1 }]);
  }
}

/** Divides text at empty lines, and omits blank lines at its ends. */
function atEmptyLines(runs: readonly Run[]): Run[][] {
  const parts: Run[][] = [[]];
  let hasLine = false;
  for (const run of runs) {
    const isBlank = run.kind === 'text' && run.text.trim() === '';
    if (run.kind === 'break') {
      if (hasLine) parts.at(-1)?.push(run);
      else if (parts.at(-1)?.length) parts.push([]);
      hasLine = false;
    } else if (hasLine || !isBlank) {
      parts.at(-1)?.push(run);
      hasLine = true;
    }
  }
  return parts.map(withoutEndBreaks).filter((part) => part.length > 0);
}

function withoutEndBreaks(runs: Run[]): Run[] {
  while (runs.at(-1)?.kind === 'break') runs.pop();
  return runs;
}
