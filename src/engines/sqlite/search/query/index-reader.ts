import type { Connection } from '../../database/connection.js';
import type { FrequentWords } from '../index/frequent-words.js';
import type { CreationOrder } from './creation-order.js';
import type { Dictionary } from './dictionary.js';
import type { Postings } from './postings.js';

/** Tables and caches for compiling conditions, all in one snapshot. */
export interface IndexReader {
  readonly index: Connection;
  readonly documents: Connection;
  readonly postings: Postings;
  readonly dictionary: Dictionary;
  readonly frequentWords: FrequentWords;
  readonly order: CreationOrder;
}
