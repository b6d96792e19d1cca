import { createHash } from 'node:crypto';
import { isRecord, type Loose, textOf } from '../../imports/entry-values.js';
import type { ZipReader } from '../../imports/zip-reader.js';
import { Fault } from '../../kernel/fault.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { GraphSplitter } from './graph-splitter.js';

const maxMetadataBytes = 536_870_912;
const maxNodes = 2_000_000;
const maxReferences = 1_000_000;

/** The nodes of a crate by their ids. A node is parsed each time it is read. */
export class CrateGraph {
  /** SHA-256 of the description. */
  digest = '';
  /** Ids of entries and files that several nodes have; the first one counts. */
  readonly repeatedIds: string[] = [];
  /**
   * Ids of comments, by the node that they are on. Only the comment names the node; the node need not list its
   * comments.
   */
  readonly commentsOn = new Map<string, string[]>();
  private readonly json = new Map<string, Buffer>();
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
    graph.findRoot();
    graph.digest = hash.digest('hex');
    return graph;
  }

  /** Returns a node; undefined when there is none. */
  find(id: string): Loose | undefined {
    const json = this.json.get(id);
    return json && (JSON.parse(json.toString('utf8')) as Loose);
  }

  /** The node that describes the description; empty when there is none. */
  get descriptor(): Loose {
    return this.find('ro-crate-metadata.json') ?? this.find('ro-crate-metadata.jsonld') ?? {};
  }

  /** Gives the root its empty id: the descriptor may name it by an address instead of “./”. */
  private findRoot(): void {
    const [id = ''] = idsIn(this.descriptor.about);
    const root = this.json.get(id);
    if (!root || this.json.has('')) return;
    this.json.delete(id);
    this.json.set('', root);
    const comments = this.commentsOn.get(id);
    if (comments) this.commentsOn.set('', comments);
  }

  /** Fields of the root, parsed once. It lists all entries, so its parts are left out. */
  get rootFields(): Loose {
    if (!this.root) {
      const { hasPart, ...fields } = this.find('') ?? {};
      this.root = fields;
    }
    return this.root;
  }

  /** Returns the target of a reference: a node, or values given in place of a reference. */
  resolve(reference: unknown): Loose | undefined {
    if (!isRecord(reference)) return undefined;
    const id = idOf(reference);
    const node = id === undefined ? undefined : this.find(id);
    return node ?? (Object.keys(reference).length > 1 ? reference : undefined);
  }

  ids(): Iterable<string> {
    return this.json.keys();
  }

  private add(json: Buffer): void {
    const node = parse(json);
    const id = isRecord(node) ? idOf(node) : undefined;
    if (!isRecord(node) || id === undefined) return;
    if (this.json.size >= maxNodes) throw invalid(`it has more than ${maxNodes} nodes`);
    if (this.json.has(id)) {
      const isContent = ['Dataset', 'File', 'Comment'].some((type) => hasType(node, type));
      if (isContent && !this.json.get(id)?.equals(json)) this.repeatedIds.push(id);
      return;
    }
    this.json.set(id, json);
    if (!hasType(node, 'Comment')) return;
    for (const parent of idsIn(node.parentItem)) addTo(this.commentsOn, parent, id);
  }
}

/** Adds a value to the list of a key. */
export function addTo(lists: Map<string, string[]>, key: string, value: string): void {
  const values = lists.get(key);
  if (values) values.push(value);
  else lists.set(key, [value]);
}

function parse(json: Buffer): unknown {
  try {
    return JSON.parse(json.toString('utf8'));
  } catch (error) {
    throw invalid((error as Error).message);
  }
}

/** Returns the id of a node, the same for all ways in which programs write it: the root has an empty one. */
export function idOf(node: Loose): string | undefined {
  const id = textOf(node['@id']);
  if (id === undefined || /^[a-z][a-z0-9+.-]*:\/\//i.test(id)) return id;
  return id.replace(/\/{2,}/g, '/').replace(/^([.]\/)+|\/$/g, '');
}

/** Returns the elements of a value that may be a single one or a list. */
export function listIn(value: unknown): readonly unknown[] {
  return value === undefined || value === null ? [] : Array.isArray(value) ? value.slice(0, maxReferences) : [value];
}

/** Returns the ids of the nodes to which a value refers. */
export function idsIn(value: unknown): string[] {
  return listIn(value).flatMap((one) => (isRecord(one) ? (idOf(one) ?? []) : []));
}

export function hasType(node: Loose, type: string): boolean {
  return listIn(node['@type']).includes(type);
}

function invalid(reason: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `The description of the crate cannot be read: ${reason}.`);
}
