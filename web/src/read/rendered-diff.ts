import { diffArrays } from 'diff';

/** The elements that mark what only one of the versions has; undefined: it is left out. */
export interface DiffMarks {
  readonly removed: 'ins' | 'del' | undefined;
  readonly added: 'ins' | 'del' | undefined;
}

interface Comparison extends DiffMarks {
  readonly untilMs: number;
}

type Kind = 'same' | 'removed' | 'added';
type Mark = DiffMarks['added'];

/** Time limit, so that the page stays responsive; the rest then counts as removed and added as a whole. */
const timeoutMs = 1_000;
/** Minimum share of common words for two blocks to be one block that was changed. */
const leastShared = 0.3;
/** Maximum number of blocks to look ahead for the earlier state of a block. */
const maxAhead = 20;

const blockTags = /^(P|H[1-6]|UL|OL|LI|BLOCKQUOTE|PRE|TABLE|THEAD|TBODY|TR|TH|TD|DIV|HR)$/;

/** Compares two rendered texts word by word, within the paragraphs, lists and tables that both have. */
export function diffRendered(from: ParentNode, to: ParentNode, marks: DiffMarks): DocumentFragment {
  const result = document.createDocumentFragment();
  const comparison = { ...marks, untilMs: performance.now() + timeoutMs };
  result.append(...mergeBlocks([...from.children], [...to.children], comparison));
  return result;
}

function compare<T>(
  from: readonly T[],
  to: readonly T[],
  { keyOf, untilMs }: { readonly keyOf: (one: T) => string; readonly untilMs: number },
): { kind: Kind; items: T[] }[] {
  const timeout = Math.max(1, untilMs - performance.now());
  const parts = diffArrays(from.map(keyOf), to.map(keyOf), { timeout });
  if (!parts) {
    return [
      { kind: 'removed', items: [...from] },
      { kind: 'added', items: [...to] },
    ];
  }
  let [at, atTo] = [0, 0];
  return parts.map(({ value, added, removed }) => {
    const items = added ? to.slice(atTo, atTo + value.length) : from.slice(at, at + value.length);
    if (!added) at += value.length;
    if (!removed) atTo += value.length;
    // Blocks in both versions are shown as in the newer one.
    if (!added && !removed) return { kind: 'same', items: to.slice(atTo - value.length, atTo) };
    return { kind: added ? 'added' : 'removed', items };
  });
}

function mergeBlocks(from: readonly Element[], to: readonly Element[], marks: Comparison): Node[] {
  const merged: Node[] = [];
  let removed: Element[] = [];
  const flush = () => {
    merged.push(...removed.flatMap((one) => whole(one, marks.removed)));
    removed = [];
  };
  for (const { kind, items } of compare(from, to, { keyOf: ({ outerHTML }) => outerHTML, untilMs: marks.untilMs })) {
    if (kind === 'removed') removed.push(...items);
    else if (kind === 'added') {
      for (const item of items) {
        const at = removed.slice(0, maxAhead).findIndex((one) => isSimilar(one, item));
        merged.push(...removed.splice(0, Math.max(0, at)).flatMap((one) => whole(one, marks.removed)));
        const earlier = at < 0 ? undefined : removed.shift();
        merged.push(...(earlier ? [mergeBlock(earlier, item, marks)] : whole(item, marks.added)));
      }
      flush();
    } else {
      flush();
      merged.push(...items.map((one) => one.cloneNode(true)));
    }
  }
  flush();
  return merged;
}

const hasBlocks = ({ children }: Element): boolean => [...children].some(({ tagName }) => blockTags.test(tagName));

const knownWords = new WeakMap<Element, ReadonlySet<string>>();

function wordsOf(block: Element): ReadonlySet<string> {
  const found = knownWords.get(block) ?? new Set(block.textContent?.match(/[\p{L}\p{N}]+/gu));
  knownWords.set(block, found);
  return found;
}

/** Whether one element may be a changed form of the other. */
function isSimilar(one: Element, other: Element): boolean {
  if (one.tagName !== other.tagName || hasBlocks(one) !== hasBlocks(other)) return false;
  const [words, others] = [wordsOf(one), wordsOf(other)];
  const shared = [...words].filter((word) => others.has(word)).length;
  return shared >= leastShared * Math.min(words.size, others.size);
}

function mergeBlock(from: Element, to: Element, marks: Comparison): Node {
  const merged = to.cloneNode(false) as Element;
  if (hasBlocks(to)) merged.append(...mergeBlocks([...from.children], [...to.children], marks));
  else mergeWords(merged, from, to, marks);
  return merged;
}

/** A block that only one version has, with everything in it marked. */
function whole(block: Element, mark: Mark): Node[] {
  if (mark === undefined) return [];
  const copy = block.cloneNode(false) as Element;
  if (hasBlocks(block)) copy.append(...[...block.children].flatMap((child) => whole(child, mark)));
  else {
    const marked = document.createElement(mark);
    marked.append(...block.cloneNode(true).childNodes);
    copy.append(marked);
  }
  return [copy];
}

/** A word, a space or an image, with the elements that it is in, such as a link. */
interface Leaf {
  readonly key: string;
  readonly node: Node;
  readonly within: readonly Element[];
}

function leavesOf(place: Node, within: readonly Element[] = []): Leaf[] {
  const around = within.map((one) => (one.cloneNode(false) as Element).outerHTML).join('');
  return [...place.childNodes].flatMap((node): Leaf[] => {
    if (node instanceof Text) {
      const words = node.data.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];
      return words.map((word) => ({ key: around + word, node: document.createTextNode(word), within }));
    }
    if (!(node instanceof Element)) return [];
    if (node.childNodes.length > 0) return leavesOf(node, [...within, node]);
    return [{ key: around + node.outerHTML, node: node.cloneNode(true), within }];
  });
}

function mergeWords(merged: Element, from: Element, to: Element, marks: Comparison): void {
  for (const { kind, items } of compare(leavesOf(from), leavesOf(to), {
    keyOf: ({ key }) => key,
    untilMs: marks.untilMs,
  })) {
    const mark = kind === 'same' ? undefined : marks[kind];
    if (kind !== 'same' && mark === undefined) continue;
    const place = mark === undefined ? merged : merged.appendChild(document.createElement(mark));
    appendLeaves(place, items);
    place.normalize();
  }
}

/** Puts the leaves into copies of the elements that they were in. */
function appendLeaves(place: Element, leaves: readonly Leaf[]): void {
  let open: { readonly of: Element; readonly copy: Element }[] = [];
  for (const { node, within } of leaves) {
    const kept = open.findIndex(({ of }, at) => within[at] !== of);
    if (kept >= 0) open = open.slice(0, kept);
    for (const one of within.slice(open.length)) {
      const copy = one.cloneNode(false) as Element;
      (open.at(-1)?.copy ?? place).append(copy);
      open.push({ of: one, copy });
    }
    (open.at(-1)?.copy ?? place).append(node);
  }
}
