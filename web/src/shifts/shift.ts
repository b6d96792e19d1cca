import { fromAbsolute, type ZonedDateTime } from '@internationalized/date';
import type { Bootstrap } from '../api/types.ts';

/** A shift of a certain day. */
export interface Shift {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

type ShiftPlan = Pick<Bootstrap, 'shifts' | 'timeZone'>;

const wholeDay = [{ name: 'Day', start: '00:00' }];

/** The shift at that time. Shifts follow each other without a gap, in the time zone of the service. */
export function shiftAt(ms: number, plan: ShiftPlan): Shift {
  const starts = startsAround(ms, plan);
  const at = starts.findLastIndex(({ startMs }) => startMs <= ms);
  const [current, next] = [starts[at], starts[at + 1]];
  // The starts reach from the day before to the day after.
  if (!current || !next) throw new Error(`no shift at ${ms}`);
  return { name: current.name, startMs: current.startMs, endMs: next.startMs };
}

export function shiftBefore(shift: Shift, plan: ShiftPlan): Shift {
  return shiftAt(shift.startMs - 1, plan);
}

export function shiftAfter(shift: Shift, plan: ShiftPlan): Shift {
  return shiftAt(shift.endMs, plan);
}

/** Returns when the shifts of that day, the day before and the day after begin, in order. */
function startsAround(ms: number, { shifts, timeZone }: ShiftPlan) {
  const day = fromAbsolute(ms, timeZone);
  const days = [day.subtract({ days: 1 }), day, day.add({ days: 1 })];
  const named = shifts.length > 0 ? shifts : wholeDay;
  return days
    .flatMap((one) => named.map(({ name, start }) => ({ name, startMs: timeOf(one, start) })))
    .sort((a, b) => a.startMs - b.startMs);
}

function timeOf(day: ZonedDateTime, start: string): number {
  const [hour = 0, minute = 0] = start.split(':').map(Number);
  return day.set({ hour, minute, second: 0, millisecond: 0 }).toDate().getTime();
}
