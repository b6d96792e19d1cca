import { useQuery } from '@tanstack/react-query';
import type { Bootstrap } from '../api/types.ts';
import { levelLook } from '../components/level.tsx';
import type { Shift } from '../shifts/shift.ts';
import { shiftCountsQuery, unansweredQuery } from '../shifts/shift-queries.ts';

/** The levels that ask for an answer. */
const asking = ['urgent', 'problem', 'request'];

/** Returns the counts and the unanswered entries of a shift. */
export function useShiftFacts(shift: Shift, plan: Bootstrap | undefined) {
  const levels = (plan?.configuration.levels ?? []).filter((level) => asking.includes(levelLook(level)));
  const counts = useQuery({ ...shiftCountsQuery(shift), staleTime: 0 });
  const unanswered = useQuery({ ...unansweredQuery(shift, levels), enabled: levels.length > 0, staleTime: 0 });
  return {
    counts: counts.data?.levels.values,
    /** The logbooks of the shift, the one with the most entries first. */
    busiest: (counts.data?.logbooks.values ?? []).toSorted((a, b) => b.count - a.count).map(({ name }) => name),
    unanswered: levels.length > 0 ? unanswered.data : [],
    error: counts.error ?? unanswered.error,
  };
}
