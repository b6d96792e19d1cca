/**
 * Returns the options of an LRU cache with a maximum number of items. Unlike the option `max`, they make the cache
 * allocate memory as it fills up rather than at creation.
 */
export const upTo = (items: number) => ({ maxSize: items, sizeCalculation: () => 1 }) as const;
