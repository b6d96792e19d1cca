/** Alarm severity of a sample, as control systems name it; `NONE`: no alarm. */
export type Severity = 'NONE' | 'MINOR' | 'MAJOR' | 'INVALID' | 'UNDEFINED';

export interface Sample {
  /** A number may be NaN or infinite. The text of an enumeration is its label. */
  readonly value: number | string | readonly number[];
  /** Undefined: unknown or none. */
  readonly units: string | undefined;
  /** Number of decimals to show; undefined: unknown. */
  readonly precision: number | undefined;
  readonly severity: Severity;
  /** When the device had the value, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** Reason why there is no sample, as part of a sentence. */
export interface Missing {
  readonly missing: string;
}

/** Answer of a source: a sample for each name, or the reason why there is none. */
export type Readings = ReadonlyMap<string, Sample | Missing>;

export const isSample = (reading: Sample | Missing | undefined): reading is Sample =>
  reading !== undefined && !('missing' in reading);

export interface SourceState {
  /** Name of the source, such as `archiver`. */
  readonly name: string;
  /** Why the last request failed; undefined: it did not. */
  readonly failure: string | undefined;
}

interface Source {
  readonly state: SourceState;
  close(): void;
}

/** Values now. */
export interface LiveValues extends Source {
  /**
   * Reads the current values. A device that does not answer in time is missing.
   * @throws SourceUnavailable
   */
  read(names: readonly string[], signal: AbortSignal): Promise<Readings>;
}

/** Values in the past. */
export interface History extends Source {
  /**
   * Reads the values that the devices had at a moment, in milliseconds since the epoch.
   * @throws SourceUnavailable
   */
  readAt(names: readonly string[], atMs: number, signal: AbortSignal): Promise<Readings>;
}

/** The source cannot be reached, is too slow, or sends something else. Its message is a part of a sentence. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}
