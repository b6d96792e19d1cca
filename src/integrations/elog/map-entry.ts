import { isGroupName, withGroup } from '../../entries/entry.js';
import type { ImportedVersion } from '../../imports/import-source.port.js';
import { type ElogEntry, valuesOf } from './elog-entry.js';
import { type ElogMapping, ownHeaders, targetOf } from './elog-mapping.js';

interface Given {
  readonly source: string;
  readonly description: string;
  /** Milliseconds since the epoch. */
  readonly createdDate: number;
  readonly logbook: string;
  readonly groupId: string | undefined;
}

const state = 'Active' as const;

/** Converts an entry. The mapping determines the target of each attribute. */
export function mapEntry(
  mapping: ElogMapping,
  { headers, id }: ElogEntry,
  { source, description, createdDate, logbook, groupId }: Given,
): Omit<ImportedVersion, 'attachments'> {
  const values = { title: '', owner: '', level: '' };
  const tags = new Set<string>();
  const properties = new Map<string, { name: string; value: string; state: 'Active' }[]>();
  const toProperty = (property: string, name: string, value: string) =>
    properties.set(property, [...(properties.get(property) ?? []), { name, value, state }]);
  for (const [name, value] of headers) {
    if (ownHeaders.has(name.toLowerCase()) || value === '') continue;
    const target = targetOf(mapping, name);
    // The property of the thread replaces any other with its name.
    const isTaken = target.kind === 'property' && groupId !== undefined && isGroupName(target.property);
    if (target.kind === 'property' && !isTaken) toProperty(target.property, target.attribute, value);
    else if (target.kind === 'tags') for (const one of valuesOf(value)) tags.add(one);
    else if (target.kind === 'ignore') continue;
    else if (target.kind !== 'property' && values[target.kind] === '') values[target.kind] = value;
    // Another attribute is already the title, owner or level, or the entry is in a thread.
    else toProperty('ELOG', name, value);
  }
  toProperty('ELOG', 'id', String(id));
  const ownProperties = [...properties].map(([name, attributes]) => ({ name, owner: '', state, attributes }));
  return {
    ...values,
    // An entry without a title could not be edited.
    title: values.title || firstLine(description) || `Entry ${id}`,
    level: values.level || 'Info',
    source,
    description,
    state,
    createdDate,
    modifyDate: null,
    modifiedBy: null,
    events: [],
    logbooks: [{ name: logbook, owner: '', state }],
    tags: [...tags].map((name) => ({ name, state })),
    properties: groupId === undefined ? ownProperties : withGroup(ownProperties, groupId),
  };
}

function firstLine(text: string): string {
  const line = text.split('\n').find((one) => one.trim() !== '') ?? '';
  return [...line.trim()].slice(0, 80).join('');
}
