import { shownValue } from '../../packages/control-system/shown-value.js';
import { isSample, type Readings } from '../../packages/control-system/sources.port.js';
import type { Entry, PropertyInstance } from './entry.js';
import { isSamePropertyName } from './entry.js';

/** Name of the property with the values that the devices of an entry had when it was created. */
const deviceValuesProperty = 'Device Values';
const momentAttribute = 'read';

/** Whether an entry names devices whose values it does not have yet. */
export function lacksDeviceValues({ devices = [], properties }: Pick<Entry, 'devices' | 'properties'>): boolean {
  return devices.length > 0 && !properties.some(({ name }) => isSamePropertyName(name, deviceValuesProperty));
}

/** Values of devices with their source. */
export interface DeviceValues {
  readonly readings: Readings;
  /** Name of the source, such as `archiver`. */
  readonly source: string;
  /** Time at which the devices had these values, in milliseconds since the epoch. */
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
  const { severity } = reading;
  return [shownValue(reading), ...(severity === 'NONE' ? [] : [`(${severity})`])].join(' ');
}
