import type { Job } from '../kernel/background-job.js';
import { type AgeDeps, removalByAgeJob } from '../kernel/removal-by-age.js';
import { draftLimits } from './draft.js';
import type { DraftStorage } from './draft-storage.js';

const dayMs = 86_400_000;

/** Returns the job that removes drafts, with their files, that were not changed for a long time. */
export function draftExpiryJob({ storage, ...age }: AgeDeps & { readonly storage: DraftStorage }): Job {
  return removalByAgeJob(
    {
      name: 'draft-expiry',
      failure: 'removing expired drafts failed; will retry',
      keptMs: draftLimits.days * dayMs,
      limit: 100,
      remove: (beforeMs, limit) => storage.write((tx) => tx.drafts.removeBefore(beforeMs, limit)),
    },
    age,
  );
}
