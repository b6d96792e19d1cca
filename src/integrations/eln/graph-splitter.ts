import { JsonBounds } from '../../imports/json-bounds.js';
import { Fault } from '../../kernel/fault.js';

const maxNodeBytes = 67_108_864;
const maxKeyLength = 100;
/** Depth of the object around the graph, and of the list of nodes. */
const [top, list] = [1, 2];

/** Divides the description of a crate into its nodes, so that a large description is never parsed as a whole. */
export class GraphSplitter {
  private readonly bounds = new JsonBounds();
  private isInGraph = false;
  private hasGraph = false;
  private key = '';
  private parts: Buffer[] = [];
  private size = 0;

  /**
   * Adds a chunk of the description; returns the JSON of each node that ends in it.
   * @throws Fault invalid `import.source-invalid`
   */
  push(chunk: Buffer): Buffer[] {
    const { bounds } = this;
    const nodes: Buffer[] = [];
    let from = this.isInNode ? 0 : -1;
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number;
      const [depth, isInString] = [bounds.depth, bounds.isInString];
      bounds.take(byte);
      if (depth === top) this.follow(byte, isInString);
      if (!this.isInGraph || bounds.depth === depth) continue;
      if (depth === list && bounds.depth > list && byte === 0x7b) from = at;
      else if (depth > list && bounds.depth === list && from >= 0) {
        nodes.push(this.finish(chunk.subarray(from, at + 1)));
        from = -1;
      } else if (bounds.depth < list) this.isInGraph = false;
    }
    if (from >= 0) this.keep(chunk.subarray(from));
    return nodes;
  }

  /** @throws Fault invalid `import.source-invalid` when the description is incomplete, or has no graph */
  end(): void {
    if (!this.hasGraph) throw invalid('it has no @graph');
    if (this.bounds.depth !== 0) throw invalid('its end is missing');
  }

  private get isInNode(): boolean {
    return this.isInGraph && this.parts.length > 0;
  }

  /** Reads the keys around the graph to find its beginning. */
  private follow(byte: number, wasInString: boolean): void {
    const { bounds } = this;
    if (!wasInString && bounds.isInString) this.key = '';
    else if (wasInString && bounds.isInString && this.key.length < maxKeyLength) this.key += String.fromCharCode(byte);
    if (bounds.depth !== list) return;
    if (byte !== 0x5b || this.key !== '@graph') return;
    if (this.hasGraph) throw invalid('it has two @graph');
    [this.isInGraph, this.hasGraph] = [true, true];
    bounds.restart();
  }

  private keep(part: Buffer): void {
    this.size += part.length;
    if (this.size > maxNodeBytes) throw invalid(`a node has more than ${maxNodeBytes} bytes`);
    this.parts.push(part);
  }

  private finish(part: Buffer): Buffer {
    this.keep(part);
    const node = Buffer.concat(this.parts);
    [this.parts, this.size] = [[], 0];
    this.bounds.restart();
    return node;
  }
}

function invalid(reason: string): Fault {
  return new Fault('invalid', 'import.source-invalid', `The description of the crate cannot be read: ${reason}.`);
}
