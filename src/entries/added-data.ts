import { isPlotFileName } from '../../packages/control-system/plot-file-name.js';
import { isDeviceValues } from './device-values.js';
import type { Entry } from './entry.js';
import { isEventValues } from './event-values.js';

/** Values of devices and plots that this logbook has added to an entry. */
export type AddedData = Pick<Entry, 'properties' | 'attachments'>;

/** An entry as another service has it. */
interface OtherVersion extends Pick<Entry, 'properties'> {
  readonly attachments: readonly { readonly filename: string }[];
}

/** Returns what this logbook has added to an entry that it shares with another service. */
export function addedDataOf({ properties, attachments }: AddedData, other: OtherVersion): AddedData {
  const names = new Set(other.properties.map(({ name }) => name));
  const files = new Set(other.attachments.map(({ filename }) => filename));
  return {
    properties: properties.filter((one) => (isDeviceValues(one) || isEventValues(one)) && !names.has(one.name)),
    attachments: attachments.filter(({ filename }) => isPlotFileName(filename) && !files.has(filename)),
  };
}

/** Returns a version of the entry without the properties and attachments that have these names and ids. */
export function withoutAddedData<T extends AddedData>(entry: T, added: AddedData): T {
  const names = new Set(added.properties.map(({ name }) => name));
  const ids = new Set(added.attachments.map(({ id }) => id));
  return {
    ...entry,
    properties: entry.properties.filter(({ name }) => !names.has(name)),
    attachments: entry.attachments.filter(({ id }) => !ids.has(id)),
  };
}

export function withAddedData<T extends AddedData>(entry: T, added: AddedData): T {
  return {
    ...entry,
    properties: [...entry.properties, ...added.properties],
    attachments: [...entry.attachments, ...added.attachments],
  };
}
