import { type Attributes, renderHtml, type TextPage } from '../../../packages/markup/html.ts';
import { rootPath } from '../app/root-path.ts';
import { trustedHtml } from '../app/trusted-types.ts';

const page: TextPage = {
  codeClass: 'device',
  tableClass: 'table-scroll',
  link: (target, isBare) => (/^[a-z]+:/i.test(target) ? foreignLink(target, isBare) : { href: ownAddress(target) }),
  image: (target) => {
    const [, id] = /^(?:\.?\/)?(?:[\w/.-]*\/)?attachment\/([^/?#]+)$/.exec(target) ?? [];
    // An image of another service is not loaded; the reader may open its address.
    if (id === undefined || /^[a-z]+:/i.test(target)) return undefined;
    return { src: `${rootPath}/attachment/${id}?inline=true`, 'data-attachment': id };
  },
  number: (digits) => ({ href: `/entries/${digits}`, 'data-entry': digits }),
};

function foreignLink(href: string, isBare: boolean): Attributes {
  const attributes = { href, target: '_blank', rel: 'noreferrer' };
  // Its text is the address, which a print needs not repeat.
  return isBare ? { ...attributes, class: 'bare' } : attributes;
}

/** Returns the address of a link on the page. A target is relative to the root path; `#48211` is an entry. */
function ownAddress(target: string): string {
  const [, id] = /^#(\d+)$/.exec(target) ?? [];
  if (id !== undefined) return `/entries/${id}`;
  return /^(attachment|logs)\//.test(target) ? `${rootPath}/${target}` : target;
}

/** Renders CommonMark. HTML in the text stays text. */
export function renderMarkdown(source: string): string {
  return trustedHtml(renderHtml(source, page));
}
