/** View of the entries of a page, shown instead of the stored entries. */
export interface PageView {
  /** Whether to omit `source` and `description`. */
  readonly isList: boolean;
  /** Whether to add the positions of the words of the search. */
  readonly hasHighlights: boolean;
}
