import { TextBuilder } from '../../../packages/rich-text/text-builder.js';
import type { ParsedText } from '../../../packages/rich-text/text-model.js';

const columns = /^( {2,}|\t)\S|\S {3,}\S|\S\t+\S/m;
const address =
  /\b(?:elog:[a-z][\w.-]*(?: [\w.-]+){1,4}(?:\/\d{1,9}){1,2}(?![\w/])|(?:https?:\/\/|ftp:\/\/|elog:[/\w])[^\s()<>"]*)/gi;

/** Reads the paragraphs and lines of plain text. Paragraphs with columns aligned by white space stay as they are. */
export function readPlain(text: string): ParsedText {
  const builder = new TextBuilder();
  // Blank lines between columns belong to them.
  const parts = text.split(/(\n[^\S\n]*(?:\n[^\S\n]*)*\n)/);
  for (let at = 0; at < parts.length; at += 2) {
    let part = parts[at] ?? '';
    if (!columns.test(part)) {
      readLines(builder, part);
      continue;
    }
    while (parts[at + 2] !== undefined && columns.test(parts[at + 2] as string)) {
      part += `${parts[at + 1]}${parts[at + 2]}`;
      at += 2;
    }
    readColumns(builder, part);
  }
  return builder.finish();
}

function readLines(builder: TextBuilder, part: string): void {
  for (const line of part.split('\n')) {
    builder.text(line.trim());
    builder.breakLine();
  }
  builder.endParagraph();
}

function readColumns(builder: TextBuilder, part: string): void {
  builder.openPreformatted();
  let from = 0;
  for (const { 0: link, index } of part.matchAll(address)) {
    builder.text(part.slice(from, index));
    const trimmed = link.replace(/[.,;:!?'’]+$/, '');
    builder.openLink(trimmed);
    builder.text(trimmed);
    builder.closeLink();
    from = index + trimmed.length;
  }
  builder.text(part.slice(from));
  builder.closePreformatted();
}
