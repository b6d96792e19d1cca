/** Limits of the patterns of device names, and of the names in one entry. */
export const deviceLimits = { patterns: 32, patternLength: 200, nameLength: 200, names: 100 } as const;
