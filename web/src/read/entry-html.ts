import type { Entry } from '../api/types.ts';
import { decoded } from '../components/decoded.ts';
import { shownFileName } from '../components/file-name.ts';
import { fileUrl, isPicture } from './file-list.tsx';
import { renderMarkdown } from './markdown.ts';

/** Maximum total size of the pictures that are copied with a text, in bytes. The others are linked. */
const maxPictureBytes = 8_000_000;

type Shown = Pick<Entry, 'title' | 'level' | 'owner' | 'ownerName' | 'logbooks' | 'tags' | 'source' | 'attachments'>;

/** Returns an entry as standalone HTML: with its address, absolute links and its pictures. */
export async function toHtml(
  { title, level, owner, ownerName, logbooks, tags, source, attachments }: Shown,
  { created, address }: { readonly created: string; readonly address: string },
): Promise<string> {
  const template = document.createElement('template');
  template.innerHTML = renderMarkdown(source);
  const { content } = template;
  for (const link of content.querySelectorAll('a')) {
    link.replaceWith(element('a', { href: whole(link.getAttribute('href') ?? '') }, ...link.childNodes));
  }
  for (const table of content.querySelectorAll('table')) table.setAttribute('border', '1');
  for (const box of content.querySelectorAll('input')) box.replaceWith(box.checked ? '☑ ' : '☐ ');
  for (const caption of content.querySelectorAll('.caption')) caption.before(element('br', {}));
  await takePictures(content, attachments);
  const facts = [level, ownerName ?? owner, created, [...logbooks, ...tags].map(({ name }) => name).join(', ')];
  const files = attachments.map((file) =>
    element('li', {}, element('a', { href: whole(fileUrl(file, false)) }, shownFileName(file.filename))),
  );
  content.prepend(
    element('h1', {}, title),
    element('p', {}, `${facts.join(' · ')} · `, element('a', { href: address }, address)),
  );
  if (files.length > 0) content.append(element('ul', {}, ...files));
  return template.innerHTML;
}

/** Embeds the pictures in the text, up to the maximum total size. */
async function takePictures(
  content: DocumentFragment,
  attachments: readonly Entry['attachments'][number][],
): Promise<void> {
  let left = maxPictureBytes;
  for (const image of content.querySelectorAll('img')) {
    const file = attachments.find(({ id }) => id === decoded(image.dataset.attachment ?? ''));
    let src = whole(image.getAttribute('src') ?? '');
    if (file && isPicture(file.contentType) && file.size <= left) {
      left -= file.size;
      src = await dataUrl(fileUrl(file, true)).catch(() => src);
    }
    const size = ['width', 'height'].map((name) => [name, image.getAttribute(name) ?? ''] as const);
    const kept = Object.fromEntries(size.filter(([, value]) => value !== ''));
    image.replaceWith(element('img', { src, alt: image.alt, ...kept }));
  }
}

async function dataUrl(url: string): Promise<string> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the picture could not be read: ${response.status}`);
  const blob = await response.blob();
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
}

/** Returns the absolute form of an address. */
function whole(address: string): string {
  return URL.canParse(address, location.href) ? new URL(address, location.href).href : address;
}

function element(name: string, attributes: Readonly<Record<string, string>>, ...children: (Node | string)[]): Element {
  const made = document.implementation.createHTMLDocument('').createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}
