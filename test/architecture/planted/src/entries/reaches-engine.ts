export type { Table } from './detour.js';
