import { expect, test } from 'vitest';
import type { AttributeTarget } from './elog-mapping.js';
import { mapEntry } from './map-entry.js';

test.each([
  ['thread', [['ELOG', 'Batch', 'B7']]],
  [undefined, [['log entry group', 'batch', 'B7']]],
])('an attribute with the property of threads as its target is kept: thread %s', (groupId, kept) => {
  const target: AttributeTarget = { kind: 'property', property: 'log entry group', attribute: 'batch' };
  const mapping = { logbooks: {}, attributes: new Map([['batch', target]]), timeZone: 'UTC', addresses: [] };
  const entry = { id: 7, headers: [['Batch', 'B7']] as const, files: [], textBytes: Buffer.alloc(0), isCut: false };
  const given = { source: '', description: '', createdDate: 0, logbook: 'Ops', groupId };
  const { properties } = mapEntry(mapping, entry, given);
  const values = properties.flatMap(({ name, attributes }) => attributes.map((one) => [name, one.name, one.value]));
  const thread = groupId === undefined ? [] : [['Log Entry Group', 'id', groupId]];
  expect(values.toSorted()).toEqual([...kept, ['ELOG', 'id', '7'], ...thread].toSorted());
});
