/** View of the entries of a page, shown in place of the stored entries. */
export interface PageView {
  /** Leaves out `source` and `description`. */
  readonly isList: boolean;
  /** Adds where the words of the search occur. */
  readonly hasHighlights: boolean;
}
