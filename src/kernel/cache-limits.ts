/**
 * The options of an LRU cache of at most this many items. Unlike with its option `max`, the memory is taken as the
 * cache fills up, and not when it is created.
 */
export const upTo = (items: number) => ({ maxSize: items, sizeCalculation: () => 1 }) as const;
