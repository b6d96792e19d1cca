import type { Severity } from './device-view.js';
import { readLimits, readStates, readUnits } from './display.js';
import { isRecord, toInstant, toNumber } from './lenient-json.js';
import type { Missing, Sample } from './sources.port.js';

/** Message to the process that requests the values of devices. */
export interface ChannelAccessRequest {
  readonly names: readonly string[];
  readonly timeoutMs: number;
}

/** Message from the process with the value of a device. `control` and `time` are in the form of the library. */
export interface ChannelAccessValue {
  readonly name: string;
  /** Number of the device's type, from 0 (text) to 6 (double). */
  readonly type: number;
  /** Number of values of the device. */
  readonly count: number;
  /** Undefined when there are too many values. */
  readonly value: unknown;
  readonly control: unknown;
  readonly time: unknown;
}

/** Number of the enumeration type. */
const enumType = 3;
/** Maximum number of values of one device. */
export const maxItems = 10_000;
/** Start of EPICS time, in 1990, in seconds since the Unix epoch. */
const epochSeconds = 631_152_000;

const severities: readonly Severity[] = ['NONE', 'MINOR', 'MAJOR', 'INVALID'];

const limitFields = {
  displayLow: 'lower_display_limit',
  displayHigh: 'upper_display_limit',
  alarmLow: 'lower_alarm_limit',
  warningLow: 'lower_warning_limit',
  warningHigh: 'upper_warning_limit',
  alarmHigh: 'upper_alarm_limit',
} as const;

/** Returns the reading of a device from a message of the process. */
export function toReading(message: Readonly<Record<string, unknown>>): Sample | Missing {
  const count = toNumber(message.count) ?? 0;
  if (count > maxItems) return { missing: `it has ${count} values, more than ${maxItems}` };
  const control = isRecord(message.control) ? message.control : {};
  const time = isRecord(message.time) ? message.time : {};
  const states = message.type === enumType ? toStates(control) : null;
  const value = toValue(message.value);
  const label = typeof value === 'number' ? states?.[value] : undefined;
  const atMs = toInstant((toNumber(time.secondsSinceEpoch) ?? Number.NaN) + epochSeconds, time.nanoSeconds);
  if (value === undefined) return { missing: 'its value is of an unknown kind' };
  if (atMs === undefined) return { missing: 'its time is wrong' };
  const decimals = toNumber(control.precision) ?? Number.NaN;
  return {
    value: label ?? value,
    units: readUnits(control.units),
    precision: decimals >= 0 && decimals <= 15 ? decimals : undefined,
    severity: severities[toNumber(time.severity) ?? -1] ?? 'UNDEFINED',
    atMs,
    ...(states && typeof value === 'number' && { index: value }),
    display: { states, limits: readLimits(control, limitFields) },
  };
}

function toStates({ strings, number_of_string_used: used }: Readonly<Record<string, unknown>>): readonly string[] {
  return Array.isArray(strings) ? readStates(strings.slice(0, toNumber(used) ?? 0)) : [];
}

function toValue(value: unknown): Sample['value'] | undefined {
  if (typeof value === 'number' || typeof value === 'string') return value;
  if (!Array.isArray(value)) return undefined;
  // The library replaces numbers that are not finite with null.
  const items = value.map((item: unknown) => (item === null ? Number.NaN : item));
  return items.every((item) => typeof item === 'number') ? items : undefined;
}
