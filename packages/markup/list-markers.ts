import type { Token } from 'markdown-it';

/** Returns the text of a list marker as it was typed: `-`, `12.`, `3)`. */
export function markerOf(item: Token): string {
  return item.info === '' ? item.markup : `${item.info}${item.markup}`;
}

/**
 * Makes lists show the numbers that were typed. Markers that a browser would show differently become text: a sign
 * before a number (`- 3 mA`), leading zeros (`08. March`) and parentheses (`1)`).
 */
export function showMarkers(tokens: readonly Token[], TokenClass: typeof Token): void {
  const lists: { readonly items: Token[] }[] = [];
  tokens.forEach((token, at) => {
    if (token.type.endsWith('_list_open')) lists.push({ items: [] });
    else if (token.type === 'ordered_list_close') numberItems(lists.pop()?.items ?? []);
    else if (token.type === 'bullet_list_close') lists.pop();
    else if (token.type === 'list_item_open') {
      lists.at(-1)?.items.push(token);
      const inline = tokens[at + 1]?.type === 'paragraph_open' ? tokens[at + 2] : undefined;
      if (!inline?.children || !isShownAsText(token, inline.content)) return;
      token.attrJoin('class', 'typed');
      inline.children.unshift(Object.assign(new TokenClass('list_marker', '', 0), { markup: markerOf(token) }));
    }
  });
}

function numberItems(items: readonly Token[]): void {
  if (items.every((item, at) => Number(item.info) === at + 1)) return;
  for (const item of items) item.attrSet('value', String(Number(item.info)));
}

function isShownAsText(item: Token, content: string): boolean {
  if (item.info !== '') return item.markup === ')' || /^0\d/.test(item.info);
  return item.markup !== '*' && /^[$€£¥]?[.,]?\d/.test(content);
}
