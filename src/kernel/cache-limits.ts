/**
 * Returns the options of an LRU cache with a maximum number of items. Unlike with its option `max`, the memory is
 * allocated as the cache fills up, not when it is created.
 */
export const upTo = (items: number) => ({ maxSize: items, sizeCalculation: () => 1 }) as const;
