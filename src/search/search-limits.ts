export const searchLimits = {
  pageSize: 1000,
  valueLength: 8_192,
  words: 100,
  fuzzyWords: 10,
  listValues: 1_000,
  /** Number of `*` in one pattern. */
  stars: 8,
  /** Number of time buckets in which entries are counted. */
  timeBuckets: 2_000,
} as const;
