import type { Channel } from './device-view.js';
import { isRecord } from './lenient-json.js';
import type { Directory, Missing, WantedNames } from './sources.port.js';
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
      const names = await this.namesLike(glob, page, signal);
      const others = names.filter((one) => one !== name && one.startsWith(prefix));
      for (const one of others.filter(wanted.isWanted)) found.add(one);
      if (names.length < pageNames) break;
    }
    return [...found].sort().slice(0, wanted.max);
  }

  private async namesLike(glob: string, page: number, signal: AbortSignal): Promise<string[]> {
    const query = Object.entries({ '~name': glob, '~size': pageNames, '~from': page });
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
