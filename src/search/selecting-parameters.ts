import { valueFilters } from './value-filters.js';

/**
 * Names of the search parameters that select entries, in lower case. A mistyped one is ignored by a search, which then
 * finds all entries: a stored search must have no other.
 */
export const selectingParameters: ReadonlySet<string> = new Set([
  ...'title text desc description phrase query attachmenttext'.split(' '),
  ...Object.values(valueFilters).flatMap(({ parameters }): readonly string[] => parameters),
  ...'fuzzy start end includeevents tz'.split(' '),
]);
