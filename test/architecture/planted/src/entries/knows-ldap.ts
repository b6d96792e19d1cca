export type { Client } from 'ldapts';
