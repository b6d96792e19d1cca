/**
 * Shows a rendered text in place of another one. The blocks before the first difference stay, with their selection and
 * focus: a run grows at its end while someone reads.
 */
export function growText(place: HTMLElement, before: string, after: string): void {
  const [old, next] = [blocksOf(before), blocksOf(after)];
  // Links, buttons and boxes may have been added, but each block is still one node.
  const isShown = place.childNodes.length === old.length;
  const differs = next.findIndex((block, at) => !old[at]?.isEqualNode(block));
  const same = isShown ? (differs < 0 ? next.length : differs) : 0;
  while (place.childNodes.length > same) place.lastChild?.remove();
  place.append(...next.slice(same));
}

function blocksOf(html: string): ChildNode[] {
  const template = document.createElement('template');
  template.innerHTML = html;
  return [...template.content.childNodes];
}
