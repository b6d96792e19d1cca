import type { Loose } from '../../imports/entry-values.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { dateOf } from './crate-dates.js';
import { addTo, type CrateGraph } from './crate-graph.js';
import { hasType, idOf, idsIn, listIn } from './crate-values.js';

/** Dataset or comment that becomes an entry. */
export interface CrateItem {
  readonly id: string;
  /** Item to which it replies or of which it is a part; undefined for none. */
  readonly parent: string | undefined;
  /** Topmost item of its group; undefined when it belongs to no group. */
  readonly group: string | undefined;
  /** Its logbook in the other program. */
  readonly book: string | undefined;
  /** File or folder of its parent on which it comments; undefined for none. */
  readonly about: string | undefined;
  /** Milliseconds since the epoch, not before the date of its parent. */
  readonly orderMs: number;
}

export interface CrateItems {
  /** Items in the order of time, each after its parent. */
  readonly items: readonly CrateItem[];
  /** Nodes that became items, are replaced by an item, or are a part of one. */
  readonly reached: ReadonlySet<string>;
  /** Parts and comments that belong to no entry, including files. */
  readonly others: ReadonlySet<string>;
  /** Faults of the crate, each as a sentence. */
  readonly remarks: readonly string[];
}

/** Keys of a dataset that is only a folder. */
const folderKeys = new Set(['@id', '@type', 'name', 'hasPart', 'dateCreated', 'dateModified', 'contentSize']);

/** Whether a dataset contains only files, so that it is a folder of the entry around it. */
const isFolder = (node: Loose) => Object.keys(node).every((key) => folderKeys.has(key));

/**
 * Returns whether a dataset within another one is a part of its entry: a folder, or an earlier version on which the
 * entry is based.
 */
export function isPartOfEntry(parent: Loose, child: Loose, isListed: boolean): boolean {
  if (isListed || !hasType(child, 'Dataset')) return false;
  return isFolder(child) || idsIn(parent.isBasedOn).includes(String(idOf(child)));
}

/** Finds the items of a crate. Nested parts may form cycles and have any depth. */
export async function findItems(graph: CrateGraph, signal: AbortSignal): Promise<CrateItems> {
  const finder = new ItemFinder(graph);
  await finder.follow(signal);
  return finder.toItems();
}

class ItemFinder {
  private readonly listed: ReadonlySet<string>;
  private readonly found = new Set<string>();
  private readonly parents = new Map<string, string>();
  private readonly books = new Map<string, string>();
  private readonly replaced = new Set<string>();
  private readonly inner = new Set<string>();
  /** Entry to which each file and folder belongs. */
  private readonly owners = new Map<string, string>();
  /** File or folder on which each comment was made. */
  private readonly about = new Map<string, string>();
  private readonly comments = new Set<string>();
  private readonly others = new Set<string>();
  private readonly dates = new Map<string, number>();
  private readonly hollow = new Set<string>();
  private readonly tops = new Map<string, string>();
  private readonly remarks: string[] = [];

  constructor(private readonly graph: CrateGraph) {
    this.listed = new Set(idsIn(graph.find('')?.hasPart));
  }

  async follow(signal: AbortSignal): Promise<void> {
    const slice = new TimeSlice();
    await this.walk([...this.listed, ...this.listRootComments()], slice, signal);
    // The entry of a file is only known after the walk. Repeated, because a comment may have files with comments.
    for (;;) {
      const comments = await this.listPartComments(slice);
      if (comments.length === 0) return;
      await this.walk(comments, slice, signal);
    }
  }

  private async walk(waiting: string[], slice: TimeSlice, signal: AbortSignal): Promise<void> {
    for (const id of waiting) {
      if (slice.isOver) await slice.next();
      signal.throwIfAborted();
      if (this.found.has(id) || this.replaced.has(id)) continue;
      const node = this.graph.find(id);
      if (!node || !(hasType(node, 'Dataset') || hasType(node, 'Comment') || this.comments.has(id))) {
        this.others.add(id);
        continue;
      }
      this.found.add(id);
      this.dates.set(id, dateOf(node) ?? Number.NEGATIVE_INFINITY);
      for (const child of await this.childrenOf(id, node, slice)) waiting.push(child);
    }
  }

  private listRootComments(): string[] {
    const comments = [...idsIn(this.graph.find('')?.comment), ...(this.graph.commentsOn.get('') ?? [])];
    for (const id of comments) this.comments.add(id);
    return comments;
  }

  /** Lists the comments on files and folders that were not found yet. They become replies to the entry of the file. */
  private async listPartComments(slice: TimeSlice): Promise<string[]> {
    const listed: string[] = [];
    for (const part of new Set([...this.graph.commentedParts, ...this.graph.commentsOn.keys()])) {
      if (slice.isOver) await slice.next();
      const owner = this.ownerOf(part);
      if (owner === undefined) continue;
      for (const id of await this.takeComments(part, this.graph.find(part) ?? {}, slice)) {
        if (this.found.has(id) || this.others.has(id)) continue;
        if (owner !== '') this.parents.set(id, this.parents.get(id) ?? owner);
        this.about.set(id, part);
        listed.push(id);
      }
    }
    return listed;
  }

