import type { Severity } from './device-view.js';
import { readLimits, readStates, readUnits } from './display.js';
import { toInstant, toNumber } from './lenient-json.js';
import { readValue } from './read-value.js';
import { type Missing, noAnswer, type Sample } from './sources.port.js';

type Update = Readonly<Record<string, unknown>>;

const limitFields = {
  displayLow: 'min',
  displayHigh: 'max',
  alarmLow: 'alarm_low',
  warningLow: 'warn_low',
  warningHigh: 'warn_high',
  alarmHigh: 'alarm_high',
} as const;

const severities: readonly string[] = ['NONE', 'MINOR', 'MAJOR', 'INVALID', 'UNDEFINED'] satisfies Severity[];

/** Decoders for arrays in little-endian base64, by the field that contains them. */
const arrays: Readonly<Record<string, (bytes: DataView) => number[]>> = {
  b64dbl: (bytes) => list(bytes, 8, (at) => bytes.getFloat64(at, true)),
  b64flt: (bytes) => list(bytes, 4, (at) => bytes.getFloat32(at, true)),
  b64int: (bytes) => list(bytes, 4, (at) => bytes.getInt32(at, true)),
  b64srt: (bytes) => list(bytes, 2, (at) => bytes.getInt16(at, true)),
  b64byt: (bytes) => list(bytes, 1, (at) => bytes.getInt8(at)),
};

/** Collects the updates of one device. The first update contains its metadata, and later ones only the changes. */
export class PvwsReading {
  private merged: Update = {};
  private hasBegun = false;
  private isTooLarge = false;

  /** Whether a value has arrived. The first update may contain only write permissions. */
  get isComplete(): boolean {
    return this.isTooLarge || ['value', 'text', ...Object.keys(arrays)].some((key) => key in this.merged);
  }

  update(update: Update): void {
    // Late updates of the previous subscription lack the metadata, and are ignored. The first update of a subscription
    // has the type of the value, or the write permissions.
    this.hasBegun ||= 'vtype' in update || 'readonly' in update;
    if (!this.hasBegun) return;
    this.merged = { ...this.merged, ...update };
  }

  /** Records an update that is too large to be parsed, instead of `update`. */
  setTooLarge(): void {
    this.isTooLarge = true;
    this.merged = {};
  }

  /** @param timeoutMs time limit in which the device had to send its value */
  result(timeoutMs: number): Sample | Missing {
    if (this.isTooLarge) return { missing: 'its value is too large' };
    if (!this.isComplete) return noAnswer(timeoutMs);
    if (isDisconnected(this.merged)) return { missing: 'it is disconnected', code: 'unknown' };
    const { units, precision, severity, seconds, nanos } = this.merged;
    const value = this.value();
    const atMs = toInstant(seconds, nanos);
    if (value === undefined) return { missing: 'its value is of an unknown kind' };
    if (atMs === undefined) return { missing: 'its time is wrong' };
    // The server gives integers decimals, too.
    const decimals = integerType.test(String(this.merged.vtype)) ? Number.NaN : (toNumber(precision) ?? Number.NaN);
    return {
      ...value,
      units: readUnits(units),
      precision: decimals >= 0 && decimals <= 15 ? Math.trunc(decimals) : undefined,
      severity: severities.includes(severity as string) ? (severity as Severity) : 'UNDEFINED',
      atMs,
      ...this.state(),
      display: { states: toStates(this.merged.labels), limits: readLimits(this.merged, limitFields) },
    };
  }

  /** Returns the index of an enumeration, which has an index and a label. */
  private state(): Pick<Sample, 'index'> {
    const { text, value } = this.merged;
    return typeof text === 'string' && typeof value === 'number' && Number.isInteger(value) ? { index: value } : {};
  }

  private value(): Pick<Sample, 'value' | 'exact'> | undefined {
    const { text, value } = this.merged;
    // An enumeration has an index and a label, and people know the label.
    if (typeof text === 'string') return { value: this.merged.vtype === undefined ? unwrapped(text) : text };
    for (const [key, decode] of Object.entries(arrays)) {
      const encoded = this.merged[key];
      if (typeof encoded !== 'string') continue;
      const bytes = Buffer.from(encoded, 'base64');
      return { value: decode(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)) };
    }
    return readValue(toNumber(value) === undefined ? undefined : value);
  }
}

const integerType = /^VU?(?:Byte|Short|Int|Long)(?:Array)?$/;

/** Extracts the value from the description that the server sends for types without a form of their own. */
function unwrapped(text: string): string {
  const [, list, truth] = /^VStringArray\[(\[.*\]), size \[\d+\], |^VBoolean\[(true|false), /s.exec(text) ?? [];
  return list ?? truth ?? text;
}

/**
 * Whether the server has lost the device, for which it then sends NaN without units and limits. A connected device
 * whose value is NaN has finite limits, or units, or another severity.
 */
function isDisconnected(update: Update): boolean {
  const { vtype, value, severity, units } = update;
  const isNone = vtype === 'VDouble' && value === 'NaN' && severity === 'INVALID' && units === '';
  return isNone && Object.values(limitFields).every((field) => update[field] === 'NaN');
}

function toStates(labels: unknown): readonly string[] | null {
  return Array.isArray(labels) ? readStates(labels) : null;
}

function list(bytes: DataView, size: number, read: (at: number) => number): number[] {
  return Array.from({ length: Math.floor(bytes.byteLength / size) }, (_, at) => read(at * size));
}
