import type { KeyObject } from 'node:crypto';
import { type Checkpoint, openCheckpoint, readCheckpoint } from './checkpoint.js';
import { isConsistent } from './merkle-tree.js';

/** A checkpoint as the logbook stores it. */
export interface StoredCheckpoint {
  /** The text of the checkpoint with its signature. */
  readonly text: string;
  /** Proves that its tree continues that of the checkpoint before: see `consistencyPath`. Empty for the first one. */
  readonly path: readonly string[];
}

/** Encodes a checkpoint as it is stored. */
export function encodeStoredCheckpoint({ text, path }: StoredCheckpoint): string {
  return JSON.stringify({ checkpoint: text, path });
}

/** @throws Error when it is none */
function decodeStoredCheckpoint(document: string): StoredCheckpoint {
  const { checkpoint, path } = JSON.parse(document) as { readonly checkpoint: unknown; readonly path: unknown };
  const isPath = Array.isArray(path) && path.every((one) => typeof one === 'string' && /^[0-9a-f]{64}$/.test(one));
  if (typeof checkpoint !== 'string' || !isPath) throw new Error('it is not a checkpoint');
  return { text: checkpoint, path };
}

/** Takes the number of a stored checkpoint, and a sentence without a full stop. */
export type OnCheckpointProblem = (number: number, what: string) => void;

/** Checks the checkpoints that a logbook stores, in their order. The roots are compared with the tree elsewhere. */
export class CheckpointCheck {
  /** How many there are. */
  count = 0;
  /** The number and the content of the newest one that can be read. */
  newest: { readonly number: number; readonly checkpoint: Checkpoint } | undefined;
  private lastNumber = 0;

  /** @param keys by one of which each must be signed; empty: the signatures are not checked */
  constructor(
    private readonly keys: readonly KeyObject[],
    private readonly onProblem: OnCheckpointProblem,
  ) {}

  /** Whether the signatures are checked. */
  get isWithKeys(): boolean {
    return this.keys.length > 0;
  }

  /** Returns the content of the next checkpoint; undefined when it cannot be read. */
  add(number: number, document: string): Checkpoint | undefined {
    this.count += 1;
    if (number !== this.lastNumber + 1) this.onProblem(number, `the one before it, ${number - 1}, is missing`);
    this.lastNumber = number;
    try {
      const { text, path } = decodeStoredCheckpoint(document);
      const checkpoint = this.read(number, text);
      this.checkPath(number, checkpoint, path);
      this.newest = { number, checkpoint };
      return checkpoint;
    } catch (error) {
      this.onProblem(
        number,
        error instanceof SyntaxError || error instanceof TypeError
          ? 'it is not a checkpoint'
          : (error as Error).message,
      );
      return undefined;
    }
  }

  private read(number: number, text: string): Checkpoint {
    const checkpoint = readCheckpoint(text);
    const isSigned = this.keys.some((key) => {
      try {
        return openCheckpoint(text, key).size === checkpoint.size;
      } catch {
        return false;
      }
    });
    if (this.isWithKeys && !isSigned) this.onProblem(number, 'it is not signed by the key given');
    return checkpoint;
  }

  private checkPath(number: number, checkpoint: Checkpoint, path: readonly string[]): void {
    const former = this.newest?.checkpoint;
    const isProven = former ? isConsistent(former, checkpoint, path) : path.length === 0;
    if (!isProven) this.onProblem(number, 'nothing proves that it continues the one before it');
  }
}
