/**
 * Step that adds values: `live` immediately after an entry is stored, `history` later wherever values are missing,
 * `plots` after the end of the ranges of plots.
 */
export type ValuesStage = 'live' | 'history' | 'plots';

export interface DeviceValuesReader {
  /** Returns the position in the change feed up to which a stage is done; undefined before its first run. */
  findPosition(stage: ValuesStage): Promise<number | undefined>;
}

export interface DeviceValuesStore extends DeviceValuesReader {
  /**
   * Stores the position if it still is `from`. Returns false, without any effect, if another node has stored one since.
   */
  advance(stage: ValuesStage, from: number | undefined, to: number): Promise<boolean>;
}
