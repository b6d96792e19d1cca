import { expect, test } from 'vitest';
import { attachment, entryDraft, logbook, property, tag } from '../../test/fixtures/entries.js';
import type { Entry } from '../entries/entry.js';
import { describeEntry } from './eln-nodes.js';
import { renderEntry } from './entry-page.js';
import { csvLine } from './write-csv.js';

const sample: Entry = { ...entryDraft(), id: 7, version: 1 };

const formats = {
  csv: (entry: Entry) => csvLine(entry, () => undefined),
  eln: (entry: Entry) =>
    JSON.stringify([...describeEntry(entry, { files: [], url: undefined, parent: undefined, replies: [] })]),
  page: (entry: Entry) => renderEntry(entry, { pathOf: () => 'file', link: undefined }),
};
const [all, elnAlone] = [['csv', 'eln', 'page'], ['eln']] as const;

/** A value of each field that differs from the sample, and the exports that show it. */
const changes = {
  id: [8, all],
  owner: ['joe', all],
  ownerName: ['Joe', ['eln', 'page']],
  source: ['another', ['eln', 'page']],
  description: ['another', ['csv', 'eln']],
  title: ['another', all],
  level: ['Problem', all],
  state: ['Inactive', elnAlone],
  createdDate: [2_000, all],
  modifyDate: [2_000, all],
  modifiedBy: ['joe', ['csv', 'eln']],
  events: [[{ name: 'trip', instant: 500 }], elnAlone],
  logbooks: [[logbook('controls')], all],
  tags: [[tag('alarm')], all],
  properties: [[property('device', { id: 'Q-17' })], ['eln', 'page']],
  // An ELN archive has them as files.
  attachments: [[attachment()], ['csv', 'page']],
  devices: [['SR:I'], elnAlone],
  run: [{ status: 'done', blocks: 2, changedDate: 2_000 }, elnAlone],
  automatic: [true, elnAlone],
  version: [2, elnAlone],
} satisfies { [K in keyof Required<Entry>]: readonly [Entry[K], readonly (keyof typeof formats)[]] };

test.each(Object.entries(changes))('only the expected exports show the field %s', (field, [value, expected]) => {
  const other = { ...sample, [field]: value };
  const shown = Object.entries(formats).filter(([, write]) => write(other) !== write(sample));
  expect(shown.map(([format]) => format)).toEqual(expected);
});
