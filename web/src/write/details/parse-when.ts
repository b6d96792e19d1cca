import { serverNow } from '../../api/server-clock.ts';

const timeOnly = /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/;
const dateAndTime = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * Reads a time as a person writes it, in local time: `03:47`, `03:47:51`, `2026-11-17 03:47`. A time alone means the
 * most recent one. Undefined for any other text.
 */
export function parseWhen(text: string, nowMs = serverNow()): number | undefined {
  const wanted = text.trim();
  const [isTime, hour, minute, second = '0'] = timeOnly.exec(wanted) ?? [];
  if (isTime !== undefined) {
    const now = new Date(nowMs);
    const today = toMs([now.getFullYear(), now.getMonth() + 1, now.getDate(), hour, minute, second]);
    if (today === undefined || today <= nowMs) return today;
    return toMs([now.getFullYear(), now.getMonth() + 1, now.getDate() - 1, hour, minute, second]);
  }
  const [isDate, ...parts] = dateAndTime.exec(wanted) ?? [];
  return isDate === undefined ? undefined : toMs(parts);
}

function toMs(parts: readonly (string | number | undefined)[]): number | undefined {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map((part) => Number(part ?? 0));
  const date = new Date(year, month - 1, day, hour, minute, second);
  const isReal = hour < 24 && minute < 60 && second < 60 && month <= 12 && month >= 1;
  // The 31st of a short month would be another day.
  return isReal && (date.getDate() === day || day < 1) ? date.getTime() : undefined;
}

/** Formats a time as `2026-11-17 03:47:51`, which `parseWhen` can read again. */
export function whenText(ms: number): string {
  const local = new Date(ms - new Date(ms).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
