import type { FindSearch } from './find-search.ts';

export interface SearchControlProps {
  readonly search: FindSearch;
  readonly onChange: (search: FindSearch) => void;
}
