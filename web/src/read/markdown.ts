import { renderHtml, type TextPage } from '../../../packages/markup/html.ts';
import { rootPath } from '../app/root-path.ts';
import { trustedHtml } from '../app/trusted-types.ts';
import { linkAttributes } from './link-attributes.ts';

const site = { origin: location.origin, rootPath };

const page: TextPage = {
  codeClass: 'device',
  tableClass: 'table-scroll',
  link: (target, isBare) => {
    const attributes = linkAttributes(target, site);
    // Its text is the address, which a print needs not repeat.
    return isBare && attributes.target !== undefined ? { ...attributes, class: 'bare' } : attributes;
  },
  image: (target) => {
    const [, id] = /^(?:\.?\/)?(?:[\w.-][\w/.-]*\/)?attachment\/([^/?#]+)$/.exec(target) ?? [];
    // An image of another service is not loaded; the reader may open its address.
    if (id === undefined || /^[a-z]+:/i.test(target)) return undefined;
    return { src: `${rootPath}/attachment/${id}?inline=true`, 'data-attachment': id };
  },
  number: (digits) => ({ href: `/entries/${digits}`, 'data-entry': digits }),
};

/** Renders CommonMark. HTML in the text stays text. */
export function renderMarkdown(source: string): string {
  return trustedHtml(renderHtml(source, page));
}
