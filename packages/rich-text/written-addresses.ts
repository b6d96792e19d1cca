import type { Marks, Run } from './text-model.js';

/**
 * Address in a text, which a client may turn into a link. In an address such as `elog:Main Ring/12`, the name of the
 * logbook may contain blanks if the number of an entry follows.
 */
const written =
  /\belog:(?:[a-z][\w.-]*(?: [\w.-]+){1,4}(?:\/\d{1,9}){1,2}(?![\w/])|(?=[/\w#])[^\s({[)}\]"<>|]*[^\s({[)}\]"<>|.,;:!?'’])|\b(?:https?|ftp):\/\/[^\s<>"'`|\\^{}[\]]*[^\s<>"'`|\\^{}[\].,;:!?)(]/gi;

/** Turns the addresses in a text into links, even if they were read in several pieces. */
export function linkWrittenAddresses(runs: readonly Run[]): Run[] {
  return joinTexts(runs).flatMap((run) => {
    if (run.kind !== 'text' || run.marks.link !== undefined || run.marks.isCode) return [run];
    const { text, marks } = run;
    const parts: Run[] = [];
    let from = 0;
    for (const { 0: link, index } of text.matchAll(written)) {
      if (index > from) parts.push({ kind: 'text', text: text.slice(from, index), marks });
      parts.push({ kind: 'text', text: link, marks: { ...marks, link } });
      from = index + link.length;
    }
    if (from < text.length) parts.push({ kind: 'text', text: text.slice(from), marks });
    return parts;
  });
}

function joinTexts(runs: readonly Run[]): Run[] {
  const joined: { run: Run; texts: string[] }[] = [];
  for (const run of runs) {
    const last = joined.at(-1);
    const text = run.kind === 'text' ? run.text : '';
    if (run.kind === 'text' && last?.run.kind === 'text' && isSame(run.marks, last.run.marks)) last.texts.push(text);
    else joined.push({ run, texts: [text] });
  }
  return joined.map(({ run, texts }) => (run.kind === 'text' ? { ...run, text: texts.join('') } : run));
}

const isSame = (one: Marks, other: Marks) =>
  one.isStrong === other.isStrong &&
  one.isEmphasis === other.isEmphasis &&
  one.isCode === other.isCode &&
  one.script === other.script &&
  one.link === other.link;
