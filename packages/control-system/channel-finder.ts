import type { Channel } from './device-view.js';
import { isRecord } from './lenient-json.js';
import { type Directory, type Missing, SourceUnavailable, type WantedNames } from './sources.port.js';
import { toText, WebSource, type WebSourceOptions } from './web-source.js';

const maxProperties = 100;
/** Maximum number of pages of names that are read to find enough wanted names. `pageNames` is the size of a page. */
const maxPages = 10;
const pageNames = 51;

/** Channel Finder, the device directory of a site. */
export class ChannelFinder extends WebSource implements Directory {
  protected readonly name = 'channel-finder';
  /** Time after which no further page of names is read. */
  private readonly pagesMs: number;

  constructor(options: WebSourceOptions) {
    super(options);
    this.pagesMs = options.timeoutMs;
  }

  async find(name: string, signal: AbortSignal): Promise<Channel | Missing> {
    const answer = await this.get(`/resources/channels/${encodeURIComponent(name)}`, signal);
    if (answer === undefined) return { missing: 'Channel Finder does not have it', code: 'unknown' };
    if (!isRecord(answer)) return { missing: 'Channel Finder sent something other than a channel' };
    const { owner, properties, tags } = answer;
    return {
      owner: toText(owner),
      properties: records(properties).map((one) => ({ name: toText(one.name), value: toText(one.value) })),
      tags: records(tags).map((one) => toText(one.name)),
    };
  }

  async neighbours(name: string, wanted: WantedNames, signal: AbortSignal): Promise<readonly string[]> {
    const prefix = prefixOf(name);
    if (prefix === '') return [];
    // The query has no escapes for these characters, so a wildcard replaces them.
    const glob = `${prefix.replace(/[*,;|]/g, '?')}*`;
    const found = new Set<string>();
    const endMs = performance.now() + this.pagesMs;
    for (let page = 0; page < maxPages && found.size < wanted.max && performance.now() < endMs; page++) {
      const names = await this.query({ '~name': glob, '~from': page * pageNames }, signal);
      const others = names.filter((one) => one !== name && one.startsWith(prefix));
      for (const one of others.filter(wanted.isWanted)) found.add(one);
      if (names.length < pageNames) break;
    }
    return [...found].sort().slice(0, wanted.max);
  }

  async list(max: number, signal: AbortSignal): Promise<ReadonlySet<string>> {
    const listed = new Set<string>();
    let page: string[];
    let last: string | undefined;
    do {
      // Beyond 10,000 names, `~from` is refused.
      page = await this.query({ '~name': '*', ...(last !== undefined && { '~search_after': last }) }, signal);
      if (page.some((name) => listed.has(name))) throw new SourceUnavailable('it sent the same names again');
      // Before 4.7, `~search_after` was taken for the name of a property, which no channel has.
      const isEndAtOnce = page.length === 0 && listed.size === pageNames;
      if (isEndAtOnce && (await this.query({ '~name': '*', '~from': pageNames }, signal)).length > 0) {
        throw new SourceUnavailable('it sends only its first names; Channel Finder 4.7 or later sends all');
      }
      for (const name of page) if (listed.size < max) listed.add(name);
      last = page.at(-1);
    } while (page.length === pageNames && listed.size < max);
    // The address is wrong, or the directory is just being filled: known names must not be lost.
    if (listed.size === 0) throw new SourceUnavailable('it has no names');
    return listed;
  }

  /** Returns a page of names that match the parameters, in order. */
  private async query(parameters: Readonly<Record<string, string | number>>, signal: AbortSignal): Promise<string[]> {
    const query = Object.entries({ ...parameters, '~size': pageNames });
    const text = query.map(([key, value]) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&');
    const channels = await this.get(`/resources/channels?${text}`, signal);
    return records(channels, pageNames).map(({ name }) => toText(name));
  }
}

/** Returns the name up to its last separator that is not at the end. */
function prefixOf(name: string): string {
  return /^.*[:}/](?=.)/u.exec(name)?.[0] ?? '';
}

function records(list: unknown, max = maxProperties): Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.slice(0, max).filter(isRecord) : [];
}
