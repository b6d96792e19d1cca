export type { Client } from '@opentelemetry/api';
