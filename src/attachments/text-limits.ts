/** Limits for one attachment. Beyond a limit there is less text, never an error. */
export interface TextLimits {
  /** No text is extracted from a larger file. */
  readonly maxBytes: number;
  /** Length of the text in UTF-16 code units; the rest is cut off, between words if possible. */
  readonly maxChars: number;
  /** Pages of a PDF that are read. */
  readonly maxPages: number;
  /** Time limit for a PDF, from the call on; the text read until then is used. */
  readonly timeLimitMs: number;
}

export const defaultLimits: TextLimits = {
  maxBytes: 50 * 1_048_576,
  maxChars: 1_000_000,
  maxPages: 2_000,
  timeLimitMs: 20_000,
};
