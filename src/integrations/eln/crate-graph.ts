import { createHash } from 'node:crypto';
import { isRecord, type Loose } from '../../imports/entry-values.js';
import type { ZipReader } from '../../imports/zip-reader.js';
import { Fault } from '../../kernel/fault.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { hasType, idOf, idsIn, isContent, listIn, parseNode } from './crate-values.js';
import { GraphSplitter } from './graph-splitter.js';
import { hasInlineNodes, withoutInlineNodes } from './inline-nodes.js';

const maxMetadataBytes = 536_870_912;
const maxNodes = 2_000_000;

/** The nodes of a crate by their ids. A node is parsed each time it is read. */
export class CrateGraph {
  /** SHA-256 of the description. */
  digest = '';
  /** Ids of entries and files that several nodes have. The first node counts. */
  readonly repeatedIds: string[] = [];
  /** Ids of comments, by the commented node. Comments name their node, but the node need not list its comments. */
  readonly commentsOn = new Map<string, string[]>();
  /** Ids of commented nodes that are neither datasets nor comments, such as files. */
  readonly commentedParts = new Set<string>();
  private readonly json = new Map<string, Buffer>();
  /** Ids of nodes that contain other nodes instead of references. */
  private readonly nested: string[] = [];
  private root: Loose | undefined;

  private constructor() {}

  /**
   * Reads the description of a crate.
   * @throws Fault invalid `import.source-invalid`
   * @throws the reason of `signal` when it aborts
   */
  static async read(zip: ZipReader, name: string, signal: AbortSignal): Promise<CrateGraph> {
    const content = await zip.find(name);
    if (!content) throw new Error(`${name} is not in the archive`);
    const [graph, splitter, hash, slice] = [
      new CrateGraph(),
      new GraphSplitter(),
      createHash('sha256'),
      new TimeSlice(),
    ];
    let size = 0;
    try {
      for await (const chunk of content as AsyncIterable<Buffer>) {
        signal.throwIfAborted();
        size += chunk.length;
        if (size > maxMetadataBytes) throw invalid(`it has more than ${maxMetadataBytes} bytes`);
        hash.update(chunk);
        for (const json of splitter.push(chunk)) {
          if (slice.isOver) await slice.next();
          graph.add(json);
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof Fault ? error : invalid((error as Error).message);
    } finally {
      content.destroy();
    }
    splitter.end();
    await graph.takeInlineNodes(slice, signal);
    graph.findRoot();
    graph.digest = hash.digest('hex');
    return graph;
  }

  /** Returns a node; undefined when there is none. */
  find(id: string): Loose | undefined {
    const json = this.json.get(id);
    return json && (parseNode(json) as Loose);
  }

  /** The node about the description itself; empty when there is none. */
  get descriptor(): Loose {
    return this.find('ro-crate-metadata.json') ?? this.find('ro-crate-metadata.jsonld') ?? {};
  }

  /** Gives the root the empty id, because the descriptor may refer to it by an address instead of “./”. */
  private findRoot(): void {
    const [id = ''] = idsIn(this.descriptor.about);
    const root = this.json.get(id);
    if (!root || this.json.has('')) return;
    this.json.delete(id);
    this.json.set('', root);
    const comments = this.commentsOn.get(id);
    if (comments) this.commentsOn.set('', comments);
  }

  /** Fields of the root, parsed once. They omit its parts, which are all entries. */
  get rootFields(): Loose {
    if (!this.root) {
      const { hasPart, ...fields } = this.find('') ?? {};
      this.root = fields;
    }
    return this.root;
  }

  /** Returns the target of a reference: a node, or the values that stand in place of a reference. */
  resolve(reference: unknown): Loose | undefined {
    if (!isRecord(reference)) return undefined;
    const id = idOf(reference);
    const node = id === undefined ? undefined : this.find(id);
    return node ?? (Object.keys(reference).some((key) => key !== '@id') ? reference : undefined);
  }

  ids(): Iterable<string> {
    return this.json.keys();
  }

  private add(json: Buffer): void {
    const node = parse(json);
    if (!isRecord(node)) return;
    // A comment may have no id and only name the commented node.
    const id = idOf(node) ?? (isContent(node) ? `#${createHash('sha256').update(json).digest('hex')}` : undefined);
    if (id === undefined) return;
    if (!this.json.has(id)) this.store(id, node, json);
    else if (isContent(node) && !this.json.get(id)?.equals(json)) this.repeatedIds.push(id);
  }

  private store(id: string, node: Loose, json: Buffer): void {
    if (this.json.size >= maxNodes) throw invalid(`it has more than ${maxNodes} nodes`);
    this.json.set(id, json);
    if (hasInlineNodes(node)) this.nested.push(id);
    if (!hasType(node, 'Comment')) {
      if (listIn(node.comment).length > 0 && !hasType(node, 'Dataset')) this.commentedParts.add(id);
      return;
    }
    for (const parent of listIn(node.parentItem)) {
      const parentId = idOf(isRecord(parent) ? parent : { '@id': parent });
      if (parentId !== undefined) addTo(this.commentsOn, parentId, id);
    }
  }

  /**
   * Moves nested nodes to the top level. All nodes must be known, because a nested node that is described elsewhere is
   * a reference.
   */
  private async takeInlineNodes(slice: TimeSlice, signal: AbortSignal): Promise<void> {
    const has = (id: string) => this.json.has(id);
    const add = (id: string, node: Loose) => this.addInline(id, node);
    for (const id of this.nested) {
      if (slice.isOver) await slice.next();
      signal.throwIfAborted();
      const flat = withoutInlineNodes(id, this.find(id) ?? {}, { has, add });
      this.json.set(id, Buffer.from(JSON.stringify(flat)));
    }
  }

  private addInline(id: string, node: Loose): void {
    const known = this.find(id);
    if (!known) {
      this.store(id, node, Buffer.from(JSON.stringify(node)));
      return;
    }
    const differs = ([key, value]: [string, unknown]) =>
      !key.startsWith('@') && JSON.stringify(value) !== JSON.stringify(known[key]);
    if (Object.entries(node).some(differs)) this.repeatedIds.push(id);
  }
}

export function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const values = lists.get(key);
  if (values) values.push(value);
  else lists.set(key, [value]);
}

function parse(json: Buffer): unknown {
  try {
    return parseNode(json);
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

function invalid(reason: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `The description of the crate cannot be read: ${reason}.`);
}
