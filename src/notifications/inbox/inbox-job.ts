import type { Job } from '../../kernel/background-job.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { ChangeEvaluation, type EvaluateDeps, type EvaluatedItems } from './evaluate-changes.js';
import { inboxLease } from './inbox-storage.js';
import type { PersonalDeliveries } from './personal-deliveries.js';

/** Number of changes evaluated at a time. */
const batchChanges = 50;
/** A position without new items is stored after this many changes. */
const maxUnstored = 500;
/** About how many items are stored in one transaction: other work waits for its commit. */
const itemsTogether = 1_000;

export interface InboxJobDeps extends EvaluateDeps {
  /** Undefined: neither mails nor notifications are configured. */
  readonly deliveries: PersonalDeliveries | undefined;
}

/**
 * Returns the job that puts changes into the inboxes of the users whom they concern. All items of a user are stored in
 * one transaction, and the position with the last ones: after a crash, the batch is evaluated again, and items that are
 * there already are not added twice.
 */
export function inboxJob(deps: InboxJobDeps): Job {
  const { storage, deliveries } = deps;
  let evaluation = new ChangeEvaluation(deps);
  /** Changes up to here were evaluated by this node, and concern nobody. */
  let evaluated = 0;

  const storePart = (from: number | undefined, to: number, part: readonly EvaluatedItems[]) =>
    storage.write(async (tx) => {
      if (!(await tx.inbox.advance(from, to))) throw new Error('another node has evaluated these changes');
      const slice = new TimeSlice();
      for (const { account, items } of part) {
        await tx.inbox.addItems(account, items);
        if (slice.isOver) await slice.next();
      }
    });
  // A change may concern everybody.
  const store = async (from: number, to: number, found: readonly EvaluatedItems[]) => {
    const [last = [], ...others] = divide(found).reverse();
    for (const part of others) await storePart(from, from, part);
    await storePart(from, to, last);
  };

  return {
    name: inboxLease,
    isShared: true,
    delayMs: 100,
    retryMs: 1_000,
    failure: 'evaluating watches failed; will retry',
    onTakeOver: () => {
      evaluated = 0;
      // The earlier evaluation has not seen what another node evaluated.
      evaluation = new ChangeEvaluation(deps);
      deliveries?.begin();
    },
    onRunElsewhere: () => deliveries?.leave(),
    async run(signal) {
      const { inbox, feed } = storage.committed;
      const stored = await inbox.findPosition();
      if (stored === undefined) {
        await storePart(undefined, await feed.newest(), []);
        return 'more';
      }
      const changes = await feed.listAfter(Math.max(stored, evaluated), batchChanges);
      const upTo = changes.at(-1)?.sequence;
      if (upTo === undefined) return 'idle';
      const found = await evaluation.evaluate(changes, signal);
      if (found.length > 0 || upTo - stored >= maxUnstored) await store(stored, upTo, found);
      evaluated = upTo;
      for (const { account, isDelivered } of found) {
        // Another node may have stored that the user wants no more.
        if (isDelivered || deliveries?.isKnown(account)) await deliveries?.wake(account);
      }
      return 'more';
    },
  };
}

/** Divides the items among transactions, by users. */
function divide(found: readonly EvaluatedItems[]): EvaluatedItems[][] {
  const parts: EvaluatedItems[][] = [];
  let count = itemsTogether;
  for (const one of found) {
    if (count >= itemsTogether) {
      parts.push([]);
      count = 0;
    }
    parts.at(-1)?.push(one);
    count += one.items.length;
  }
  return parts;
}
