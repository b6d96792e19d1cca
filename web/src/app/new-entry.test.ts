import { expect, test } from 'vitest';
import { filteredLogbook } from './new-entry.ts';

test.each([
  ['logbook=RF', 'RF'],
  ['logbook="Ops Main" valve start="2 days"', 'Ops Main'],
  ['logbook=RF,Vacuum', undefined],
  ['-logbook=RF', undefined],
  ['logbook=R*', undefined],
  ['tag=RF', undefined],
  [undefined, undefined],
])('a list of %j is narrowed to the logbook %j', (query, logbook) => {
  expect(filteredLogbook(query)).toBe(logbook);
});
