/** In UTF-16 code units; only this much of a longer value is compared. */
const maxValueLength = 1_024;

/**
 * Returns the form in which names and facet values, such as an owner or a tag, are compared: case is ignored, a control
 * character equals a space, and only the first 1,024 characters count.
 */
export function foldCase(value: string): string {
  const folded = value.normalize('NFC').toLowerCase();
  const short = folded.length <= maxValueLength ? folded : folded.slice(0, maxValueLength).toWellFormed();
  return short.replace(/\p{Cc}/gu, ' ');
}

/**
 * Returns the text on one line and without the characters that change the direction of what follows, by which a title
 * could make the rest of a message read as something else.
 */
export function onOneLine(text: string): string {
  return text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '').replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ');
}

/** A number with its noun, for a message: `1 file`, `2 files`. */
export function counted(count: number, noun: string): string {
  return `${count} ${count === 1 ? noun : `${noun}s`}`;
}
