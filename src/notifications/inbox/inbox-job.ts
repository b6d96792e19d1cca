import type { Job } from '../../kernel/background-job.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { ChangeEvaluation, type EvaluateDeps, type EvaluatedItems } from './evaluate-changes.js';
import { inboxLease } from './inbox-storage.js';
import type { PersonalDeliveries } from './personal-deliveries.js';

/** Number of changes evaluated at a time. */
const batchChanges = 50;
/** Number of changes without new items after which the position is stored. */
const maxUnstored = 500;
/** Approximate number of items in one transaction, because other writes wait for its commit. */
const itemsTogether = 1_000;

export interface InboxJobDeps extends EvaluateDeps {
  /** Undefined: neither mails nor notifications are configured. */
  readonly deliveries: PersonalDeliveries | undefined;
}

/**
 * Returns the job that puts changes into the inboxes of the users whom they concern. All items of a user are stored in
 * one transaction, and the position with the last items. After a crash, the batch is evaluated again, and existing
 * items are not added twice.
 */
export function inboxJob(deps: InboxJobDeps): Job {
  const { storage, deliveries } = deps;
  let evaluation = new ChangeEvaluation(deps);
  /** Position of the last change that this node evaluated without finding a concerned user. */
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
  // Stores the items in several transactions, because a change may concern all users.
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
      // The earlier evaluation has not seen the changes that another node evaluated.
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
        // The user may have turned deliveries off through another node.
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
