import type { TextPage } from '../../../packages/markup/html.ts';
import { linkAttributes, type Site } from './link-attributes.ts';

/** Returns how this client shows the links, images and tasks of a text. It needs no page, and runs in workers too. */
export function textPage(site: Site) {
  return {
    codeClass: 'device',
    picturesClass: 'pictures',
    captionClass: 'caption',
    tableClass: 'table-scroll',
    link: (target, isBare) => {
      const attributes = linkAttributes(target, site);
      // The text of the link is its address, so a print need not repeat the address.
      return isBare && attributes.target !== undefined ? { ...attributes, class: 'bare' } : attributes;
    },
    image: (target) => {
      const [, id] = /^(?:\.?\/)?(?:[\w.-][\w/.-]*\/)?attachment\/([^/?#]+)$/.exec(target) ?? [];
      // An image of another service is not loaded; the reader may open its address.
      if (id === undefined || /^[a-z]+:/i.test(target)) return undefined;
      return { src: `${site.rootPath}/attachment/${id}?inline=true`, 'data-attachment': id };
    },
    number: (digits) => ({ href: `/entries/${digits}`, 'data-entry': digits }),
    // A box is enabled only if the reader may tick it.
    task: (line) => ({ 'data-task': String(line), disabled: '' }),
  } satisfies TextPage;
}
