export type { Table } from '../entries/planted.routes.js';
