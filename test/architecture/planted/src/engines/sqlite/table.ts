import { noun } from '../../entries/noun.js';

export interface Table {
  readonly rows: typeof noun;
}
