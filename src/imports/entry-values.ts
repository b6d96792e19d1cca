import { deviceLimits } from '../entries/device-options.js';
import { runStatuses, type StoredSample } from '../entries/entry.js';
import { readSample } from '../entries/stored-samples.js';
import { quoted } from '../kernel/fault.js';
import { counted } from '../kernel/text.js';
import type { CatalogItems, ImportedVersion, Template } from './import-source.port.js';

/** Object from a service, in which every field may have any type or be absent. */
export type Loose = Readonly<Record<string, unknown>>;

/** Receives a sentence about an adaptation or a loss. */
export type Remark = (sentence: string, isLoss?: boolean) => unknown;

const ignore: Remark = () => undefined;

export type VersionValues = Omit<ImportedVersion, 'attachments'>;

export function isRecord(value: unknown): value is Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a count, which some services send as text; undefined for other values. */
export function countOf(value: unknown): number | undefined {
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}

/** Returns a value as text; undefined for null, lists, objects and absent values. */
export function textOf(value: unknown): string | undefined {
  // PostgreSQL cannot store NUL in a text, and UTF-8 cannot encode half of a surrogate pair.
  if (typeof value === 'string') return value.replaceAll('\0', '\ufffd').toWellFormed();
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return undefined;
}

/** Returns the elements of a list. Some services send null for an empty list, or an object with the names as keys. */
export function listOf(value: unknown): Loose[] {
  if (Array.isArray(value)) return value.map((one) => (isRecord(one) ? one : { name: one }));
  if (!isRecord(value)) return [];
  return Object.entries(value).map(([name, one]) => ({
    name,
    filename: name,
    ...(isRecord(one) ? one : { value: one }),
  }));
}

/** The years 0 to 9999. */
const [earliestMs, latestMs] = [-62_167_219_200_000, 253_402_300_799_999];
/**
 * Numbers in this range are seconds. As milliseconds, they would be in the years 1970 to 1973, before these services.
 */
const [firstSecond, lastSecond] = [100_000_000, 100_000_000_000];

/** Whether this program sent the entry: its versions are numbers, and its times are always milliseconds. */
const isExact = ({ version }: Loose) => typeof version === 'number';

/** Returns the creation time of an entry, in milliseconds since the epoch; undefined when it has none. */
export function createdMsOf(entry: Loose): number | undefined {
  return timeOf(entry.createdDate, isExact(entry));
}

/**
 * Returns a time in milliseconds since the epoch; undefined when the value is not a time.
 * @param isInMs whether the value is in milliseconds; otherwise the unit is derived from its size
 */
export function timeOf(value: unknown, isInMs = false): number | undefined {
  const ms = isInMs && typeof value === 'number' ? value : toMs(value);
  return ms >= earliestMs && ms <= latestMs ? Math.trunc(ms) : undefined;
}

function toMs(value: unknown): number {
  if (typeof value === 'number') return numberToMs(value);
  if (typeof value === 'string') return parseTime(value.trim());
  if (Array.isArray(value)) return fieldsToMs(value);
  if (!isRecord(value)) return Number.NaN;
  const { epochSecond, seconds = epochSecond, nano, nanos = nano } = value;
  return typeof seconds === 'number' ? seconds * 1_000 + Math.trunc(Number(nanos ?? 0) / 1_000_000) : Number.NaN;
}

/** Converts seconds, milliseconds, microseconds or nanoseconds, which are distinguished by their size. */
function numberToMs(value: number): number {
  if (value >= firstSecond && value < lastSecond) return Math.round(value * 1_000);
  if (value > latestMs * 1_000) return Math.trunc(value / 1_000_000);
  return value > latestMs ? Math.trunc(value / 1_000) : value;
}

/** Converts a list of year, month and day, with optional hour, minute, second and nanosecond, in UTC. */
function fieldsToMs(fields: readonly unknown[]): number {
  if (fields.length < 3 || fields.length > 7 || !fields.every((one) => Number.isSafeInteger(one))) return Number.NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, nano = 0] = fields as number[];
  return year < 1_000 ? Number.NaN : Date.UTC(year, month - 1, day, hour, minute, second, Math.trunc(nano / 1_000_000));
}

/** Dates in which day and month cannot be distinguished. */
const ambiguous = /^\d{1,2}[./-]\d{1,2}[./-]\d{2,4}\b/;
const namesZone = /\dZ|\b(?:GMT|UTC?|[ECMP][SD]T)\b|\d\s*[+-]\d\d:?\d\d\b/i;

