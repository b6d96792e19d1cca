export type { Client } from '@opensearch-project/opensearch';
