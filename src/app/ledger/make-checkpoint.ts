import type { KeyObject } from 'node:crypto';
import { hostname } from 'node:os';
import { consistencyPath } from '../../../packages/merkle-log/merkle-tree.js';
import type { DocumentCheck } from '../../backup/document-check.js';
import type { DocumentSnapshot } from '../../backup/document-snapshot.port.js';
import { verifyDocuments } from '../../backup/verify-store.js';
import type { StorageOptions } from '../../engines/storage-options.js';
import { currentUser } from '../../kernel/file-error.js';
import { counted } from '../../kernel/text.js';
import { type AcceptedLoss, signAcceptedLoss } from '../../ledger/accepted-loss.js';
import { type Checkpoint, signCheckpoint } from '../../ledger/checkpoint.js';
import { encodeStoredCheckpoint } from '../../ledger/checkpoint-check.js';
import { countWaiting, hashesOf, readHead } from '../../ledger/entry-proof.js';
import { openSnapshot } from '../backup/open-logbook-data.js';
import { selectOwnHeads, type VerifyRun } from '../backup/verify-logbook.js';
import { CleanupStack } from '../cleanup-stack.js';

/** A checkpoint in the form in which the logbook stores it. */
export interface NumberedCheckpoint {
  /** Number of the checkpoint, which follows the number of the newest one. */
  readonly number: number;
  /** Stored form of the checkpoint, see `encodeStoredCheckpoint`. */
  readonly document: string;
}

export interface MadeCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The text of the checkpoint with its signature. */
  readonly signed: string;
  readonly stored: NumberedCheckpoint;
  /** Number of records that the checkpoint does not cover, at most 10,000. */
  readonly waiting: number;
}

export interface CheckpointRun extends Omit<VerifyRun, 'onProgress'> {
  /** Whether to sign the checkpoint despite problems. */
  readonly despiteProblems?: boolean;
  /** Reason for accepting lost or damaged checkpoints. It is recorded. */
  readonly acceptLoss?: string;
}

const maxCounted = 10_000;

/**
 * Verifies the documents of a logbook, which may be in use, against its earlier checkpoints, and signs the head of its
 * ledger.
 * @throws Error when there are problems, or the ledger is empty
 */
export async function makeCheckpoint(
  storage: StorageOptions,
  key: KeyObject,
  run: CheckpointRun,
): Promise<MadeCheckpoint> {
  const cleanup = new CleanupStack();
  const made = await cleanup.guard(async () => {
    const snapshot = cleanup.use(await openSnapshot(storage, run.log));
    const check = await verifyBefore(snapshot, run);
    const { ledger, storeId } = snapshot;
    const head = await readHead(ledger);
    if (!head) throw new Error('The ledger has no record yet: start the service, which fills it.');
    const checkpoint = { storeId, ...head, atMs: Date.now() };
    const signed = signCheckpoint(checkpoint, key);
    const { newest } = check.checkpoints;
    // If a ledger has become shorter and is still signed, there is no proof of consistency.
    const isLonger = newest !== undefined && newest.checkpoint.size <= head.size;
    const path = isLonger ? await consistencyPath(newest.checkpoint.size, head.size, hashesOf(ledger)) : [];
    const accepted = acceptLoss(check.checkpoints, { storeId, atMs: checkpoint.atMs, reason: run.acceptLoss }, key);
    const document = encodeStoredCheckpoint({ text: signed, path, accepted });
    const stored = { number: check.checkpoints.lastNumber + 1, document };
    return { checkpoint, signed, stored, waiting: await countWaiting(ledger, maxCounted) };
  });
  await cleanup.close();
  return made;
}

/** @throws Error when there are problems */
async function verifyBefore(snapshot: DocumentSnapshot, run: CheckpointRun): Promise<DocumentCheck> {
  const { heads = [], keys, signal, despiteProblems = false, acceptLoss: reason } = run;
  let [problems, acceptable] = [0, 0];
  const onFinding: VerifyRun['onFinding'] = (finding) => {
    if (finding.isAcceptable) acceptable += 1;
    else if (finding.kind === 'problem') problems += 1;
    run.onFinding(finding);
  };
  const own = selectOwnHeads(heads, snapshot.storeId, onFinding);
  const check = await verifyDocuments({ snapshot, signal, heads: own, keys }, onFinding);
  if (reason !== undefined && acceptable === 0) {
    throw new Error('No stored checkpoint is lost or damaged. Nothing was signed: leave out --accept-loss.');
  }
  const left = problems + (reason === undefined ? acceptable : 0);
  if (left > 0 && !despiteProblems) {
    const advice =
      problems === 0
        ? 'Only stored checkpoints are lost or damaged. Find out why, then accept the loss with --accept-loss REASON, which is recorded.'
        : 'To make a checkpoint despite these problems, use --despite-problems.';
    throw new Error(`The logbook has ${counted(left, 'problem')}. Nothing was signed. ${advice}`);
  }
  return check;
}

function acceptLoss(
  { lost }: DocumentCheck['checkpoints'],
  { reason, ...about }: Pick<AcceptedLoss, 'storeId' | 'atMs'> & { readonly reason: string | undefined },
  key: KeyObject,
): string | undefined {
  const by = `${currentUser()} on ${hostname()}`;
  return reason === undefined ? undefined : signAcceptedLoss({ ...about, by, reason, checkpoints: lost }, key);
}
