/** Formatting of a run of text. */
export interface Marks {
  readonly isStrong: boolean;
  readonly isEmphasis: boolean;
  readonly isCode: boolean;
  readonly script: 'above' | 'below' | undefined;
  /** Address to which the text links, in its original spelling. */
  readonly link: string | undefined;
}

export type Run =
  | { readonly kind: 'text'; readonly text: string; readonly marks: Marks }
  | { readonly kind: 'break'; readonly marks: Marks }
  | ImageRun;

export interface ImageRun {
  readonly kind: 'image';
  /** Address in its original spelling. */
  readonly address: string;
  readonly alt: string;
  /** Size in pixels; undefined when the source does not specify it. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Whether the image is behind or next to a text. Such an image from another server counts as an ornament. */
  readonly isBackground: boolean;
  readonly marks: Marks;
}

export interface ListItem {
  /** Number or letter as shown to readers, such as `7.`; undefined for a bullet. */
  readonly label: string | undefined;
  readonly content: readonly Block[];
}

export interface Cell {
  readonly content: readonly Block[];
  /** Number of columns that the cell spans; `rows` is the number of rows. */
  readonly columns: number;
  readonly rows: number;
}

export type Block =
  | { readonly kind: 'paragraph'; readonly runs: readonly Run[] }
  | { readonly kind: 'heading'; readonly level: number; readonly runs: readonly Run[] }
  | { readonly kind: 'quote'; readonly content: readonly Block[] }
  | { readonly kind: 'list'; readonly items: readonly ListItem[] }
  | { readonly kind: 'table'; readonly rows: readonly (readonly Cell[])[] }
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'rule' };

/** Text of an entry, independent of its original encoding. */
export interface ParsedText {
  readonly blocks: readonly Block[];
  /** Whether the original has formatting that CommonMark cannot show. */
  readonly isLossy: boolean;
  /** Text as a reader of the original sees it, in pieces, for comparison with the converted text. */
  readonly visible: readonly string[];
}

/** Destination of an address in a text. */
export type Target =
  | { readonly kind: 'attachment'; readonly id: string }
  /** `id` is undefined while the entry is not stored here yet. */
  | { readonly kind: 'entry'; readonly id: number | undefined }
  | { readonly kind: 'page'; readonly address: string }
  /** Ornament such as a smiley, which its alternative text describes completely. */
  | { readonly kind: 'ornament' }
  | { readonly kind: 'nowhere' };

/** Targets by address. An address that is missing leads nowhere. */
export type Targets = Readonly<Record<string, Target>>;
