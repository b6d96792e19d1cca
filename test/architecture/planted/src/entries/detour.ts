import type { Table } from './knows-engine.js';

export const knowsEngine = (table: Table) => table;
