import { Temporal } from 'temporal-polyfill';
import type { ShiftPlan } from './tool.js';

/** A shift on a certain day. */
export interface Shift {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

const wholeDay = [{ name: 'Day', start: '00:00' }];

/** Returns the shift at an instant. Shifts follow each other without a gap, as in the browser client. */
export function shiftAt(ms: number, { shifts, zone }: ShiftPlan): Shift {
  const day = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone).toPlainDate();
  const starts = [-1, 0, 1]
    .flatMap((days) =>
      (shifts.length > 0 ? shifts : wholeDay).map(({ name, start }) => ({
        name,
        startMs: day.add({ days }).toZonedDateTime({ timeZone: zone, plainTime: start }).epochMilliseconds,
      })),
    )
    .sort((one, other) => one.startMs - other.startMs);
  const at = starts.findLastIndex(({ startMs }) => startMs <= ms);
  const [current, next] = [starts[at], starts[at + 1]];
  // Not reachable: the starts cover the day before and the day after.
  if (!current || !next) throw new Error(`no shift at ${ms}`);
  return { name: current.name, startMs: current.startMs, endMs: next.startMs };
}
