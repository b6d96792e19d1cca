import type { Alarm, Channel, DeviceHistory, Display, Problem, SavedValue, Severity } from './device-view.js';

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
  /** State of an enumeration, by its index. */
  readonly index?: number;
  /** Undefined: the source does not say. */
  readonly display?: Pick<Display, 'states' | 'limits'>;
}

/** Reason why there is no sample, as part of a sentence. */
export interface Missing {
  readonly missing: string;
  /** Default: `unreadable`. */
  readonly code?: Problem['code'];
}

/** Returns the reason for a device that sent nothing: it may answer later. */
export const noAnswer = (timeoutMs: number): Missing => ({
  missing: `it did not answer within ${timeoutMs / 1_000} s`,
  code: 'unknown',
});

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

/** Time for which values are read, in milliseconds since the epoch. */
export interface HistoryRange {
  readonly startMs: number;
  readonly endMs: number;
  /** Maximum number of samples. */
  readonly points: number;
}

/** Values of a device over time, or why there are none. */
export type Curve = Omit<DeviceHistory, 'name' | 'start' | 'end'>;

/** Values in the past. */
export interface History extends Source {
  /**
   * Reads the values that the devices had at a moment, in milliseconds since the epoch.
   * @throws SourceUnavailable
   */
  readAt(names: readonly string[], atMs: number, signal: AbortSignal): Promise<Readings>;
  /**
   * Reads the values of a device over time. More values than wanted are binned.
   * @throws SourceUnavailable
   */
  readRange(name: string, range: HistoryRange, signal: AbortSignal): Promise<Curve>;
}

/** Names that are wanted. */
export interface WantedNames {
  readonly max: number;
  readonly isWanted: (name: string) => boolean;
}

/** Metadata of devices. */
export interface Directory extends Source {
  /** @throws SourceUnavailable */
  find(name: string, signal: AbortSignal): Promise<Channel | Missing>;
  /**
   * Returns the wanted names that begin as this one does, up to its last separator, in order; not the name itself.
   * @throws SourceUnavailable
   */
  neighbours(name: string, wanted: WantedNames, signal: AbortSignal): Promise<readonly string[]>;
}

/** Alarms that are wanted. */
export interface AlarmRequest {
  readonly max: number;
  /** The time in which they were; undefined: any. */
  readonly range: Pick<HistoryRange, 'startMs' | 'endMs'> | undefined;
}

/** Alarms in the past. */
export interface AlarmLog extends Source {
  /**
   * Returns the latest alarms of a device, newest first.
   * @throws SourceUnavailable
   */
  latest(name: string, wanted: AlarmRequest, signal: AbortSignal): Promise<readonly Alarm[] | Missing>;
}

/** Values that people have saved, in snapshots. */
export interface SavedValues extends Source {
  /**
   * Returns the latest saved values of a device, newest first.
   * @throws SourceUnavailable
   */
  latest(name: string, max: number, signal: AbortSignal): Promise<readonly SavedValue[] | Missing>;
  /**
   * Returns the values of a snapshot, in its order.
   * @throws SourceUnavailable
   */
  snapshot(id: string, signal: AbortSignal): Promise<readonly SavedItem[] | Missing>;
}

/** A device in a snapshot. */
export interface SavedItem {
  readonly name: string;
  readonly saved: Sample | Missing;
}

/** The source cannot be reached, is too slow, or sends something else. Its message is a part of a sentence. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The source was not asked: it has failed a moment ago. */
export class SourcePaused extends SourceUnavailable {}
