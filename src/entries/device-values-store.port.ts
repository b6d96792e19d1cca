/**
 * Step that adds values: `live`, a moment after an entry is stored; `history`, later, for what `live` has left out;
 * `plots`, after the end of their ranges.
 */
export type ValuesStage = 'live' | 'history' | 'plots';

export interface DeviceValuesReader {
  /** Returns the position in the change feed up to which a stage is done; undefined before its first run. */
  findPosition(stage: ValuesStage): Promise<number | undefined>;
}

export interface DeviceValuesStore extends DeviceValuesReader {
  /** Stores the position if it still is `from`. False, and no effect, when another node has stored one since. */
  advance(stage: ValuesStage, from: number | undefined, to: number): Promise<boolean>;
}
