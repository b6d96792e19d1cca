import { drive, type Request } from '../load.js';
import { createEntry, getEntry, putEntry } from '../requests.js';

/** One kind of request. Requests of different indexes differ, so that no answer can be reused. */
export interface Kind {
  readonly name: string;
  readonly request: (index: number) => Request;
}

export const entries = 14_000;
const pageSize = 100;
const aboutText =
  'The beam current after the refill was lower than expected, so injection stopped and the kicker voltage came down while the vacuum in the straight section stayed good. ';

/** A word that only one entry has. */
const wordOf = (index: number) => `device${index % entries}x`;

export const kinds: Readonly<Record<string, Kind>> = {
  get: { name: 'GET /logs/{id}', request: (index) => getEntry((index % entries) + 1) },
  search: { name: 'GET /logs/search, one hit', request: (index) => get(`text=${wordOf(index)}`) },
  page: {
    name: `GET /logs/search, ${pageSize} entries`,
    request: (index) => get(`text=beam&size=${pageSize}&from=${(index * 37) % (entries - pageSize)}`),
  },
  create: { name: 'PUT /logs', request: createEntry },
};

function get(query: string): Request {
  return { method: 'GET', path: `/logbook/logs/search?${query}`, headers: {}, body: [] };
}

/** Stores the entries that the requests read. */
export async function fill(origin: string): Promise<void> {
  let index = 0;
  await drive(origin, 16, () => (index < entries ? putEntry(entry(index++)) : undefined));
}

function entry(index: number): object {
  return {
    title: `Shift report ${index}`,
    source: `${aboutText.repeat(3)}Seen at ${wordOf(index)}.`,
    level: 'Info',
    logbooks: [{ name: 'operations' }],
    tags: [{ name: 'alarm' }],
    properties: [{ name: 'resource', attributes: [{ name: 'name', value: `device ${index % 50}` }] }],
  };
}