/** Parses a time. Without a zone, it is in UTC and not in the zone of this machine. */
function parseTime(text: string): number {
  if (/^-?\d+(?:\.\d+)?$/.test(text)) return toMs(Number(text));
  if (text === '' || ambiguous.test(text)) return Number.NaN;
  const isLocal = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?$/.test(text);
  if (isLocal) return Date.parse(`${text.replace(' ', 'T')}Z`);
  return Date.parse(namesZone.test(text) || /^[\d-]+$/.test(text) ? text : `${text} UTC`);
}

/** Reads a time, with a remark if the value is not a time, or not in milliseconds. */
function readTime(value: unknown, what: string, remark: Remark, isInMs: boolean): number | undefined {
  const ms = timeOf(value, isInMs);
  if (ms === undefined) {
    if (value !== undefined && value !== null) remark(`The ${what} is not a time: ${asJson(value)}.`, true);
  } else if (ms !== value && String(ms) !== value) {
    remark(`The ${what} ${asJson(value)} was read as ${new Date(ms).toISOString()}.`);
  }
  return ms;
}

function asJson(value: unknown): string {
  return quoted(JSON.stringify(value) ?? '', 200);
}

/** Reads a text, with a remark if the value is not a text, or has characters that cannot be stored. */
function readText(value: unknown, what: string, remark: Remark): string | undefined {
  const text = textOf(value);
  if (text === undefined) {
    if (value !== undefined && value !== null) remark(`The ${what} is not a text: ${asJson(value)}.`, true);
  } else if (typeof value === 'string' && text !== value) {
    remark(`Characters of the ${what} that cannot be stored, such as U+0000, became U+FFFD.`);
  }
  return text;
}

function stateOf(value: unknown): 'Active' | 'Inactive' {
  return typeof value === 'string' && value.toLowerCase() === 'inactive' ? 'Inactive' : 'Active';
}

/** Maximum number of items in a list, more than the tags or attributes of any real entry. */
const maxItems = 10_000;

type Named = Loose & { readonly name: string };

/** Returns the named elements of a list. Elements without a name are left out, with a remark. */
function namedOf(value: unknown, what: string, remark: Remark): Named[] {
  const named: Named[] = [];
  if (typeof value === 'string' || typeof value === 'number') return namedOf([value], what, remark);
  const all = listOf(value);
  const article = /^[aeiou]/.test(what) ? 'An' : 'A';
  if (all.length > maxItems) remark(`Only the first ${maxItems} of ${counted(all.length, what)} were read.`, true);
  for (const one of all.slice(0, maxItems)) {
    const name = readText(one.name, `name of a ${what}`, remark);
    if (name === undefined || name === '')
      remark(`${article} ${what} without a name was left out: ${asJson(one)}.`, true);
    else named.push(one.name === name ? (one as Named) : { ...one, name });
  }
  return named;
}

/** Reads the fields of an entry as a service sends it. */
export function readVersion(entry: Loose, remark: Remark): VersionValues {
  const isInMs = isExact(entry);
  const description = readText(entry.description, 'description', remark);
  const source = readText(entry.source, 'source', remark) ?? description ?? '';
  if (entry.title === undefined || entry.title === null) remark('The title was missing; it is empty now.');
  const created = readTime(entry.createdDate, 'date of creation', remark, isInMs);
  if (created === undefined) remark('The date of creation was missing; it is now the date of the last edit, or 0.');
  const modifyDate = readTime(entry.modifyDate, 'date of the last edit', remark, isInMs) ?? null;
  return {
    owner: readText(entry.owner, 'owner', remark) ?? '',
    ownerName: readText(entry.ownerName, 'name of the owner', remark),
    source,
    description: description ?? source,
    title: readText(entry.title, 'title', remark) ?? '',
    level: readText(entry.level, 'level', remark) ?? '',
    state: readState(entry.state, remark),
    createdDate: created ?? modifyDate ?? 0,
    modifyDate,
    modifiedBy: readText(entry.modifiedBy, 'last editor', remark) ?? null,
    events: readEvents(entry.events, remark, isInMs),
    logbooks: readLogbooks(entry.logbooks, remark),
    tags: readTags(entry.tags, remark),
    properties: readProperties(entry.properties, remark),
    run: readRun(entry.run),
    automatic: entry.automatic === true || undefined,
  } satisfies VersionValues & Record<keyof VersionValues, unknown>;
}

