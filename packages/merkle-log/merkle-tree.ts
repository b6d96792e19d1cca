import { hash } from 'node:crypto';

/** Number of hashes of a tile. A complete tile is represented by a single hash in a tile of the next level. */
export const tileHashes = 256;

/**
 * Returns a stored hash: at level 0 a leaf, at higher levels the root of a complete subtree of `256 ** level` leaves.
 */
export type HashAt = (level: number, index: number) => Promise<string>;

/** Returns the hash of a node of the tree (RFC 6962, 2.1), from the hexadecimal hashes of its children. */
export function hashChildren(left: string, right: string): string {
  return hash('sha256', Buffer.from(`01${left}${right}`, 'hex'), 'hex');
}

export function rootOfTile(hashes: readonly string[]): string {
  let level = hashes;
  while (level.length > 1) {
    level = Array.from({ length: level.length / 2 }, (_, at) =>
      hashChildren(level[2 * at] as string, level[2 * at + 1] as string),
    );
  }
  return level[0] as string;
}

/** Returns the root of the tree of the first `size` leaves, at least one. */
export function rootOf(size: number, hashAt: HashAt): Promise<string> {
  return hashOfRange({ first: 0, size }, hashAt);
}

/** Lists the hashes that lead from the leaf `index` to the root of the tree of `size` leaves, from the leaf upwards. */
export function inclusionPath(index: number, size: number, hashAt: HashAt): Promise<string[]> {
  return pathInRange(index, { first: 0, size }, hashAt);
}

/** Returns the root that an inclusion path yields for the leaf; undefined when the path does not fit. */
export function rootByPath(leaf: string, index: number, size: number, path: readonly string[]): string | undefined {
  if (size === 1) return path.length === 0 ? leaf : undefined;
  const sibling = path.at(-1);
  if (sibling === undefined || index < 0 || index >= size) return undefined;
  const left = leftSize(size);
  const inner = path.slice(0, -1);
  const child =
    index < left ? rootByPath(leaf, index, left, inner) : rootByPath(leaf, index - left, size - left, inner);
  if (child === undefined) return undefined;
  return index < left ? hashChildren(child, sibling) : hashChildren(sibling, child);
}

/** The size of a tree, and its root in hexadecimal. */
export interface TreeState {
  readonly size: number;
  readonly root: string;
}

/**
 * Lists the hashes which prove that the tree of `size` leaves continues the tree of the first `former` leaves, at least
 * one (RFC 9162, 2.1.4.1).
 */
export function consistencyPath(former: number, size: number, hashAt: HashAt): Promise<string[]> {
  return consistencyInRange(former, { first: 0, size }, { isFormerTree: true, hashAt });
}

/** Returns whether a consistency path proves that the tree continues the former one (RFC 9162, 2.1.4.2). */
export function isConsistent(former: TreeState, tree: TreeState, path: readonly string[]): boolean {
  if (former.size < 1 || former.size > tree.size) return false;
  const roots = rootsByPath(former.size, tree.size, path, former.root);
  return roots?.former === former.root && roots.root === tree.root;
}

/** Consecutive leaves. The index of the first is a multiple of the largest power of two that is not above the size. */
interface Range {
  readonly first: number;
  readonly size: number;
}

async function pathInRange(index: number, { first, size }: Range, hashAt: HashAt): Promise<string[]> {
  if (size === 1) return [];
  const [left, right] = halves({ first, size });
  const isLeft = index < right.first;
  const path = await pathInRange(index, isLeft ? left : right, hashAt);
  return [...path, await hashOfRange(isLeft ? right : left, hashAt)];
}

/**
 * Lists the consistency path inside a range.
 * @param isFormerTree whether the range begins at the first leaf. The reader knows the root of the former tree, so a
 *   range that is the whole former tree needs no hash
 */
async function consistencyInRange(
  former: number,
  range: Range,
  { isFormerTree, hashAt }: { readonly isFormerTree: boolean; readonly hashAt: HashAt },
): Promise<string[]> {
  if (former === range.size) return isFormerTree ? [] : [await hashOfRange(range, hashAt)];
  const [left, right] = halves(range);
  if (former <= left.size) {
    const path = await consistencyInRange(former, left, { isFormerTree, hashAt });
    return [...path, await hashOfRange(right, hashAt)];
  }
  const path = await consistencyInRange(former - left.size, right, { isFormerTree: false, hashAt });
  return [...path, await hashOfRange(left, hashAt)];
}

/**
 * Returns the roots that a consistency path yields for both trees.
 * @param known root of the former tree; undefined in a right subtree, of which only the path states the root
 */
function rootsByPath(
  former: number,
  size: number,
  path: readonly string[],
  known: string | undefined,
): { readonly former: string; readonly root: string } | undefined {
  const [last, rest] = [path.at(-1), path.slice(0, -1)];
  if (former === size) {
    const root = known ?? last;
    const isWhole = path.length === (known === undefined ? 1 : 0);
    return isWhole && root !== undefined ? { former: root, root } : undefined;
  }
  if (last === undefined) return undefined;
  const left = leftSize(size);
  if (former <= left) {
    const found = rootsByPath(former, left, rest, known);
    return found && { former: found.former, root: hashChildren(found.root, last) };
  }
  const found = rootsByPath(former - left, size - left, rest, undefined);
  return found && { former: hashChildren(last, found.former), root: hashChildren(last, found.root) };
}

async function hashOfRange(range: Range, hashAt: HashAt): Promise<string> {
  const { first, size } = range;
  for (let level = 0; tileHashes ** level <= size; level += 1) {
    if (tileHashes ** level === size) return hashAt(level, first / size);
  }
  const [left, right] = halves(range);
  return hashChildren(await hashOfRange(left, hashAt), await hashOfRange(right, hashAt));
}

function halves({ first, size }: Range): readonly [Range, Range] {
  const left = leftSize(size);
  return [
    { first, size: left },
    { first: first + left, size: size - left },
  ];
}

/** Returns the largest power of two below the size. */
function leftSize(size: number): number {
  return 2 ** Math.ceil(Math.log2(size) - 1);
}

/** A tree that grows. It keeps only the roots of the complete subtrees of the leaves added so far. */
export class TreeHead {
  size = 0;
  private readonly roots: string[] = [];

  add(leaf: string): void {
    let node = leaf;
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2) {
      node = hashChildren(this.roots.pop() as string, node);
    }
    this.roots.push(node);
    this.size += 1;
  }

  /** Root of the tree; undefined while it is empty. */
  get root(): string | undefined {
    if (this.roots.length === 0) return undefined;
    return this.roots.reduceRight((right, left) => hashChildren(left, right));
  }
}
