import type { FindSearch } from './find-search.ts';

/** Properties of a control of the search. */
export interface SearchControlProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
}
