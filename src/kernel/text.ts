/** Of longer facet values, only the beginning is compared. */
const maxValueLength = 1_024;

/**
 * A facet value such as an owner or a tag, as it is compared: case does not matter, everything else does, up to its
 * first 1,024 characters. A control character counts as a space.
 */
export function foldCase(value: string): string {
  const folded = value.normalize('NFC').toLowerCase();
  const short = folded.length <= maxValueLength ? folded : folded.slice(0, maxValueLength).toWellFormed();
  return short.replace(/\p{Cc}/gu, ' ');
}
