import type { Attachment } from '../attachments/attachment.js';
import type { State } from '../catalog/catalog.js';

export interface LogbookReference {
  readonly name: string;
  readonly owner: string;
  readonly state: State;
}

export interface TagReference {
  readonly name: string;
  readonly state: State;
}

export interface AttributeValue {
  readonly name: string;
  /** Null when the client sent null. */
  readonly value: string | null;
  readonly state: State;
  /** Absent unless this program has added the value of a device. */
  readonly sample?: StoredSample | undefined;
}

/**
 * The value of a device in full precision, and when the device had it. Numbers are decimal strings, because digests
 * cover samples and the JSON of proofs has whole numbers only.
 */
export interface StoredSample {
  /** Shortest strings that are read as the numbers; `NaN`, `Infinity` and `-Infinity`, too. A scalar has one item. */
  readonly numbers?: readonly string[] | undefined;
  /** Text, or label of the state of an enumeration. */
  readonly text?: string | undefined;
  /** Index of the state of an enumeration. */
  readonly index?: number | undefined;
  readonly units?: string | undefined;
  readonly severity: string;
  /** Milliseconds since the epoch. */
  readonly instant: number;
}

export interface PropertyInstance {
  readonly name: string;
  readonly owner: string;
  readonly state: State;
  readonly attributes: readonly AttributeValue[];
}

export interface EventMark {
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly instant: number;
}

/** `abandoned`: nothing was appended for a long time. An append continues such a run. */
export const runStatuses = ['running', 'done', 'failed', 'abandoned'] as const;
export type RunStatus = (typeof runStatuses)[number];

/** State of an entry that grows by blocks until its run is closed. */
export interface RunState {
  readonly status: RunStatus;
  /** Number of appended blocks, which is also the number of the last one. */
  readonly blocks: number;
  /** Time at which the run was opened, grew by its last block or was closed, in milliseconds since the epoch. */
  readonly changedDate: number;
}

/** Whether a run has ended, so that no block can be appended. */
export function isClosed({ status }: RunState): boolean {
  return status === 'done' || status === 'failed';
}

/** One version of a log entry, as the API returns it. Times are milliseconds since the epoch. */
export interface Entry {
  readonly id: number;
  readonly owner: string;
  /** The display name of the owner when the entry was created; undefined if it was not known. */
  readonly ownerName?: string | undefined;
  /** The text as its author sent it, with markup. */
  readonly source: string;
  /** The text without markup. */
  readonly description: string;
  readonly title: string;
  readonly level: string;
  readonly state: State;
  readonly createdDate: number;
  readonly modifyDate: number | null;
  readonly modifiedBy: string | null;
  readonly events: readonly EventMark[];
  readonly logbooks: readonly LogbookReference[];
  readonly tags: readonly TagReference[];
  readonly properties: readonly PropertyInstance[];
  readonly attachments: readonly Attachment[];
  /** Device names that were recognised when this version was stored, each once; undefined: none. */
  readonly devices?: readonly string[] | undefined;
  /** State of the run that the entry records; undefined: it records none. */
  readonly run?: RunState | undefined;
  /** True if a token for automatic entries created it; otherwise undefined. */
  readonly automatic?: true | undefined;
  /** 1 when created; increases by one with each edit. Joining a group is not an edit. */
  readonly version: number;
}

/** An entry before it is stored. */
export type NewEntryDocument = Omit<Entry, 'id' | 'version'>;

/** An entry before it is stored, with the id that another service gave it. */
export type GivenEntryDocument = Omit<Entry, 'version'>;

/** The property that marks an entry, its replies and the entries grouped with them as one group. */
export const groupPropertyName = 'Log Entry Group';
export const groupAttributeName = 'id';

/** Returns the id of the group of the entry; undefined if it is in none. */
export function groupIdOf(entry: Pick<Entry, 'properties'>): string | undefined {
  const group = entry.properties.find((property) => property.name === groupPropertyName);
  return group?.attributes.find((attribute) => attribute.name === groupAttributeName)?.value ?? undefined;
}

/** Returns the group that a client chose for a new entry, by its property in any spelling; undefined for none. */
export function chosenGroupId(
  properties: readonly {
    readonly name: string;
    readonly attributes: readonly { readonly name: string; readonly value: string | null }[];
  }[],
): string | undefined {
  const group = properties.find((property) => isGroupName(property.name));
  const id = group?.attributes.find((attribute) => isSamePropertyName(attribute.name, groupAttributeName));
  return id?.value?.trim() || undefined;
}

/** Returns the properties with the group `groupId` as the last one. */
export function withGroup(properties: readonly PropertyInstance[], groupId: string): PropertyInstance[] {
  return [
    ...withoutGroup(properties),
    {
      name: groupPropertyName,
      owner: '',
      state: 'Active',
      attributes: [{ name: groupAttributeName, value: groupId, state: 'Active' }],
    },
  ];
}

export function withoutGroup(properties: readonly PropertyInstance[]): PropertyInstance[] {
  return properties.filter((property) => !isGroupName(property.name));
}

export function isGroupName(propertyName: string): boolean {
  return isSamePropertyName(propertyName, groupPropertyName);
}

/**
 * Compares names as searches do, ignoring case and outer spaces. An exact comparison would let a client join a group,
 * or hide a property, by another spelling.
 */
export function isSamePropertyName(one: string, other: string): boolean {
  return one.trim().toLowerCase() === other.trim().toLowerCase();
}
