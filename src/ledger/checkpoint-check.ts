import type { KeyObject } from 'node:crypto';
import { isConsistent } from '../../packages/merkle-log/merkle-tree.js';
import { type AcceptedLoss, digestStored, type LostCheckpoint, readAcceptedLoss } from './accepted-loss.js';
import { type Checkpoint, openCheckpoint, readCheckpoint } from './checkpoint.js';

export interface StoredCheckpoint {
  /** The text of the checkpoint with its signature. */
  readonly text: string;
  /**
   * Proof that its tree continues the tree of the previous checkpoint: see `consistencyPath`. Empty for the first one.
   */
  readonly path: readonly string[];
  /** Statement with which an administrator accepts the problems of earlier checkpoints; see `signAcceptedLoss`. */
  readonly accepted?: string | undefined;
}

export function encodeStoredCheckpoint({ text, path, accepted }: StoredCheckpoint): string {
  return JSON.stringify({ checkpoint: text, path, ...(accepted !== undefined && { accepted }) });
}

/** @throws Error when the document is not a stored checkpoint */
function decodeStoredCheckpoint(document: string): StoredCheckpoint {
  const { checkpoint, path, accepted } = JSON.parse(document) as Readonly<Record<string, unknown>>;
  const isPath = Array.isArray(path) && path.every((one) => typeof one === 'string' && /^[0-9a-f]{64}$/.test(one));
  if (typeof checkpoint !== 'string' || !isPath) throw new Error('it is not a checkpoint');
  return { text: checkpoint, path, accepted: typeof accepted === 'string' ? accepted : undefined };
}

/**
 * Receives the number of a stored checkpoint, and a problem as a sentence without a full stop.
 * @param accepted the statement by which an administrator has accepted the problem; undefined: there is none
 */
export type OnCheckpointProblem = (number: number, what: string, accepted: AcceptedLoss | undefined) => void;

/** Checks the checkpoints that a logbook stores, in their order. The roots are not compared with the tree here. */
export class CheckpointCheck {
  /** Number of checkpoints. */
  count = 0;
  /** The number and the content of the newest readable checkpoint. */
  newest: { readonly number: number; readonly checkpoint: Checkpoint } | undefined;
  /** The highest number. */
  lastNumber = 0;
  private readonly problems: { readonly number: number; readonly what: string }[] = [];
  /** Numbers of the checkpoints that prove nothing, because they cannot be read or no given key has signed them. */
  private readonly unsound = new Set<number>();
  private readonly digests = new Map<number, string>();
  private readonly losses: AcceptedLoss[] = [];

  /** @param keys public keys, one of which must have signed each checkpoint; empty: the signatures are not checked */
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
    this.digests.set(number, digestStored(document));
    if (number !== this.lastNumber + 1) this.report(number, `the one before it, ${number - 1}, is missing`);
    this.lastNumber = number;
    try {
      const { text, path, accepted } = decodeStoredCheckpoint(document);
      if (accepted !== undefined) this.addLoss(number, accepted);
      const checkpoint = this.read(number, text);
      this.checkPath(number, checkpoint, path);
      this.newest = { number, checkpoint };
      return checkpoint;
    } catch (error) {
      this.reportUnsound(
        number,
        error instanceof SyntaxError || error instanceof TypeError
          ? 'it is not a checkpoint'
          : (error as Error).message,
      );
      return undefined;
    }
  }

  /** Adds a problem that another check has found in a stored checkpoint. */
  report(number: number, what: string): void {
    this.problems.push({ number, what });
  }

  /** Adds a problem because of which a stored checkpoint proves nothing. */
  reportUnsound(number: number, what: string): void {
    this.unsound.add(number);
    this.report(number, what);
  }

  /** Adds a row that does not match its checksum. If signatures are checked, they decide whether it proves anything. */
  reportChecksum(number: number, what: string): void {
    if (this.isWithKeys) this.report(number, what);
    else this.reportUnsound(number, what);
  }

  /**
   * Whether the checkpoint proves which records existed at its time. If so, different records mean that the history was
   * changed, and an administrator cannot accept that as a lost checkpoint.
   */
  isSound(number: number): boolean {
    return !this.unsound.has(number);
  }

  /** Reports all problems. */
  finish(): void {
    for (const { number, what } of this.problems) this.onProblem(number, what, this.findAccepted(number));
    const reported = new Set(this.problems.map(({ number }) => number));
    for (const loss of this.losses) {
      for (const { number, what = 'something was wrong with it' } of loss.checkpoints) {
        // The check finds fewer problems than were accepted if it has no key, or only a part of the logbook.
        if (!reported.has(number)) this.onProblem(number, what, loss);
      }
    }
  }

  /** Returns the stored checkpoints with a problem that no administrator has accepted yet. */
  get lost(): LostCheckpoint[] {
    const numbers = new Set(this.problems.map(({ number }) => number));
    return [...numbers]
      .filter((number) => this.findAccepted(number) === undefined)
      .map((number) => ({
        number,
        digest: this.digests.get(number) ?? '',
        what: this.problems.flatMap((one) => (one.number === number ? one.what : [])).join('; '),
      }));
  }

  /** Finds the accepted loss of a checkpoint. The loss does not cover a checkpoint that was changed afterwards. */
  private findAccepted(number: number): AcceptedLoss | undefined {
    const digest = this.digests.get(number);
    return this.losses.find(({ checkpoints }) =>
      checkpoints.some((one) => one.number === number && one.digest === digest),
    );
  }

  private addLoss(number: number, note: string): void {
    const loss = readAcceptedLoss(note, this.keys);
    if (loss) this.losses.push(loss);
    else this.report(number, 'its statement of an accepted loss is not signed by the given key');
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
    if (this.isWithKeys && !isSigned) this.reportUnsound(number, 'it is not signed by the given key');
    return checkpoint;
  }

  private checkPath(number: number, checkpoint: Checkpoint, path: readonly string[]): void {
    const { newest } = this;
    // A checkpoint that proves nothing cannot be continued. An administrator has accepted that.
    if (newest && !this.isSound(newest.number) && this.findAccepted(newest.number)) return;
    if (newest?.checkpoint.atMs === checkpoint.atMs && newest.checkpoint.size === checkpoint.size)
      this.report(number, 'it repeats the previous checkpoint');
    const isProven = newest ? isConsistent(newest.checkpoint, checkpoint, path) : path.length === 0;
    if (!isProven) this.report(number, 'nothing proves that it continues the one before it');
  }
}