/** Reads the state of a run as this program sends it; undefined for anything else. */
function readRun(run: unknown): VersionValues['run'] {
  if (!isRecord(run)) return undefined;
  const status = runStatuses.find((one) => one === run.status);
  const [blocks, changedDate] = [countOf(run.blocks), timeOf(run.changedDate, true)];
  if (status === undefined || blocks === undefined || changedDate === undefined) return undefined;
  return { status, blocks, changedDate };
}

/** Reads the fields of a template, which has neither events nor a state. */
export function readTemplate(template: Loose): Omit<Template, 'id' | 'name'> {
  const {
    events: _,
    state: __,
    ownerName: ___,
    run: ____,
    automatic: _____,
    ...fields
  } = readVersion(template, ignore);
  return fields;
}

function readLogbooks(logbooks: unknown, remark: Remark = ignore): VersionValues['logbooks'] {
  return namedOf(logbooks, 'logbook', remark).map(({ name, owner, state }) => ({
    name,
    owner: readText(owner, 'owner of a logbook', remark) ?? '',
    state: stateOf(state),
  }));
}

/** Reads the logbooks of a catalogue, with the devices that they list. */
export function readLogbookItems(logbooks: unknown): CatalogItems['logbooks'][] {
  const devicesOf = new Map(namedOf(logbooks, 'logbook', ignore).map((one) => [one.name, readDevices(one.devices)]));
  return readLogbooks(logbooks).map((one) => {
    const devices = devicesOf.get(one.name) ?? [];
    return { ...one, ...(devices.length > 0 && { devices }) };
  });
}

function readDevices(devices: unknown): string[] {
  const listed: unknown[] = Array.isArray(devices) ? devices : [];
  const names = listed.filter((name) => typeof name === 'string' && name.length <= deviceLimits.nameLength);
  return [...new Set(names as string[])].slice(0, deviceLimits.names);
}

export function readTags(tags: unknown, remark: Remark = ignore): VersionValues['tags'] {
  return namedOf(tags, 'tag', remark).map(({ name, state }) => ({ name, state: stateOf(state) }));
}

export function readLevels(levels: unknown): CatalogItems['levels'][] {
  return namedOf(levels, 'level', ignore).map(({ name, defaultLevel }) => ({
    name,
    defaultLevel: defaultLevel === true,
  }));
}

function readState(value: unknown, remark: Remark): VersionValues['state'] {
  const text = readText(value, 'state', remark) ?? '';
  if (!/^(?:|active|inactive)$/i.test(text)) remark(`The state ${asJson(value)} became Active.`);
  return stateOf(value);
}

function readEvents(events: unknown, remark: Remark, isInMs: boolean): VersionValues['events'] {
  const all = listOf(events);
  if (all.length > maxItems) remark(`Only the first ${maxItems} of ${all.length} events were read.`, true);
  return all.slice(0, maxItems).flatMap((event) => {
    const instant = readTime(event.instant ?? event.value, 'time of an event', remark, isInMs);
    if (instant !== undefined) return [{ name: readText(event.name, 'name of an event', remark) ?? '', instant }];
    remark(`An event without a time was left out: ${asJson(event)}.`, true);
    return [];
  });
}

export function readProperties(properties: unknown, remark: Remark = ignore): VersionValues['properties'] {
  return namedOf(properties, 'property', remark).map(({ name, owner, state, attributes, value }) => ({
    name,
    owner: readText(owner, 'owner of a property', remark) ?? '',
    state: stateOf(state),
    attributes: namedOf(attributes ?? value, 'attribute', remark).map((attribute) => ({
      name: attribute.name,
      value: readValue(attribute.value, attribute.name, remark),
      state: stateOf(attribute.state),
      ...sampleIn(attribute, name, remark),
    })),
  }));
}

/** Reads the sample of an attribute; none if it is not valid, or this program adds no values to such properties. */
export function sampleIn(
  attribute: Loose,
  propertyName: string,
  remark: Remark = ignore,
): { readonly sample?: StoredSample } {
  const sample = readSample(attribute.sample, propertyName);
  if (sample) return { sample };
  if ((attribute.sample ?? null) !== null) {
    remark(`The sample of the attribute ${quoted(textOf(attribute.name) ?? '')} is not valid and was left out.`, true);
  }
  return {};
}

/** Reads the value of an attribute. A list or an object becomes its JSON. */
function readValue(value: unknown, name: string, remark: Remark): string | null {
  if (typeof value !== 'object' || value === null) return readText(value, `attribute ${quoted(name)}`, remark) ?? null;
  remark(`The value of the attribute ${quoted(name)} is not a text; it became its JSON.`);
  return textOf(JSON.stringify(value)) ?? null;
}
