import { shownValue } from '../../packages/control-system/shown-value.js';
import { isSample, type Readings } from '../../packages/control-system/sources.port.js';
import { describingAttributes, notAvailable, valuesProperties } from '../ledger/added-values.js';
import { deviceLimits } from './device-options.js';
import { type AttributeValue, type Entry, isSamePropertyName, type PropertyInstance } from './entry.js';
import { storedSample } from './stored-samples.js';

/** Name of the property with the values that the devices of an entry had when it was created. */
const deviceValuesProperty = valuesProperties.atCreation;
const momentAttribute = describingAttributes.moments;
/** Minimum age, at the moment of the entry, of an archived sample whose time is stated. */
const oldSampleMs = 3_600_000;

type Values = Pick<Entry, 'devices' | 'properties'>;

/** Whether an entry names devices and has no property with their values yet. */
export function lacksDeviceValues({ devices = [], properties }: Values): boolean {
  return devices.length > 0 && !properties.some(isDeviceValues);
}

/** Returns the devices whose values the archiver may add: all devices of an entry, or those that were not read live. */
export function devicesWithoutValue({ devices = [], properties }: Values): readonly string[] {
  const attributes = properties.find(isDeviceValues)?.attributes;
  if (!attributes) return devices;
  const moment = attributes.findLast(({ name }) => name === momentAttribute)?.value;
  if (!moment?.endsWith(sourceText('live'))) return [];
  const missing = new Set(attributes.filter(isNotAvailable).map(({ name }) => name));
  return devices.filter((name) => missing.has(name));
}

/**
 * Returns the devices of an entry that have no attribute in its property of values, for example because an edit added
 * them. Returns at most as many as the property has room for.
 */
export function devicesWithoutAttribute({ devices = [], properties }: Values): readonly string[] {
  const present = new Set(properties.find(isDeviceValues)?.attributes.map(({ name }) => name));
  const free = deviceLimits.names - [...present].filter((name) => name !== momentAttribute).length;
  return devices.filter((name) => !present.has(name)).slice(0, Math.max(0, free));
}

/** Values of devices with their source. */
export interface DeviceValues {
  readonly readings: Readings;
  readonly source: 'live' | 'archiver';
  /** Time at which the devices had these values, in milliseconds since the epoch. */
  readonly atMs: number;
}

/**
 * Returns the properties of an entry with the values of these devices. Their property has an attribute for each device
 * and, as the last one, an attribute with the moments and sources. If it exists, only its missing values are replaced.
 */
export function withDeviceValues(
  properties: readonly PropertyInstance[],
  devices: readonly string[],
  values: DeviceValues,
): readonly PropertyInstance[] {
  const moment = `${new Date(values.atMs).toISOString()}${sourceText(values.source)}`;
  const known = properties.find(isDeviceValues);
  const present = known?.attributes ?? [];
  const names = new Set(present.map(({ name }) => name));
  const added = devices.filter((name) => !names.has(name)).map((name) => attributeWith(name, name, values));
  const last = present.findLast(({ name }) => name === momentAttribute);
  const attributes = [
    ...present
      .filter((one) => one !== last)
      .map((one) => {
        return devices.includes(one.name) && isNotAvailable(one)
          ? { ...attributeWith(one.name, one.name, values), state: one.state }
          : one;
      }),
    ...added,
    { name: momentAttribute, value: withMoment(last?.value, moment), state: last?.state ?? 'Active' },
  ];
  if (known) return properties.map((one) => (one === known ? { ...known, attributes } : one));
  return [...properties, { name: deviceValuesProperty, owner: '', state: 'Active', attributes }];
}

function withMoment(moments: string | null | undefined, moment: string): string {
  if (!moments) return moment;
  return moments.endsWith(moment) ? moments : `${moments}; ${moment}`;
}

export const isDeviceValues = ({ name }: PropertyInstance): boolean => isSamePropertyName(name, deviceValuesProperty);

const isNotAvailable = ({ value }: PropertyInstance['attributes'][number]): boolean =>
  value?.startsWith(notAvailable) ?? false;

const sourceText = (source: DeviceValues['source']): string => `, ${source}`;

/** Returns an attribute with the value of a device and its sample, or with the reason why there is none. */
export function attributeWith(name: string, device: string, values: DeviceValues): AttributeValue {
  const sample = storedSample(values.readings.get(device));
  return { name, value: describe(device, values), state: 'Active', ...(sample && { sample }) };
}

function describe(device: string, { readings, source, atMs }: DeviceValues): string {
  const reading = readings.get(device);
  if (!isSample(reading)) return `${notAvailable}${reading?.missing ?? 'it was not read'}`;
  const { severity } = reading;
  // A live value is the current one, whenever it was set. The archiver may have lost its connection since a sample.
  const isOld = source === 'archiver' && atMs - reading.atMs >= oldSampleMs;
  return [
    shownValue(reading),
    ...(severity === 'NONE' ? [] : [`(${severity})`]),
    ...(isOld ? [`(sampled ${new Date(reading.atMs).toISOString()})`] : []),
  ].join(' ');
}
