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
