import { isSample, type Readings, type Sample } from '../../packages/control-system/sources.port.js';
import type { Entry, PropertyInstance } from './entry.js';
import { isSamePropertyName } from './entry.js';

/** The property with the values that the devices of an entry had when it was created. */
export const deviceValuesProperty = 'Device Values';
const momentAttribute = 'read';

const maxTextLength = 200;
const shownDigits = 6;
const shownItems = 3;

/** Whether an entry names devices whose values it does not have yet. */
export function lacksDeviceValues({ devices = [], properties }: Pick<Entry, 'devices' | 'properties'>): boolean {
  return devices.length > 0 && !properties.some(({ name }) => isSamePropertyName(name, deviceValuesProperty));
}

/** Values of devices, and where they are from. */
export interface DeviceValues {
  readonly readings: Readings;
  /** Name of the source, such as `archiver`. */
  readonly source: string;
  /** The moment whose values they are, in milliseconds since the epoch. */
  readonly atMs: number;
}

/** Returns the property for an entry that names these devices: an attribute for each, and one for moment and source. */
export function toProperty(devices: readonly string[], { readings, source, atMs }: DeviceValues): PropertyInstance {
  const attribute = (name: string, value: string) => ({ name, value, state: 'Active' }) as const;
  return {
    name: deviceValuesProperty,
    owner: '',
    state: 'Active',
    attributes: [
      ...devices.map((name) => attribute(name, describe(readings.get(name)))),
      attribute(momentAttribute, `${new Date(atMs).toISOString()}, ${source}`),
    ],
  };
}

function describe(reading: ReturnType<Readings['get']>): string {
  if (!isSample(reading)) return `not available: ${reading?.missing ?? 'it was not read'}`;
  const { units, severity } = reading;
  const value = shownValue(reading);
  return [value, ...(units === undefined ? [] : [units]), ...(severity === 'NONE' ? [] : [`(${severity})`])].join(' ');
}

function shownValue({ value, precision }: Sample): string {
  if (typeof value === 'string') return printable(value);
  if (typeof value === 'number') return shownNumber(value, precision);
  const first = value.slice(0, shownItems).map((one) => shownNumber(one, precision));
  if (value.length <= shownItems) return `[${first.join(', ')}]`;
  return `[${first.join(', ')}, …] (${value.length} values)`;
}

/** The precision of a device hides small values, such as pressures, which are then shown with their digits. */
function shownNumber(value: number, precision: number | undefined): string {
  if (!Number.isFinite(value)) return String(value);
  const rounded = precision === undefined ? undefined : value.toFixed(precision);
  if (rounded !== undefined && rounded.length <= 20 && (Number(rounded) !== 0 || value === 0)) return rounded;
  return String(Number(value.toPrecision(shownDigits)));
}

function printable(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return line.length > maxTextLength ? `${line.slice(0, maxTextLength).toWellFormed()}…` : line;
}
