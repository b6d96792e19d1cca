/** Limits for one attachment. Exceeding a limit yields less text, never an error. */
export interface TextLimits {
  /** Maximum size of a file from which text is extracted. */
  readonly maxBytes: number;
  /** Maximum length of the text in UTF-16 code units. The rest is cut off, between words if possible. */
  readonly maxChars: number;
  /** Maximum number of pages of a PDF that are read. */
  readonly maxPages: number;
  /** Time limit for a PDF, after which the text read so far is used. */
  readonly timeLimitMs: number;
}

export const defaultLimits: TextLimits = {
  maxBytes: 50 * 1_048_576,
  maxChars: 1_000_000,
  maxPages: 2_000,
  timeLimitMs: 20_000,
};
