export type { Table } from '../engines/sqlite/table.js';
