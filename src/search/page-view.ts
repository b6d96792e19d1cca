/** What a page shows of its entries, in place of the entries as they are stored. */
export interface PageView {
  /** Leaves out `source` and `description`. */
  readonly isList: boolean;
  /** Adds where the words of the search occur. */
  readonly hasHighlights: boolean;
}
