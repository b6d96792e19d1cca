export type { Query } from '../search/query.js';

export interface Plugin {
  readonly name: string;
}
