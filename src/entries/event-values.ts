import { printable } from '../../packages/control-system/shown-value.js';
import { describingAttributes, valuesProperties } from '../ledger/added-values.js';
import { attributeWith, type DeviceValues } from './device-values.js';
import { type Entry, type EventMark, isSamePropertyName, type PropertyInstance } from './entry.js';

/** Name of the property with the values that the devices of an entry had at its past events. */
const eventValuesProperty = valuesProperties.atEvents;
const leftOutAttribute = describingAttributes.leftOut;
/** Maximum number of events and of devices of one entry whose values are read. */
const maxEvents = 5;
const maxDevices = 20;
/** Maximum length of the name of an event in the name of an attribute, so that the latter stays below `nameLength`. */
const shownNameLength = 22;

type Values = Pick<Entry, 'devices' | 'events' | 'properties'>;

/** Returns the devices whose values are read at the events of an entry. */
export function devicesAtEvents({ devices = [] }: Pick<Entry, 'devices'>): readonly string[] {
  return devices.slice(0, maxDevices);
}

/** Returns the events without values among the first `maxEvents` past events of an entry, one for each instant. */
export function eventsWithoutValues(entry: Values, untilMs: number): readonly EventMark[] {
  const devices = devicesAtEvents(entry);
  if (devices.length === 0) return [];
  const attributes = entry.properties.find(isEventValues)?.attributes ?? [];
  const isStored = ({ instant }: EventMark) =>
    devices.some((device) => attributes.some(({ name }) => name.startsWith(startOfName(device, instant))));
  return pastEvents(entry, untilMs)
    .slice(0, maxEvents)
    .filter((event) => !isStored(event));
}

/**
 * Returns the properties of an entry with the values of these devices at an event. The property has an attribute for
 * each device and event, and one for the numbers of events and devices whose values are not read.
 * @param untilMs time until which events are past
 */
export function withEventValues(
  entry: Values,
  event: EventMark,
  devices: readonly string[],
  { values, untilMs }: { readonly values: DeviceValues; readonly untilMs: number },
): readonly PropertyInstance[] {
  const known = entry.properties.find(isEventValues);
  const leftOut = numbersLeftOut(entry, untilMs);
  const attributes = [
    ...(known?.attributes.filter(({ name }) => name !== leftOutAttribute) ?? []),
    ...devices.map((device) => attributeWith(attributeName(device, event), device, values)),
    ...(leftOut === '' ? [] : [{ name: leftOutAttribute, value: leftOut, state: 'Active' } as const]),
  ];
  if (known) return entry.properties.map((one) => (one === known ? { ...known, attributes } : one));
  return [...entry.properties, { name: eventValuesProperty, owner: '', state: 'Active', attributes }];
}

export const isEventValues = ({ name }: PropertyInstance): boolean => isSamePropertyName(name, eventValuesProperty);

/** Returns the past events, one for each instant. An event before the epoch has no values in an archiver. */
function pastEvents({ events }: Pick<Entry, 'events'>, untilMs: number): EventMark[] {
  const byInstant = new Map<number, EventMark>();
  for (const event of events) {
    const isPast = event.instant >= 0 && event.instant <= untilMs;
    if (isPast && !byInstant.has(event.instant)) byInstant.set(event.instant, event);
  }
  return [...byInstant.values()];
}

function numbersLeftOut(entry: Values, untilMs: number): string {
  const events = pastEvents(entry, untilMs).length - maxEvents;
  const devices = (entry.devices?.length ?? 0) - maxDevices;
  return [...(events > 0 ? [`events: ${events}`] : []), ...(devices > 0 ? [`devices: ${devices}`] : [])].join(', ');
}

const startOfName = (device: string, instant: number): string => `${device} at ${new Date(instant).toISOString()} `;

const attributeName = (device: string, { name, instant }: EventMark): string =>
  `${startOfName(device, instant)}(${printable(name, shownNameLength)})`;
