export const searchLimits = {
  pageSize: 1000,
  valueLength: 8_192,
  words: 100,
  fuzzyWords: 10,
  listValues: 1_000,
  /** Maximum number of `*` in one pattern. */
  stars: 8,
  /** Maximum number of time buckets in which entries are counted. */
  timeBuckets: 2_000,
} as const;
