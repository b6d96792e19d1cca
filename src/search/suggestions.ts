/** Kinds of suggestions: values for a key of the search box, or words of the title or of the description. */
export const suggestKeys = ['owner', 'tag', 'logbook', 'level', 'device', 'property', 'title', 'text'] as const;
export type SuggestKey = (typeof suggestKeys)[number];

export const suggestLimits = { defaultSize: 10, size: 50, prefixLength: 1_024 } as const;

export interface SuggestRequest {
  readonly key: SuggestKey;
  /**
   * Beginning of the value, in any case. For a property, the beginning of `name`, `name.attribute` or
   * `name.attribute.value`, in which the parts before the last are complete. For `title` and `text`, only the last word
   * is used.
   */
  readonly prefix: string;
  /** Maximum number of values to return. */
  readonly size: number;
  /** Folded names of the logbooks that the user must not read. Their entries are ignored. */
  readonly hiddenLogbooks: readonly string[];
}
