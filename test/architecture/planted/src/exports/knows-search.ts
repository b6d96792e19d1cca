export type { Query } from '../search/query.js';
