import type { ImportedEntry, ImportSource } from './import-source.port.js';

/** Number of ids that are looked up at the same time. */
const atOnce = 8;
/** Number of ids that are looked up below the lowest listed one, and after the last existing one. */
const [below, above] = [1_000, 100];
/** Maximum number of ids that one run looks up. */
const maxLookedUp = 50_000;

export interface LookUp {
  readonly find: NonNullable<ImportSource['find']>;
  /** Lowest id that the source lists. */
  readonly lowestId: number;
  readonly highestId: number;
  /** Returns the ids that no list has shown, in this run or earlier ones. */
  listUnseen(ids: readonly number[]): Promise<readonly number[]>;
  take(entries: readonly ImportedEntry[]): Promise<void>;
  onProblem(id: number | undefined, text: string): void;
}

/**
 * Looks up the entries that no list of the source shows, such as those without a date of creation, by the ids between
 * and around the listed ones. Gaps are normal, because services use up ids for entries that they refuse.
 */
export async function lookUpEntries(lookUp: LookUp, signal: AbortSignal): Promise<void> {
  const { lowestId, highestId, onProblem } = lookUp;
  let [lookedUp, lastFound] = [0, highestId];
  for (let from = Math.max(0, lowestId - below); from <= lastFound + above; from += atOnce) {
    const ids = Array.from({ length: atOnce }, (_, at) => from + at);
    const unseen = await lookUp.listUnseen(ids);
    lookedUp += unseen.length;
    if (lookedUp > maxLookedUp) {
      return onProblem(undefined, `Ids from ${from} to ${highestId} that the source does not list were not looked up.`);
    }
    const found = await findAll(lookUp, unseen, signal);
    lastFound = Math.max(lastFound, ...found.map(({ id }) => id ?? 0));
    if (found.length > 0) await lookUp.take(found);
  }
}

async function findAll(
  { find, onProblem }: LookUp,
  ids: readonly number[],
  signal: AbortSignal,
): Promise<ImportedEntry[]> {
  const outcomes = await Promise.allSettled(ids.map((id) => find(id, signal)));
  return outcomes.flatMap((outcome, at): ImportedEntry[] => {
    if (outcome.status === 'rejected') throw outcome.reason;
    if (!outcome.value) return [];
    if (!('reason' in outcome.value)) return [outcome.value];
    onProblem(ids[at], `The entry cannot be read. ${outcome.value.reason}`);
    return [];
  });
}
