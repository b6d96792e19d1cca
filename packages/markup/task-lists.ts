import type { Env, MarkdownIt, Token } from 'markdown-it';

/** Line ends as the parser counts them. */
const lineEnds = /(\r\n|[\n\r\v\f\u0085\u2028\u2029])/;
/** A box at the beginning of a list item: `[ ]` or `[x]`, and text. */
const box = /^\[([ xX])\][ \t]+(?=\S)/;

/** Turns the box of each task in a list into a token `task_box`. A box elsewhere is text. */
export function addTaskLists(markdown: MarkdownIt, isWanted: (env: Env) => boolean): void {
  markdown.core.ruler.push('tasks', (state) => {
    if (!isWanted(state.env)) return;
    const { tokens, Token: TokenClass } = state;
    tokens.forEach((item, at) => {
      const inline = tokens[at + 2];
      if (item.type !== 'list_item_open' || tokens[at + 1]?.type !== 'paragraph_open' || !inline?.children) return;
      const first = inline.children.findIndex(({ type }) => type !== 'list_marker');
      const text = inline.children[first];
      const [whole, sign] = text?.type === 'text' && box.test(inline.content) ? (box.exec(text.content) ?? []) : [];
      if (!text || whole === undefined) return;
      item.attrJoin('class', 'task');
      text.content = text.content.slice(whole.length);
      const meta: TaskBox = { line: inline.map?.[0] ?? 0, isDone: sign !== ' ', label: labelOf(inline.children) };
      inline.children.splice(first, 0, Object.assign(new TokenClass('task_box', 'input', 0), { meta }));
    });
  });
}

export interface TaskBox {
  /** Line of the box in the text, from 0. */
  readonly line: number;
  readonly isDone: boolean;
  readonly label: string;
}

function labelOf(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content }) => (type === 'list_marker' ? '' : content))
    .join('')
    .trim();
}

/** Returns the text with the box of that line toggled; undefined if the line has no box. */
export function toggleTask(source: string, line: number): string | undefined {
  // Every second part is a line end.
  const parts = source.split(lineEnds);
  const [whole, start = '', sign] = /^([^[]*\[)([ xX])\]/.exec(parts[line * 2] ?? '') ?? [];
  if (whole === undefined) return undefined;
  parts[line * 2] = `${start}${sign === ' ' ? 'x' : ' '}${parts[line * 2]?.slice(start.length + 1)}`;
  return parts.join('');
}
