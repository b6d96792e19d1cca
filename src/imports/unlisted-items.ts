import { isActive, itemWord } from '../catalog/catalog.js';
import { quoted } from '../kernel/fault.js';
import { settleAll } from '../kernel/settle-all.js';
import type { ImportReport } from './import-report.js';
import type { CatalogItems, CatalogKind, ImportSource, UnreadItem } from './import-source.port.js';

/** Results of looking up items, by name. A source with complete lists gives none. */
export type LookedUp<K extends CatalogKind> = ReadonlyMap<string, CatalogItems[K] | UnreadItem | undefined>;

/** Number of items that are looked up at the same time. */
const atOnce = 8;
/** Maximum number of items that one run looks up; the others stay as they are. */
const maxLookedUp = 20_000;

const tooMany = { reason: `An import looks up at most ${maxLookedUp} items.`, isProblem: true };

/** Looks up items that the lists of a source do not show, because some services cut their lists. */
export class UnlistedItems {
  private lookedUp = 0;
  /** Lists that the source has shown. */
  private readonly read = new Set<CatalogKind>();
  private readonly reported = new Set<CatalogKind>();

  constructor(
    private readonly source: Pick<ImportSource, 'findItem' | 'mayCutList' | 'adviseOnCutList'>,
    private readonly report: ImportReport,
  ) {}

  /** Looks up items by their names; reports those that cannot be read, and lists that lack active items. */
  async find<K extends CatalogKind>(
    kind: K,
    names: readonly string[],
    signal: AbortSignal,
    unexpected: ReadonlySet<string> = new Set(),
  ): Promise<LookedUp<K>> {
    const { source } = this;
    const found = new Map<string, CatalogItems[K] | UnreadItem | undefined>();
    if (!source.findItem) return found;
    for (let at = 0; at < names.length; at += atOnce) {
      const group = names.slice(at, at + atOnce);
      const items = await settleAll(group.map((name) => this.findOne(kind, name, signal, !unexpected.has(name))));
      for (const [place, name] of group.entries()) found.set(name, items[place]);
    }
    return found;
  }

  /**
   * Looks up items that a list of the source does not show. Reports the list if an item, or the length of the list,
   * shows that the source may have cut it.
   * @param unexpected names that the source did not have in an earlier run
   */
  async findBeyond<K extends CatalogKind>(
    list: { readonly kind: K; readonly length: number },
    names: readonly string[],
    unexpected: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<LookedUp<K>> {
    const { kind, length } = list;
    this.read.add(kind);
    const found = await this.find(kind, names, signal, unexpected);
    if (await this.source.mayCutList?.(length, signal)) {
      this.reportCut(kind, `The list of ${kind} has exactly ${length} items, so the source may have cut it.`);
    }
    return found;
  }

  private async findOne<K extends CatalogKind>(
    kind: K,
    name: string,
    signal: AbortSignal,
    isExpected: boolean,
  ): Promise<CatalogItems[K] | UnreadItem | undefined> {
    this.lookedUp += 1;
    const item = this.lookedUp > maxLookedUp ? tooMany : await this.source.findItem?.(kind, name, signal, isExpected);
    if (!item) return undefined;
    const text = `The source does not list the ${itemWord[kind]} ${quoted(name)}`;
    if (!('reason' in item)) {
      if (isActive(item)) this.reportCut(kind, `${text}, but has it.`);
    } else if (item.isProblem) this.report.problem(kind, name, `${text}, and it cannot be looked up. ${item.reason}`);
    else this.report.remark(kind, name, `${text}, and it cannot be looked up. ${item.reason}`);
    return item;
  }

  private reportCut(kind: CatalogKind, text: string): void {
    if (!this.read.has(kind) || this.reported.has(kind)) return;
    this.reported.add(kind);
    this.report.problem(kind, '', `${text} ${this.source.adviseOnCutList?.(kind) ?? ''}`.trim());
  }
}
