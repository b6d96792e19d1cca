import { decoded } from '../components/decoded.ts';

/** Location of the pages of the service. */
export interface Site {
  /** Origin of this page, such as `https://log.example.org`. */
  readonly origin: string;
  readonly rootPath: string;
}

/** Addresses at which a browser that opens a link would sign its user out or in. */
const changesState = /\/(logout|login)(\/|$)/i;

/**
 * Returns the attributes of a link to an address that somebody has typed, as the browser understands it. Another site
 * opens in a new tab and cannot reach this one; an address that does something when it is opened has no link.
 */
export function linkAttributes(typed: string, { origin, rootPath }: Site): Readonly<Record<string, string>> {
  const target = fromText(typed, rootPath);
  const base = `${origin}/entries/1`;
  if (!URL.canParse(target, base)) return {};
  const url = new URL(target, base);
  if (url.origin !== origin) return { href: target, target: '_blank', rel: 'noreferrer' };
  if (changesState.test(decoded(url.pathname))) return {};
  return { href: /^[a-z][a-z\d+.-]*:/i.test(target) ? `${url.pathname}${url.search}${url.hash}` : target };
}

/** Resolves an address in a text: it is relative to the root path, and `#48211` is an entry. */
function fromText(typed: string, rootPath: string): string {
  const [, id] = /^#(\d+)$/.exec(typed) ?? [];
  if (id !== undefined) return `/entries/${id}`;
  return /^(attachment|logs)\//.test(typed) ? `${rootPath}/${typed}` : typed;
}
