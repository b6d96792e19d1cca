import { plainTextOf } from '../../entries/markup.js';
import { fromHtml } from '../../imports/texts/from-html.js';
import { escapeMarkup, type FindFile, fenced } from '../../imports/texts/markup-text.js';
import { fromElcode } from './from-elcode.js';

/** A text in CommonMark. */
export interface ConvertedText {
  readonly source: string;
  readonly description: string;
  /** The extension of the original, which has more than its CommonMark; undefined when nothing is lost. */
  readonly lostFrom: 'html' | 'elcode.txt' | undefined;
}

/** Converts the text of an entry by its encoding. */
export async function convertText(text: string, encoding: string, findFile: FindFile): Promise<ConvertedText> {
  const kind = encoding.toLowerCase();
  if (kind === 'html') {
    const { source, isLossy } = await fromHtml(text, findFile);
    return { source, description: plainTextOf(source), lostFrom: isLossy ? 'html' : undefined };
  }
  if (kind === 'elcode') {
    const { source, isLossy } = fromElcode(text, findFile);
    return { source, description: plainTextOf(source), lostFrom: isLossy ? 'elcode.txt' : undefined };
  }
  return { source: fromPlainText(text), description: text, lostFrom: undefined };
}

/** A text whose columns are aligned by spaces stays as it is; in any other, no character becomes markup. */
export function fromPlainText(text: string): string {
  if (/^( {2,}|\t)\S|\S {3,}\S|\S\t+\S/m.test(text)) {
    return fenced(text);
  }
  return text
    .split('\n')
    .map((line) => escapeMarkup(line.trim()))
    .join('\n')
    .replace(/([^\n])\n(?=[^\n])/g, '$1\\\n');
}
