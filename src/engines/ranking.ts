import { type Field, fields } from './search-terms.js';

/** Maximum number of entries ranked by relevance; the others follow, newest first. */
export const maxRanked = 1_000;

/** Weight of an occurrence, by field. */
export const fieldWeights: Readonly<Record<Field, number>> = {
  [fields.title]: 3,
  [fields.description]: 1,
  [fields.other]: 1,
  [fields.attachment]: 0.5,
};

/** Share by which the score of the newest match is raised. The share halves with each year of age. */
export const recencyGain = 0.5;
export const recencyHalfLifeMs = 365 * 86_400_000;
