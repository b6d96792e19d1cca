import type { Job } from '../../kernel/background-job.js';
import { TimeSlice } from '../../kernel/time-slice.js';
import { ChangeEvaluation, type EvaluateDeps, type EvaluatedItems } from './evaluate-changes.js';
import { inboxLease } from './inbox-storage.js';
import type { PersonalDeliveries } from './personal-deliveries.js';

/** How many changes are evaluated at a time. */
const batchChanges = 50;
/** A position without new items is stored after this many changes. */
const maxUnstored = 500;

export interface InboxJobDeps extends EvaluateDeps {
  /** Undefined: no mail server is configured. */
  readonly deliveries: PersonalDeliveries | undefined;
}

/**
 * Returns the job that puts changes into the inboxes of the users whom they concern. The items of a batch and the
 * position after it are stored in one transaction: after a crash, each item is there once.
 */
export function inboxJob(deps: InboxJobDeps): Job {
  const { storage, deliveries } = deps;
  let evaluation = new ChangeEvaluation(deps);
  /** Changes up to here were evaluated by this node, and concern nobody. */
  let evaluated = 0;

  const store = (from: number | undefined, to: number, found: readonly EvaluatedItems[]) =>
    storage.write(async (tx) => {
      if (!(await tx.inbox.advance(from, to))) throw new Error('another node has evaluated these changes');
      const slice = new TimeSlice();
      for (const { account, items } of found) {
        await tx.inbox.addItems(account, items);
        // A change may concern everybody.
        if (slice.isOver) await slice.next();
      }
    });

  return {
    name: inboxLease,
    isShared: true,
    delayMs: 100,
    retryMs: 1_000,
    failure: 'evaluating watches failed; will retry',
    onTakeOver: () => {
      evaluated = 0;
      // It has not seen what another node evaluated.
      evaluation = new ChangeEvaluation(deps);
      deliveries?.begin();
    },
    onRunElsewhere: () => deliveries?.leave(),
    async run(signal) {
      const { inbox, feed } = storage.committed;
      const stored = await inbox.findPosition();
      if (stored === undefined) {
        await store(undefined, await feed.newest(), []);
        return 'more';
      }
      const changes = await feed.listAfter(Math.max(stored, evaluated), batchChanges);
      const upTo = changes.at(-1)?.sequence;
      if (upTo === undefined) return 'idle';
      const found = await evaluation.evaluate(changes, signal);
      if (found.length > 0 || upTo - stored >= maxUnstored) await store(stored, upTo, found);
      evaluated = upTo;
      for (const { account, isMailed } of found) if (isMailed) await deliveries?.wake(account);
      return 'more';
    },
  };
}