  /** Returns the entry of a file or folder, which is empty for the root; undefined for other nodes. */
  private ownerOf(part: string): string | undefined {
    if (part === '' || this.found.has(part)) return undefined;
    const owner = this.owners.get(part) ?? (this.listed.has(part) ? '' : undefined);
    if (owner !== undefined) return owner;
    for (let end = part.lastIndexOf('/'); end > 0; end = part.lastIndexOf('/', end - 1)) {
      if (this.found.has(part.slice(0, end))) return part.slice(0, end);
    }
    return undefined;
  }

  private async childrenOf(id: string, node: Loose, slice: TimeSlice): Promise<string[]> {
    const isBook = hasType(node, 'Book');
    if (isBook && [node.text, node.comment].every((value) => listIn(value).length === 0)) this.hollow.add(id);
    const parts = await this.takeParts(id, node, slice);
    const comments = await this.takeComments(id, node, slice);
    for (const child of isBook ? parts : []) this.books.set(child, id);
    for (const child of isBook ? comments : [...parts, ...comments]) {
      if (child !== id && !this.parents.has(child)) this.parents.set(child, id);
    }
    return [...parts, ...comments];
  }

  /** Returns the parts of an entry that are entries. Records its files, and its folders with their content. */
  private async takeParts(id: string, node: Loose, slice: TimeSlice): Promise<string[]> {
    const entries: string[] = [];
    const folders: Loose[] = [node];
    for (const folder of folders) {
      for (const part of idsIn(folder.hasPart)) {
        if (slice.isOver) await slice.next();
        const child = this.graph.find(part);
        const isDataset = child !== undefined && hasType(child, 'Dataset');
        const isInner = isDataset && isPartOfEntry(folder, child, this.listed.has(part));
        if (isDataset && !isInner) {
          entries.push(part);
          continue;
        }
        if (!this.owners.has(part)) this.owners.set(part, id);
        if (!isInner) this.others.add(part);
        else if (!this.inner.has(part)) {
          this.inner.add(part);
          folders.push(child);
        }
      }
    }
    return entries;
  }

  private async takeComments(id: string, node: Loose, slice: TimeSlice): Promise<string[]> {
    const comments: string[] = [];
    for (const comment of [...idsIn(node.comment), ...(this.graph.commentsOn.get(id) ?? [])]) {
      if (slice.isOver) await slice.next();
      // A comment with a main entity is replaced by that entry.
      const [entry] = idsIn(this.graph.find(comment)?.mainEntity);
      const isReplaced = entry !== undefined && this.graph.find(entry) !== undefined;
      if (isReplaced) this.replaced.add(comment);
      comments.push(isReplaced ? entry : comment);
      if (!isReplaced) this.comments.add(comment);
    }
    return comments;
  }

  toItems(): CrateItems {
    this.breakCycles();
    const groups = new Set(
      [...this.parents].flatMap(([child, parent]) => (this.found.has(child) ? [child, parent] : [])),
    );
    const items: CrateItem[] = [];
    for (const id of this.inOrder()) {
      const parent = this.parents.get(id);
      const group = groups.has(id) ? this.tops.get(id) : undefined;
      if (!this.hollow.has(id)) {
        const [book, about] = [this.books.get(id), this.about.get(id)];
        items.push({ id, parent, group, book, about, orderMs: this.dates.get(id) as number });
      }
    }
    // The sort is stable, so that a reply with the same date follows its parent.
    items.sort((one, other) => (one.orderMs < other.orderMs ? -1 : Number(one.orderMs > other.orderMs)));
    return {
      items,
      reached: new Set([...this.found, ...this.replaced, ...this.inner]),
      others: this.others,
      remarks: this.remarks,
    };
  }

  /**
   * Returns the items, each after its parent. Records the topmost item of each, and a date not before that of its
   * parent.
   */
  private inOrder(): string[] {
    const children = new Map<string, string[]>();
    const order: string[] = [];
    for (const id of this.found) {
      const parent = this.parents.get(id);
      if (parent === undefined) order.push(id);
      else addTo(children, parent, id);
    }
    for (const id of order) {
      const parent = this.parents.get(id);
      this.tops.set(id, parent === undefined ? id : (this.tops.get(parent) ?? id));
      if (parent !== undefined) this.dates.set(id, Math.max(this.dates.get(id) ?? 0, this.dates.get(parent) ?? 0));
      for (const child of children.get(id) ?? []) order.push(child);
    }
    return order;
  }

  private breakCycles(): void {
    const checked = new Set<string>();
    for (const start of this.found) {
      const path = new Set<string>();
      for (let id: string | undefined = start; id !== undefined && !checked.has(id); id = this.parents.get(id)) {
        path.add(id);
        const parent = this.parents.get(id);
        if (parent === undefined || !path.has(parent)) continue;
        this.parents.delete(id);
        this.remarks.push(`${id} is a part of itself, and was not imported as a reply.`);
      }
      for (const id of path) checked.add(id);
    }
  }
}
