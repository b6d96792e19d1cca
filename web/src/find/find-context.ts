import { createContext, useContext } from 'react';
import type { Hit } from '../api/types.ts';
import type { FindSearch } from './find-search.ts';

/** State of the list, for the entry next to it. */
export interface FindState {
  readonly search: FindSearch;
  readonly hitCount: number | undefined;
  /** The position of the open entry among the hits, -1 when it is not one of those that were fetched. */
  readonly position: number;
  /** The hit of the open entry. */
  readonly hit: Hit | undefined;
  /** Opens the entry that many positions further, and focuses its row if wanted; false when there is none. */
  readonly step: (by: number, withFocus?: boolean) => boolean;
  readonly change: (search: FindSearch) => void;
}

export const FindContext = createContext<FindState | undefined>(undefined);

export function useFind(): FindState | undefined {
  return useContext(FindContext);
}
