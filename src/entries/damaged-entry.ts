import type { Entry } from './entry.js';

/**
 * Returns the placeholder for an entry with damaged data in lists and in the search index. With it, the damage does not
 * hide other entries, and readers see nothing that was never written.
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
