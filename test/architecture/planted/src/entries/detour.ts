export type { Table } from './knows-engine.js';
