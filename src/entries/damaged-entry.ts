import type { Entry } from './entry.js';

/**
 * Returns the placeholder that lists and the search index show for an entry whose stored data are damaged. The other
 * entries remain visible, and no damaged content is shown.
 */
export function damagedEntry(id: number): Entry {
  const text = 'The stored data of this entry are damaged. The log of the service says what to do.';
  return {
    id,
    owner: '',
    source: text,
    description: text,
    title: `Damaged entry ${id}`,
    level: '',
    state: 'Active',
    createdDate: 0,
    modifyDate: null,
    modifiedBy: null,
    events: [],
    logbooks: [],
    tags: [],
    properties: [],
    attachments: [],
    version: 1,
  };
}
