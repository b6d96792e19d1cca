/** Target of an address in a text. It need not exist. */
export type Named =
  /** A file that is part of the text. */
  | { readonly kind: 'data'; readonly at: number }
  /** Stored file of a logbook: the first existing one of the names. `elsewhere`: the address, if it names a server. */
  | {
      readonly kind: 'stored';
      readonly logbook: string;
      readonly names: readonly string[];
      readonly elsewhere: string | undefined;
    }
  /** Entry, or its file with this number, from 1. */
  | {
      readonly kind: 'entry';
      readonly logbook: string;
      readonly id: number;
      readonly file: number | undefined;
      readonly elsewhere: string | undefined;
    }
  | { readonly kind: 'ornament' }
  | { readonly kind: 'page'; readonly address: string }
  | { readonly kind: 'nothing' };

export interface AddressContext {
  readonly logbook: string;
  readonly id: number;
  /** Returns the logbook that an address names; undefined when there is none. */
  findLogbook(name: string): string | undefined;
  /** Addresses of the server; empty: any server is accepted if the logbook exists. */
  readonly servers: readonly URL[];
  decode(bytes: Uint8Array): string;
}

const self = 'http://elog.invalid';
const otherSchemes = /^(ftp|mailto|tel|news|ldaps?|ssh|sftp|irc|xmpp|sip|callto|skype|msteams|onenote|svn|git):$/;
const ornaments = /(^|\/)(icons|smileys?|emoticons|ckeditor|fckeditor|themes)\//i;

/** Resolves an address relative to the page of the logbook, as ELOG and browsers do. */
export function readAddress(address: string, context: AddressContext): Named {
  const trimmed = address.trim();
  const [, data] = /^elog-data:(\d{1,6})$/.exec(trimmed) ?? [];
  if (data !== undefined) return { kind: 'data', at: Number(data) };
  if (/^elog:/i.test(trimmed)) return readElogLink(trimmed.slice(5), context);
  if (trimmed === '' || trimmed.startsWith('#')) return { kind: 'nothing' };
  const url = parse(trimmed, `${self}/${encodeURIComponent(context.logbook)}/${context.id}`);
  if (!url) return { kind: 'nothing' };
  if (!/^https?:$/.test(url.protocol)) {
    return otherSchemes.test(url.protocol) ? { kind: 'page', address: trimmed } : { kind: 'nothing' };
  }
  const isHere = url.origin === self;
  const named = isHere || isServer(url, context.servers) ? readUrl(url, trimmed, context) : undefined;
  if (named) return isHere ? named : { ...named, elsewhere: trimmed };
  if (!isHere) return { kind: 'page', address: trimmed };
  return ornaments.test(url.pathname) ? { kind: 'ornament' } : { kind: 'nothing' };
}

type NamedHere = Extract<Named, { readonly kind: 'stored' | 'entry' }>;

function readElogLink(link: string, context: AddressContext): Named {
  const [path = ''] = link.split(/[?#]/);
  const [, file] = /^\/(\d{1,4})$/.exec(path) ?? [];
  const { logbook, id } = context;
  if (file !== undefined) return { kind: 'entry', logbook, id, file: Number(file), elsewhere: undefined };
  return readSegments(path, '', logbook, context) ?? { kind: 'nothing' };
}

function parse(address: string, base: string): URL | undefined {
  try {
    return new URL(address, base);
  } catch {
    return undefined;
  }
}

/** Whether a URL is on the server. Compares only host names, because a proxy may change scheme, port and path. */
function isServer({ hostname }: URL, servers: readonly URL[]): boolean {
  return servers.length === 0 || servers.some((server) => server.hostname === hostname);
}

function readUrl(url: URL, address: string, context: AddressContext): NamedHere | undefined {
  const named = readSegments(url.pathname, url.hash, undefined, context);
  if (named?.kind !== 'stored') return named;
  const [, lb = ''] = /[?&]lb=([^&]*)/.exec(url.search) ?? [];
  const logbook = findLogbook(readingsOf(lb, context), context);
  // A typed name may contain a percent sign that is not part of an encoding.
  const [, typed] = /\d{6}_\d{6}[/_]([^/]+)$/.exec(address) ?? [];
  const prefix = named.names[0]?.slice(0, 14) ?? '';
  const names = typed === undefined ? named.names : [...named.names, prefix + typed];
  // The server sends a preview of a file that is not a picture.
  const previews = url.searchParams.has('thumb') ? names.flatMap((name) => [`${name}-0.png`, `${name}.png`]) : [];
  return { ...named, names: [...previews, ...names], logbook: logbook ?? named.logbook };
}

/**
 * Parses the end of a path: a logbook, then a file or an entry.
 * @param logbook logbook of a path that names none; undefined: such a path does not belong to the ELOG
 */
function readSegments(
  path: string,
  hash: string,
  logbook: string | undefined,
  context: AddressContext,
): NamedHere | undefined {
  const segments = path.split('/').filter((segment) => segment !== '');
  const readings = segments.map((segment) => readingsOf(segment, context));
  const at = readings.slice(0, -1).findLastIndex((one) => findLogbook(one, context) !== undefined);
  const found = at < 0 ? logbook : findLogbook(readings[at] ?? [], context);
  if (found === undefined) return undefined;
  const rest = readings.slice(at + 1);
  const [id = '', file] = rest.map(([first = '']) => first);
  const stored = storedNames(rest.length > 1 && /^\d{1,9}$/.test(id) ? rest.slice(1) : rest);
  const here = { logbook: found, elsewhere: undefined };
  if (stored.length > 0) {
    return { kind: 'stored', names: hash === '' ? stored : [...stored.map((name) => name + hash), ...stored], ...here };
  }
  if (rest.length > 2 || !/^\d{1,9}$/.test(id) || !/^\d{1,4}$/.test(file ?? '1')) return undefined;
  return { kind: 'entry', id: Number(id), file: file === undefined ? undefined : Number(file), ...here };
}

/**
 * Returns the possible names of a stored file, such as `190102_093000_plot.png`, which is `190102_093000/plot.png` in
 * addresses.
 */
function storedNames(rest: readonly (readonly string[])[]): string[] {
  const [[first = ''] = [], last] = rest;
  const isDivided = rest.length === 2 && /^\d{6}_\d{6}$/.test(first);
  const whole = isDivided ? last?.map((name) => `${first}_${name}`) : rest.length === 1 ? rest[0] : undefined;
  const names = whole?.filter((name) => /^\d{6}_\d{6}_.+$/su.test(name)) ?? [];
  return [...names, ...names.map((name) => name.replaceAll('+', ' '))];
}

function findLogbook(readings: readonly string[], context: AddressContext): string | undefined {
  return readings.map((name) => context.findLogbook(name)).find((found) => found !== undefined);
}

const maxReadings = 3;

/** Returns the possible meanings of a segment, because editors and proxies encode some addresses again. */
function readingsOf(segment: string, context: AddressContext): string[] {
  const readings = new Set<string>();
  let reading = segment;
  for (let count = 0; count < maxReadings; count++) {
    reading = decodeSegment(reading, context);
    readings.add(reading);
  }
  return [...readings];
}

/** Decodes percent-encoded bytes, which are in UTF-8 or in the charset of the server. */
function decodeSegment(segment: string, { decode }: AddressContext): string {
  return segment.replace(/(?:%[\da-f]{2})+/gi, (encoded) => decode(Buffer.from(encoded.replaceAll('%', ''), 'hex')));
}
