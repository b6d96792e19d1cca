import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Entry } from '../entries/entry.js';
import { toSearchable } from '../entries/searchable-entry.js';
import { indexFormat } from './opensearch/index-mapping.js';
import { formatVersion } from './sqlite/search/index/index-database.js';
import { forEachTerm } from './sqlite/search/index/terms.js';

/** An entry with every field, so that a new field that searches find changes the digest below. */
const sample: Required<Entry> = {
  id: 7,
  owner: 'jane',
  ownerName: 'Jane Doe',
  source: 'The **magnet** SR:C03-MG:G02A tripped.',
  description: 'The magnet SR:C03-MG:G02A tripped.',
  title: 'Magnet trip',
  level: 'Problem',
  state: 'Active',
  createdDate: 1_767_225_600_000,
  modifyDate: null,
  modifiedBy: null,
  events: [{ name: 'trip', instant: 1_767_225_120_000 }],
  logbooks: [{ name: 'operations', owner: 'admin', state: 'Active' }],
  tags: [{ name: 'alarm', state: 'Active' }],
  properties: [
    { name: 'device', owner: 'admin', state: 'Active', attributes: [{ name: 'id', value: 'Q-17', state: 'Active' }] },
  ],
  attachments: [
    {
      id: 'a',
      filename: 'trip.csv',
      fileMetadataDescription: 'text/csv',
      size: 12,
      contentType: 'text/csv',
      checksum: '0'.repeat(64),
      width: 1,
      height: 1,
    },
  ],
  devices: ['SR:C03-MG:G02A'],
  run: { status: 'running', blocks: 2, changedDate: 1_767_225_700_000 },
  automatic: true,
  version: 1,
};

/** Another value for each field of the sample, and whether searches find entries by this field. */
const changes = {
  id: [8, false],
  owner: ['joe', true],
  ownerName: ['Joe', false],
  source: ['Another', false],
  description: ['Another', true],
  title: ['Another', true],
  level: ['Info', true],
  state: ['Inactive', false],
  // The index keeps entries in the order of creation, and finds them by that order rather than by terms.
  createdDate: [1, false],
  modifyDate: [1, true],
  modifiedBy: ['joe', false],
  events: [[], true],
  logbooks: [[], true],
  tags: [[], true],
  properties: [[], true],
  attachments: [[], true],
  devices: [[], true],
  run: [{ status: 'done', blocks: 2, changedDate: 1_767_225_700_000 }, true],
  automatic: [undefined, true],
  version: [2, false],
} satisfies { [K in keyof Required<Entry>]: [Entry[K], boolean] };

function termsOf(entry: Entry): string {
  const terms = new Set<string>();
  const searchable = toSearchable(entry, true, () => 'time,current');
  forEachTerm(searchable, (kind, field, name) => terms.add(`${kind}/${field}/${name}`));
  return [...terms].sort().join('\n');
}

test.each(Object.entries(changes))('whether searches find an entry by its %s', (field, [value, isSearched]) => {
  expect(termsOf({ ...sample, [field]: value }) !== termsOf(sample)).toBe(isSearched);
});

test('a change of the terms needs a new format of both indexes', () => {
  const digest = createHash('sha256').update(termsOf(sample)).digest('hex').slice(0, 16);
  // When the digest changes, raise both formats: indexes of earlier versions lack the new terms until they are rebuilt.
  expect({ digest, sqlite: formatVersion, opensearch: indexFormat }).toEqual({
    digest: 'c5125b2267c95da8',
    sqlite: 7,
    opensearch: 5,
  });
});
