import type { Alarm, Channel, DeviceHistory, Display, Problem, SavedValue, Severity } from './device-view.js';

export interface Sample {
  /** Value of the sample. A number may be NaN or infinite. The value of an enumeration is its label. */
  readonly value: number | string | readonly number[];
  /** Digits of each number of the value, if one of them is an integer that JavaScript would round. */
  readonly exact?: readonly string[];
  /** Units of the value; undefined when unknown, or when there are none. */
  readonly units: string | undefined;
  /** Number of decimals to show; undefined when unknown. */
  readonly precision: number | undefined;
  readonly severity: Severity;
  /** Time at which the device had the value, in milliseconds since the epoch. */
  readonly atMs: number;
  /** Index of the state of an enumeration. */
  readonly index?: number;
  /** Undefined when the source does not provide it. */
  readonly display?: Pick<Display, 'states' | 'limits'>;
}

/** Reason why there is no sample, as part of a sentence. */
export interface Missing {
  readonly missing: string;
  /** Code of the problem. Default: `unreadable`. */
  readonly code?: Problem['code'];
}

/** Returns the reason for a device that sent nothing. The device may answer later. */
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
  /** Reason why the last request failed; undefined when it succeeded. */
  readonly failure: string | undefined;
}

interface Source {
  readonly state: SourceState;
  close(): void;
}

/** Source of current values. */
export interface LiveValues extends Source {
  /**
   * Reads the current values. A device that does not answer in time is missing.
   * @throws SourceUnavailable
   */
  read(names: readonly string[], signal: AbortSignal): Promise<Readings>;
}

/** Time range for which values are read, in milliseconds since the epoch. */
export interface HistoryRange {
  readonly startMs: number;
  readonly endMs: number;
  /** Maximum number of samples. */
  readonly points: number;
}

/** Values of a device over time, or the reason why there are none. */
export type Curve = Omit<DeviceHistory, 'name' | 'start' | 'end'>;

/** Source of past values. */
export interface History extends Source {
  /**
   * Reads the values of devices at a moment, in milliseconds since the epoch.
   * @throws SourceUnavailable
   */
  readAt(names: readonly string[], atMs: number, signal: AbortSignal): Promise<Readings>;
  /**
   * Reads the values of a device over time. If there are more values than `range.points`, numbers are binned, and some
   * of the other values are omitted.
   * @throws SourceUnavailable
   */
  readRange(name: string, range: HistoryRange, signal: AbortSignal): Promise<Curve>;
}

/** Condition and maximum number of requested names. */
export interface WantedNames {
  readonly max: number;
  readonly isWanted: (name: string) => boolean;
}

/** Source of the metadata of devices. */
export interface Directory extends Source {
  /** @throws SourceUnavailable */
  find(name: string, signal: AbortSignal): Promise<Channel | Missing>;
  /**
   * Returns the wanted names, in order, that share the part of this name up to its last separator. Excludes the name
   * itself.
   * @throws SourceUnavailable
   */
  neighbours(name: string, wanted: WantedNames, signal: AbortSignal): Promise<readonly string[]>;
  /**
   * Returns all names, or `max` of them if there are more.
   * @throws SourceUnavailable also when there are none
   */
  list(max: number, signal: AbortSignal): Promise<ReadonlySet<string>>;
}

/** Range and maximum number of requested alarms. */
export interface AlarmRequest {
  readonly max: number;
  /** Time range of the alarms; undefined for any time. */
  readonly range: Pick<HistoryRange, 'startMs' | 'endMs'> | undefined;
}

/** Alarms of a device, newest first. */
export interface LatestAlarms {
  readonly alarms: readonly Alarm[];
  /** Whether earlier alarms were omitted. */
  readonly isCut: boolean;
}

/** Source of past alarms. */
export interface AlarmLog extends Source {
  /**
   * Returns the latest alarms of a device, newest first.
   * @throws SourceUnavailable
   */
  latest(name: string, wanted: AlarmRequest, signal: AbortSignal): Promise<LatestAlarms | Missing>;
}

/** Saved values of a device, newest first. */
export interface LatestSavedValues {
  readonly values: readonly SavedValue[];
  /** Whether there may be more saved values, including newer ones. */
  readonly isCut: boolean;
}

/** Source of values that people have saved in snapshots. */
export interface SavedValues extends Source {
  /**
   * Returns the latest saved values of a device, newest first.
   * @throws SourceUnavailable
   */
  latest(name: string, max: number, signal: AbortSignal): Promise<LatestSavedValues | Missing>;
  /**
   * Returns the values of a snapshot, in the order of the snapshot.
   * @throws SourceUnavailable
   */
  snapshot(id: string, signal: AbortSignal): Promise<readonly SavedItem[] | Missing>;
}

/** A device in a snapshot. */
export interface SavedItem {
  readonly name: string;
  readonly saved: Sample | Missing;
}

/** The source is unreachable, too slow, or sends something unexpected. Its message is part of a sentence. */
export class SourceUnavailable extends Error {
  override readonly name = 'SourceUnavailable';
}

/** The request was not sent, because the source has just failed. */
export class SourcePaused extends SourceUnavailable {}
