import type { Field, Kind } from '../search-terms.js';
import { fields, kinds } from '../search-terms.js';

/**
 * Format of the index. Raise it when the indexing of entries changes; nodes with an earlier format keep their own
 * index.
 */
export const indexFormat = 5;

/** Suffixes of the names of fields for words, names and phrases. */
const endings: Readonly<Record<Field, string>> = {
  [fields.title]: 'title',
  [fields.description]: 'description',
  [fields.other]: 'other',
  [fields.attachment]: 'attachment',
};

/** Returns the field for the distinct words of a part of an entry. */
export const wordsIn = (field: Field): string => `words_${endings[field]}`;
/** Returns the field for the distinct names of a part of an entry. */
export const namesIn = (field: Field): string => `names_${endings[field]}`;
/** Returns the field for the words of a part of an entry, in order. */
export const phrasesIn = (field: Field): string => `phrases_${endings[field]}`;
export const allWords = 'words';
export const allNames = 'names';

/** Field for the values of each kind. */
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
    // The words are already split: the analyzer only separates them, so that the result does not depend on versions or
    // plug-ins.
    [phrasesIn(field)]: { type: 'text', analyzer: 'whitespace' },
  }));
  return Object.assign({ [allWords]: uncounted, [allNames]: uncounted }, ...all);
}

/** Metadata that an index stores about itself. */
export interface IndexMeta {
  readonly storeId: string;
  readonly format: number;
  /** Number of the newest redaction when the index was created; missing: there was none. */
  readonly redaction?: number;
}

export const indexSort = { field: ['created', 'id'], order: ['desc', 'desc'] };

export function indexBody(meta: IndexMeta, replicas: number): { settings: object; mappings: object } {
  return {
    settings: {
      // With a single shard, counts by value are exact. One shard holds tens of millions of entries.
      number_of_shards: 1,
      number_of_replicas: replicas,
      // Searches refresh the index themselves, and only when there are new writes.
      refresh_interval: '-1',
      // Matches the order of results, newest first, so that searches stop reading after the page.
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
        signature: uncounted,
        vector: { type: 'binary', doc_values: true },
        shown: { type: 'object', enabled: false },
        cursor: { type: 'object', enabled: false },
      },
    },
  };
}
