import type { Channel } from './device-view.js';
import { isRecord } from './lenient-json.js';
import type { Directory, Missing } from './sources.port.js';
import { toText, WebSource } from './web-source.js';

const maxProperties = 100;

/** Channel Finder, the directory of the devices of a site. */
export class ChannelFinder extends WebSource implements Directory {
  protected readonly name = 'channel-finder';

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

  async neighbours(name: string, max: number, signal: AbortSignal): Promise<readonly string[]> {
    const prefix = prefixOf(name);
    if (prefix === '') return [];
    // A wildcard within the name has no other way to be written.
    const glob = `${prefix.replace(/[*,;|]/g, '?')}*`;
    const query = `${encodeURIComponent('~name')}=${encodeURIComponent(glob)}&${encodeURIComponent('~size')}=${max + 1}`;
    const names = records(await this.get(`/resources/channels?${query}`, signal), max + 1).map((one) =>
      toText(one.name),
    );
    return [...new Set(names)]
      .filter((one) => one !== name && one.startsWith(prefix))
      .sort()
      .slice(0, max);
  }
}

/** Returns the name up to its last separator that is followed by something. */
function prefixOf(name: string): string {
  return /^.*[:}/](?=.)/u.exec(name)?.[0] ?? '';
}

function records(list: unknown, max = maxProperties): Readonly<Record<string, unknown>>[] {
  return Array.isArray(list) ? list.slice(0, max).filter(isRecord) : [];
}
