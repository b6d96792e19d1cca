import type { FindSearch } from './find-search.ts';

/** What a control of the search takes. */
export interface SearchControlProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
}
