import { plotFileName, plotLines } from '../../packages/control-system/plot-file-name.js';
import { renderHtml } from '../../packages/markup/html.js';
import type { Attachment } from '../attachments/attachment.js';
import type { Entry } from '../entries/entry.js';

const embedded = /^(?:[^?#]*\/)?attachment\/([^/?#]+)$/;

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
article{border-top:1px solid #999;padding:1rem 0}header,footer{color:#555;font-size:.9rem}
img{max-width:100%}.captioned{display:inline-block;max-width:100%}.caption{display:block;contain:inline-size;color:#555;font-size:.9rem}
table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2rem .5rem}
pre{overflow-x:auto;background:#f4f4f4;padding:.5rem}.plain{white-space:pre-wrap;margin:0}.info{color:#555}
.align-right{text-align:right}.align-center{text-align:center}
.typed{list-style:none}.marker{display:inline-block;min-width:1.25rem;margin-left:-1.25rem}`;

/** Returns the beginning of a page; it runs no scripts and loads nothing from elsewhere. */
export function pageStart(title: string): string {
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src 'self' file:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><style>${style}</style></head><body>
<h1>${escapeHtml(title)}</h1>
`;
}

export const pageEnd = '</body></html>\n';

export interface EntryAddresses {
  /** Returns the path of a file of the entry. */
  readonly pathOf: (attachment: Attachment) => string;
  /** Address of the entry in the logbook; undefined when no public address is configured. */
  readonly link: string | undefined;
}

export function renderEntry(entry: Entry, { pathOf, link }: EntryAddresses): string {
  const { id, title, owner, ownerName, level, createdDate, modifyDate, logbooks, tags, attachments } = entry;
  const edited = modifyDate === null ? '' : `, edited ${toTime(modifyDate)}`;
  const names = [...logbooks, ...tags].map(({ name }) => name).join(', ');
  const links = attachments.map(
    (file) => `<li><a href="${toHref(pathOf(file))}">${escapeHtml(file.filename)}</a></li>`,
  );
  const heading = escapeHtml(title) || `Entry ${id}`;
  return `<article id="entry-${id}"><h2>${link === undefined ? heading : `<a href="${escapeHtml(link)}">${heading}</a>`}</h2>
<header>${id} · ${toTime(createdDate)}${edited} · ${escapeHtml(ownerName ?? owner)} · ${escapeHtml(level)} · ${escapeHtml(names)}</header>
${renderText(entry, pathOf)}
${renderProperties(entry)}${links.length === 0 ? '' : `<footer><ul>${links.join('')}</ul></footer>`}</article>
`;
}

function renderText({ source, attachments }: Entry, pathOf: (attachment: Attachment) => string): string {
  const files = new Map(attachments.map((file) => [file.id, file]));
  const find = (target: string) => {
    const file = files.get(decoded(embedded.exec(target)?.[1] ?? ''));
    return file && toHref(pathOf(file));
  };
  return renderHtml(source, {
    captionClass: 'caption',
    link: (target) => ({ href: find(target) ?? target }),
    image: (target) => {
      const src = find(target);
      return src === undefined ? undefined : { src };
    },
    block: (info, content) => {
      if (info !== 'plot') return undefined;
      const name = plotFileName(plotLines(content));
      const plot = attachments.find(({ filename }) => filename === name);
      return plot ? `<p><img src="${toHref(pathOf(plot))}" alt="${escapeHtml(content)}"></p>\n` : undefined;
    },
  });
}

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function renderProperties({ properties }: Entry): string {
  const rows = properties.flatMap(({ name, attributes }) =>
    attributes.map(
      (attribute) =>
        `<tr><td>${escapeHtml(name)}</td><td>${escapeHtml(attribute.name)}</td><td>${escapeHtml(attribute.value ?? '')}</td></tr>`,
    ),
  );
  return rows.length === 0 ? '' : `<table>${rows.join('')}</table>\n`;
}

function toHref(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function toTime(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace(/[.].*/, ' UTC');
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}
