import { createHash } from 'node:crypto';
import { isRecord, type Loose, textOf } from '../../imports/entry-values.js';
import { idOf, listIn } from './crate-values.js';

/** Keys whose values are nodes, with the type of nodes that state none. */
const nodeKeys: readonly (readonly [key: string, type: string | undefined])[] = [
  ['hasPart', undefined],
  ['comment', 'Comment'],
];

/** Nodes of a crate, to which inline nodes are added. */
interface Nodes {
  has(id: string): boolean;
  /** Adds a node that stands in place of a reference. */
  add(id: string, node: Loose): void;
}

const isReference = (value: unknown) => isRecord(value) && Object.keys(value).every((key) => key === '@id');

/** Whether a node has other nodes in place of references to them. */
export function hasInlineNodes(node: Loose): boolean {
  return nodeKeys.some(([key]) => listIn(node[key]).some((value) => !isReference(value)));
}

/** Returns a node with references instead of the nodes that it contains, and adds these to the nodes of the crate. */
export function withoutInlineNodes(ownerId: string, node: Loose, nodes: Nodes): Loose {
  const flat: Record<string, unknown> = { ...node };
  for (const [key, type] of nodeKeys) {
    if (node[key] !== undefined) flat[key] = listIn(node[key]).map((value) => toReference(value, ownerId, type, nodes));
  }
  return flat;
}

function toReference(value: unknown, ownerId: string, type: string | undefined, nodes: Nodes): unknown {
  const text = textOf(value);
  if (text !== undefined) {
    const named = { '@id': text };
    // A comment may consist of its text alone, and some programs write an id as a string.
    return type === undefined || nodes.has(idOf(named) ?? '') ? named : toReference({ text }, ownerId, type, nodes);
  }
  if (!isRecord(value) || isReference(value)) return value;
  const id = idOf(value) ?? freeId(value, ownerId, nodes);
  const node = { ...(type !== undefined && { '@type': type }), ...value, '@id': id };
  nodes.add(id, withoutInlineNodes(id, node, nodes));
  return { '@id': id };
}

/** Returns an id that is derived from the node, so that it is the same in later files of the program. */
function freeId({ hasPart, comment, ...own }: Loose, ownerId: string, nodes: Nodes): string {
  const hash = createHash('sha256').update(JSON.stringify(own)).digest('hex').slice(0, 16);
  for (let number = 1; ; number++) {
    const id = `${ownerId}#${hash}${number === 1 ? '' : `-${number}`}`;
    if (!nodes.has(id)) return id;
  }
}
