/** Maximum length in UTF-16 code units; only this part of a longer value is compared. */
const maxValueLength = 1_024;

/**
 * Returns the form in which names and facet values, such as an owner or a tag, are compared: case is ignored, control
 * characters equal spaces, and only the first 1,024 characters count.
 */
export function foldCase(value: string): string {
  const folded = value.normalize('NFC').toLowerCase();
  const short = folded.length <= maxValueLength ? folded : folded.slice(0, maxValueLength).toWellFormed();
  return short.replace(/\p{Cc}/gu, ' ');
}

/**
 * Returns the text on one line, without the characters that change the text direction, with which a title could
 * disguise the rest of a message.
 */
export function onOneLine(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ');
}

/** Returns a number with its noun for a message: `1 file`, `2 files`, `3 entries`. */
export function counted(count: number, noun: string): string {
  if (count === 1) return `1 ${noun}`;
  return `${count} ${noun.replace(/([^aeiou])y$/, '$1ie')}s`;
}

/** Formats a duration for a message in days, hours or minutes: the largest unit with a value of at least two. */
export function describeDuration(ms: number): string {
  const [minutes, hours, days] = [60_000, 3_600_000, 86_400_000].map((unitMs) => Math.round(ms / unitMs)) as [
    number,
    number,
    number,
  ];
  if (minutes < 120) return counted(minutes, 'minute');
  return hours < 48 ? counted(hours, 'hour') : counted(days, 'day');
}
