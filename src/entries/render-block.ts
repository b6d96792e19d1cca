import type { Markup, RenderedText, TextRenderer } from './text-renderer.js';

/** Text and values that one append adds to a run. */
export interface Block {
  readonly text: string;
  /** Names with values, each of which becomes a line of the text. */
  readonly values: readonly { readonly name: string; readonly value: string }[];
}

/** Renders a block so that later blocks are rendered as if they were alone, and values are shown as they are. */
export async function renderBlock(texts: TextRenderer, { text, values }: Block, markup: Markup): Promise<RenderedText> {
  const lines = values.map(({ name, value }) => {
    const [first, second] = [inOneLine(name), inOneLine(value)];
    return (markup === 'none' ? `${first}: ${second}` : `- ${codeSpan(first)}: ${codeSpan(second)}`).trimEnd();
  });
  const closed = await texts.closeFence(text, markup);
  return texts.render([closed, lines.join('\n')].filter((part) => part !== '').join('\n\n'), markup);
}

/** Replaces each line break, including those that only the parser of the markup knows, with a space. */
function inOneLine(value: string): string {
  return value.replace(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/g, ' ').trim();
}

/** Returns a text as a code span of CommonMark, whose marks are longer than any in the text. */
function codeSpan(text: string): string {
  if (text === '') return '';
  const longest = (text.match(/`+/g) ?? []).reduce((length, run) => Math.max(length, run.length), 0);
  const marks = '`'.repeat(longest + 1);
  // The parser removes one space at each end.
  const space = text.startsWith('`') || text.endsWith('`') ? ' ' : '';
  return `${marks}${space}${text}${space}${marks}`;
}
