import type { Field, Kind } from '../search-terms.js';
import { fields, kinds } from '../search-terms.js';

/**
 * Must be raised when entries are indexed in another way. Nodes with an earlier format then continue with their own
 * index.
 */
export const indexFormat = 4;

/** Suffixes of the names of fields for words, names and phrases. */
const endings: Readonly<Record<Field, string>> = {
  [fields.title]: 'title',
  [fields.description]: 'description',
  [fields.other]: 'other',
  [fields.attachment]: 'attachment',
};

/** The words of a field of an entry, each once. */
export const wordsIn = (field: Field): string => `words_${endings[field]}`;
/** The names of a field of an entry, each once. */
export const namesIn = (field: Field): string => `names_${endings[field]}`;
/** The words of a field of an entry in their order. */
export const phrasesIn = (field: Field): string => `phrases_${endings[field]}`;
export const allWords = 'words';
export const allNames = 'names';

/** Where the values of a kind are. */
export const valueFields = {
  [kinds.owner]: 'owner',
  [kinds.level]: 'level',
  [kinds.logbook]: 'logbook',
  [kinds.tag]: 'tag',
  [kinds.property]: 'property',
  [kinds.attribute]: 'attribute',
  [kinds.attributeValue]: 'attribute_value',
  [kinds.filename]: 'filename',
  [kinds.media]: 'media',
  [kinds.flag]: 'flag',
  [kinds.ending]: 'ending',
  [kinds.device]: 'device',
} as const satisfies Partial<Record<Kind, string>>;

export type ValueKind = keyof typeof valueFields;

const keyword = { type: 'keyword' };
const uncounted = { type: 'keyword', doc_values: false };

function textFields(): Record<string, object> {
  const all = Object.values(fields).map((field) => ({
    [wordsIn(field)]: { ...keyword, copy_to: allWords },
    [namesIn(field)]: { ...keyword, copy_to: allNames },
    // The words are ours: the analyzer only separates them. Its results are the same in every version and plug-in.
    [phrasesIn(field)]: { type: 'text', analyzer: 'whitespace' },
  }));
  return Object.assign({ [allWords]: uncounted, [allNames]: uncounted }, ...all);
}

/** Metadata that an index stores about itself. */
export interface IndexMeta {
  readonly storeId: string;
  readonly format: number;
  /** The number of the newest redaction before it was begun; missing: there was none. */
  readonly redaction?: number;
}

export const indexSort = { field: ['created', 'id'], order: ['desc', 'desc'] };

export function indexBody(meta: IndexMeta, replicas: number): { settings: object; mappings: object } {
  return {
    settings: {
      // With one, counts by value are exact. It holds tens of millions of entries.
      number_of_shards: 1,
      number_of_replicas: replicas,
      // Searches wait for what they must find, and refresh the index only when there is something new.
      refresh_interval: '-1',
      // Searches return the newest first, so they need not read beyond the page.
      sort: indexSort,
      max_regex_length: 20_000,
      max_terms_count: 1_000_000,
    },
    mappings: {
      dynamic: 'strict',
      _meta: meta,
      // The rest is in the storage, from which the index can be rebuilt.
      _source: { includes: ['shown', 'cursor'] },
      properties: {
        id: { type: 'long' },
        version: { type: 'integer', index: false },
        created: { type: 'long' },
        event: { type: 'long', doc_values: false },
        thread: keyword,
        ...Object.fromEntries(Object.values(valueFields).map((name) => [name, keyword])),
        ...textFields(),
        shown: { type: 'object', enabled: false },
        cursor: { type: 'object', enabled: false },
      },
    },
  };
}
