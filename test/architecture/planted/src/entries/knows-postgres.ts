export type { Client } from 'pg';
