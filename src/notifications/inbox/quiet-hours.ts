/** Hours of each day in which nothing is sent to a user. */
export interface QuietHours {
  /** Times of day, as `22:00`; the hours may include midnight. With twice the same, there are none. */
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
 * Returns for how many milliseconds nothing may be sent; 0: it may. Not longer than to the next minute: the clock or the
 * choice of the user may change.
 */
export function quietMs(quiet: QuietHours | undefined, nowMs: number): number {
  return isQuiet(quiet, nowMs) ? minuteMs - (nowMs % minuteMs) : 0;
}

/** Clocks of the zones that were asked for: creating one takes long. */
const clocks = new Map<string, Intl.DateTimeFormat>();

/** @throws RangeError for an unknown zone */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timeZone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
    // There are a few hundred zones, but their names in other spellings are known, too.
    if (clocks.size > 1_000) clocks.clear();
    clocks.set(timeZone, clock);
  }
  return clock;
}
