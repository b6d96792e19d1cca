/** What one search may ask for. */
export const searchLimits = {
  pageSize: 1000,
  valueLength: 8_192,
  words: 100,
  fuzzyWords: 10,
  listValues: 1_000,
  /** `*` in one pattern. */
  stars: 8,
  /** Stretches of time to count entries in. */
  timeBuckets: 2_000,
} as const;
