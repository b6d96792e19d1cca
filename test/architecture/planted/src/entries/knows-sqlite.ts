export { DatabaseSync } from 'node:sqlite';
