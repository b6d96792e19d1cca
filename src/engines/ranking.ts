import { type Field, fields } from './search-terms.js';

/** Maximum number of entries ranked by relevance; the others follow, newest first. */
export const maxRanked = 1_000;

/** Weight of an occurrence, by its field. */
export const fieldWeights: Readonly<Record<Field, number>> = {
  [fields.title]: 3,
  [fields.description]: 1,
  [fields.other]: 1,
  [fields.attachment]: 0.5,
};

/** The score of the newest match is raised by this share, that of a match a year older by half of it, and so on. */
export const recencyGain = 0.5;
export const recencyHalfLifeMs = 365 * 86_400_000;
