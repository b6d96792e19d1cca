export type { Table } from '../sqlite/table.js';
