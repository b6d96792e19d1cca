import { serverNow } from '../api/server-clock.ts';
import { locale } from '../i18n/i18n.ts';
import { startOfDay } from './calendar.ts';

const formats = new Map<string, Intl.DateTimeFormat>();

function dateFormat(options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale()} ${JSON.stringify(options)}`;
  const known = formats.get(key) ?? new Intl.DateTimeFormat(locale(), options);
  formats.set(key, known);
  return known;
}

/** Formats a time of day as `03:12`, in 24 hours. */
export function formatTime(ms: number, withSeconds = false): string {
  const seconds = withSeconds ? ({ second: '2-digit' } as const) : {};
  return dateFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...seconds }).format(ms);
}

/** Formats a day as `17 Nov`, with the year unless it is the current one. */
export function formatDay(ms: number): string {
  const year = isThisYear(ms) ? {} : ({ year: 'numeric' } as const);
  return dateFormat({ day: 'numeric', month: 'short', ...year }).format(ms);
}

/** Formats a day as `Tuesday 17 Nov`, with the year unless it is the current one. */
export function formatWeekday(ms: number): string {
  const weekday = dateFormat({ weekday: 'long' }).format(ms);
  return `${weekday} ${formatDay(ms)}`;
}

/** Formats a time as `Tuesday 17 November 2026 at 03:12 UTC`, which is unambiguous anywhere and in any year. */
export function formatMoment(ms: number): string {
  const day = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const;
  return dateFormat({ ...day, hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' }).format(ms);
}

export function formatMonth(ms: number): string {
  return dateFormat({ month: 'short', year: 'numeric' }).format(ms);
}

/** Formats a month as `March 2026`. */
export function formatLongMonth(ms: number): string {
  return dateFormat({ month: 'long', year: 'numeric' }).format(ms);
}

function isThisYear(ms: number): boolean {
  return new Date(ms).getFullYear() === new Date(serverNow()).getFullYear();
}

/** Number of local days since that day: 0 today, 1 yesterday. */
export function daysAgo(ms: number, nowMs = serverNow()): number {
  return Math.round((startOfDay(nowMs) - startOfDay(ms)) / 86_400_000);
}

/** Formats a number as `1 204`. A thin, unbreakable space separates the groups, so that it is not read as a decimal. */
export function formatNumber(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

/** Formats an entry number as `#48 211`, but four digits as `#4821`, without groups. */
export function formatId(id: number): string {
  return `#${id < 10_000 ? id : formatNumber(id)}`;
}

const units = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** Formats a time as `40 minutes ago`. */
export function formatAgo(ms: number, nowMs = serverNow()): string {
  const seconds = Math.max(0, (nowMs - ms) / 1_000);
  const [unit, length] = units.find(([, one]) => seconds >= one) ?? (['second', 1] as const);
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'short' });
  return format.format(-Math.floor(seconds / length), unit);
}

/** Formats a size as `84 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [size, unit] = bytes >= 1_000_000 ? [bytes / 1_000_000, 'MB'] : [bytes / 1_000, 'kB'];
  const digits = size < 10 ? 1 : 0;
  return `${new Intl.NumberFormat(locale(), { maximumFractionDigits: digits }).format(size)} ${unit}`;
}

/** The zone in which times are shown and searched. */
export const timeZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;
