/** Data of a device for programs. Times are in milliseconds since the epoch. Null means none or unknown. */

/** Alarm severity of a sample, as named by control systems; `NONE`: no alarm. */
export type Severity = 'NONE' | 'MINOR' | 'MAJOR' | 'INVALID' | 'UNDEFINED';

export type ValueKind = 'number' | 'enum' | 'text' | 'array';
export type SourceKind = 'live' | 'history' | 'directory' | 'alarms' | 'snapshots';

export interface ValueLimits {
  readonly displayLow: number | null;
  readonly displayHigh: number | null;
  readonly alarmLow: number | null;
  readonly warningLow: number | null;
  readonly warningHigh: number | null;
  readonly alarmHigh: number | null;
}

/** Properties for displaying the values of a device. */
export interface Display {
  readonly units: string | null;
  readonly precision: number | null;
  /** Names of the states of an enumeration, by their index. */
  readonly states: readonly string[] | null;
  readonly limits: ValueLimits;
}

/** Missing data, with the reason as part of a sentence. */
export interface Problem {
  readonly source: SourceKind;
  readonly code: 'unknown' | 'empty' | 'unavailable' | 'unreadable';
  readonly reason: string;
}

export interface CurrentValue extends Display {
  readonly kind: ValueKind;
  readonly value: number | null;
  readonly text: string;
  readonly severity: Severity;
  readonly at: number;
}

export interface Channel {
  readonly owner: string;
  readonly properties: readonly { readonly name: string; readonly value: string }[];
  readonly tags: readonly string[];
}

export interface Alarm {
  readonly at: number | null;
  readonly severity: string;
  readonly message: string;
  readonly currentSeverity: string;
  readonly value: string;
}

/** Alarms of a device within a time range. */
export interface DeviceAlarms {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** Alarms, newest first. */
  readonly alarms: readonly Alarm[];
  /** Whether earlier alarms were omitted. */
  readonly isCut: boolean;
  readonly problems: readonly Problem[];
}

export interface SavedValue {
  /** Id of the snapshot. */
  readonly id: string;
  readonly name: string;
  readonly at: number;
  readonly value: string;
}

/** A value that is compared with another one. */
export type ComparedValue = Pick<CurrentValue, 'kind' | 'value' | 'text' | 'severity' | 'at'>;

/** A device of a snapshot, with its saved and its current value. */
export interface SnapshotRow {
  readonly name: string;
  readonly saved: ComparedValue | null;
  readonly current: ComparedValue | null;
  /** Null when one of the values is missing. */
  readonly isDifferent: boolean | null;
  /** The current value minus the saved one; null when they are equal, not numbers, or differ in their units. */
  readonly difference: number | null;
  readonly problems: readonly Problem[];
}

/** Comparison of saved and current values. */
export interface SnapshotComparison {
  readonly id: string;
  readonly rows: readonly SnapshotRow[];
  /** Number of devices of the snapshot that may be read. */
  readonly total: number;
  /** Number of devices of the snapshot that are excluded. */
  readonly excluded: number;
  readonly problems: readonly Problem[];
}

export interface DeviceDetails {
  readonly name: string;
  readonly sources: readonly SourceKind[];
  readonly current: CurrentValue | null;
  readonly channel: Channel | null;
  readonly neighbours: readonly string[];
  readonly alarms: readonly Alarm[];
  /** Whether there are earlier alarms. */
  readonly areAlarmsCut: boolean;
  readonly snapshots: readonly SavedValue[];
  /** Whether there may be more saved values. */
  readonly areSnapshotsCut: boolean;
  readonly problems: readonly Problem[];
}

export interface HistorySample {
  readonly at: number;
  readonly value: number | null;
  readonly severity: Severity;
  readonly min?: number;
  readonly max?: number;
  readonly text?: string;
}

export interface DeviceHistory extends Display {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly kind: ValueKind;
  readonly isBinned: boolean;
  readonly isCut: boolean;
  readonly samples: readonly HistorySample[];
  readonly gaps: readonly { readonly start: number; readonly end: number }[];
  readonly problems: readonly Problem[];
}
