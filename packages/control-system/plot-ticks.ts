const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const maxTicks = 6;
const timeSteps = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * minuteMs),
  ...[1, 2, 3, 6, 12].map((hours) => hours * hourMs),
  ...[1, 2, 5, 10, 20, 50, 100].map((days) => days * dayMs),
];

/** Returns round values within a range. States get whole numbers. */
export function ticksBetween(low: number, high: number, isWhole: boolean): number[] {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= rough) ?? rough;
  const step = isWhole ? Math.max(1, Math.ceil(nice)) : nice;
  return multiples(low, high, step);
}

/** Returns round times within a range, in UTC. */
export function timeTicks(start: number, end: number): number[] {
  const step = timeSteps.find((one) => (end - start) / one <= maxTicks) ?? end - start;
  return multiples(start, end, step);
}

export function timeLabel(at: number, spanMs: number): string {
  const iso = new Date(at).toISOString();
  if (spanMs > 2 * dayMs) return iso.slice(5, 10);
  return iso.slice(11, spanMs < 10 * minuteMs ? 19 : 16);
}

function multiples(from: number, to: number, step: number): number[] {
  const first = Math.ceil(from / step);
  const count = Math.min(20, Math.floor(to / step) - first + 1);
  return Number.isFinite(first) && count > 0 ? Array.from({ length: count }, (_, at) => (first + at) * step) : [];
}
