export type { Change } from '../notifications/change.js';

export interface Query {
  readonly text: string;
}
