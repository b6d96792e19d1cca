/** Tolerance: a response takes time, and its date has no fractions of a second. */
const toleranceMs = 60_000;

let offsetMs = 0;

/** Determines from a response how far the clock of this computer is off. */
export function readServerDate(response: Response): void {
  const difference = Date.parse(response.headers.get('date') ?? '') - Date.now();
  if (!Number.isNaN(difference)) offsetMs = Math.abs(difference) > toleranceMs ? difference : 0;
}

/** The time of the service, by which entries and shifts are dated: the clock of this computer may be wrong. */
export function serverNow(): number {
  return Date.now() + offsetMs;
}
