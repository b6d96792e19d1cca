import type { DraftContent, DraftEvent } from './draft.ts';

/** A time as the form shows it; `text`: what was typed is not a time. */
export type DraftTime = DraftEvent | { readonly name: string; readonly text: string };

/** Returns the times of a draft in the order of the form. */
export function timesOf({ events, unreadableTimes = [] }: DraftContent): readonly DraftTime[] {
  const times: DraftTime[] = [...events];
  // The positions ascend, and each counts the unreadable times before it.
  for (const { at, ...time } of unreadableTimes) times.splice(at, 0, time);
  return times;
}

/** Returns the change of the content to these times. Empty ones are not kept. */
export function withTimes(times: readonly DraftTime[]): Pick<DraftContent, 'events' | 'unreadableTimes'> {
  const kept = times.filter((time) => !isEmptyTime(time));
  const unreadable = kept.flatMap((time, at) => ('text' in time ? [{ ...time, at }] : []));
  return {
    events: kept.filter((time) => 'instant' in time),
    unreadableTimes: unreadable.length > 0 ? unreadable : undefined,
  };
}

export function isEmptyTime(time: DraftTime): boolean {
  return 'text' in time && time.text.trim() === '';
}
