/** Hours of each day in which nothing is sent to a user. */
export interface QuietHours {
  /** Times of day, such as `22:00`. The hours may include midnight; there are none if both times are equal. */
  readonly from: string;
  readonly to: string;
  /** IANA zone of the user. */
  readonly zone: string;
}

const minuteMs = 60_000;

/** Whether the zone has a name that the service knows. */
export function isTimeZone(zone: string): boolean {
  try {
    clockOf(zone);
    return true;
  } catch {
    return false;
  }
}

export function isQuiet(quiet: QuietHours | undefined, atMs: number): boolean {
  if (!quiet) return false;
  const time = clockOf(quiet.zone).format(atMs);
  const { from, to } = quiet;
  return from <= to ? from <= time && time < to : from <= time || time < to;
}

/**
 * Returns the number of milliseconds during which nothing may be sent; 0: not in quiet hours. Returns at most the time
 * until the next minute, because the clock or the choice of the user may change.
 */
export function quietMs(quiet: QuietHours | undefined, nowMs: number): number {
  return isQuiet(quiet, nowMs) ? minuteMs - (nowMs % minuteMs) : 0;
}

/** Cached clocks by zone, because creating one takes long. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown zone */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    // There are only a few hundred zones, but each has many accepted spellings.
    if (clocks.size > 1_000) clocks.clear();
    clocks.set(timeZone, clock);
  }
  return clock;
}
