import { plainTextOf } from '../../../packages/markup/plain-text.js';
import { readHtml } from '../../../packages/rich-text/read-html.js';
import { addressesOf, type NamedAddresses } from '../../../packages/rich-text/text-addresses.js';
import type { ParsedText, Targets } from '../../../packages/rich-text/text-model.js';
import { writeCommonmark } from '../../../packages/rich-text/write-commonmark.js';
import { type DataFile, takeDataFiles } from '../../imports/texts/data-files.js';
import { readPlain } from '../../imports/texts/read-plain.js';
import { findLostWords } from '../../imports/texts/visible-words.js';
import { ElogBytes } from './elog-bytes.js';
import { decodeText } from './elog-entry.js';
import { readElcode } from './read-elcode.js';

/** Task of converting the text of an entry. */
export interface TextTask {
  /** Text of an entry, in the bytes of its file. */
  readonly bytes: Uint8Array;
  /** Charset of the server. */
  readonly charset: string;
  /** `HTML`, `ELCode` or `plain`. */
  readonly encoding: string;
  /** Targets of its addresses; undefined: the task is to list the addresses. */
  readonly targets: Targets | undefined;
}

/** A text in CommonMark. */
export interface ConvertedText {
  readonly source: string;
  readonly description: string;
  /** Addresses of missing images. */
  readonly missingImages: readonly string[];
  /** Words of the original that the description lacks. */
  readonly lostWords: readonly string[];
  /** The original in UTF-8; undefined if the conversion has lost nothing. */
  readonly original: Uint8Array | undefined;
}

export interface TextAddresses extends NamedAddresses {
  /** Files that are part of the text. The address of each file is `toDataAddress` of its position in this list. */
  readonly data: readonly DataFile[];
}

/** Lists the addresses in a text, or converts it. Long texts are processed in a worker thread. */
export function convertText(task: TextTask): ConvertedText | TextAddresses {
  const original = decodeText(Buffer.from(task.bytes), new ElogBytes(task.charset));
  const kind = kindOf(task.encoding, original);
  const { text, files } =
    kind === 'html' || kind === 'elcode' ? takeDataFiles(original, kind) : { text: original, files: [] };
  const read = kind === 'html' ? readHtml : kind === 'elcode' ? readElcode : readPlain;
  const parsed = read(text);
  return task.targets === undefined
    ? { ...addressesOf(parsed.blocks), data: files }
    : write(parsed, task.targets, original);
}

const htmlTag = /<(?:p|div|br|h[1-6]|ul|ol|table|span|strong|em|b|i|a|img)\b[^<>]*>/i;

/** Returns the encoding of a text. ELOG shows a text as HTML if its encoding is missing or unknown. */
function kindOf(encoding: string, text: string): string {
  const kind = encoding.trim().toLowerCase();
  return /^(?:html|elcode|plain)$/.test(kind) || !htmlTag.test(text) ? kind : 'html';
}

function write({ blocks, isLossy, visible }: ParsedText, targets: Targets, original: string): ConvertedText {
  const { source, missing } = writeCommonmark(blocks, targets);
  const description = plainTextOf(source);
  const lostWords = findLostWords(visible, description);
  const isWhole = !isLossy && lostWords.length === 0;
  return {
    source,
    description,
    missingImages: missing,
    lostWords,
    original: isWhole ? undefined : Buffer.from(original),
  };
}
