import type { Alarm } from './device-view.js';
import { isRecord, toInstant } from './lenient-json.js';
import type { AlarmLog, AlarmRequest, LatestAlarms, Missing } from './sources.port.js';
import { toText, WebSource } from './web-source.js';

/** The alarm logger of Phoebus. */
export class AlarmLogger extends WebSource implements AlarmLog {
  protected readonly name = 'alarm-logger';

  async latest(name: string, { max, range }: AlarmRequest, signal: AbortSignal): Promise<LatestAlarms | Missing> {
    const size = Math.max(minSize, max * spare);
    const alarms: Alarm[] = [];
    let bounds = range;
    for (let requests = 1; ; requests += 1) {
      const answer = await this.search(name, { size, bounds }, signal);
      if ('missing' in answer) return answer;
      const { messages, restMs } = answer;
      const own = messages.filter(({ pv }) => pv === name).map(toAlarm);
      const inside = own.filter(({ at }) => !bounds || (at !== null && at >= bounds.startMs && at <= bounds.endMs));
      // The next answer repeats the messages of the oldest millisecond of this one.
      alarms.push(...inside.filter(({ at }) => restMs === undefined || at === null || at > restMs));
      if (restMs === undefined || restMs < (bounds?.startMs ?? 0) || alarms.length > max) return toLatest(alarms, max);
      if (requests === maxRequests || (bounds && restMs >= bounds.endMs)) {
        // Messages of other devices fill the answers.
        const found = [...alarms, ...inside.filter(({ at }) => at === restMs)];
        return found.length > 0 ? { ...toLatest(found, max), isCut: true } : crowdedOut;
      }
      bounds = { startMs: range?.startMs ?? 0, endMs: restMs };
    }
  }

  /** Searches for messages, newest first. The search also finds names that contain this one. */
  private async search(name: string, { size, bounds }: Search, signal: AbortSignal): Promise<Found | Missing> {
    const query = new URLSearchParams({ pv: name, size: String(size) });
    if (bounds) {
      query.set('start', new Date(bounds.startMs).toISOString());
      query.set('end', new Date(bounds.endMs).toISOString());
    }
    const answer = (await this.get(`/search/alarm?${query}`, signal)) ?? [];
    if (!Array.isArray(answer)) return { missing: 'the alarm logger sent something other than a list' };
    const all = answer.filter(isRecord);
    const times = answer.length < size ? [] : all.map(timeOf).filter((at) => at !== undefined);
    // Changes of the configuration have no severity.
    const messages = all.filter(({ severity }) => toText(severity) !== '');
    return { messages, restMs: times.length > 0 ? Math.min(...times) : undefined };
  }
}

type Message = Readonly<Record<string, unknown>>;

interface Search {
  readonly size: number;
  readonly bounds: AlarmRequest['range'];
}

interface Found {
  readonly messages: readonly Message[];
  /** Time of the oldest message, if there may be older ones; undefined: there are none. */
  readonly restMs: number | undefined;
}

/** Ratio of requested to wanted messages, because some of the messages belong to other devices. */
const spare = 5;
/** Minimum number of requested messages, and maximum number of requests. */
const minSize = 200;
const maxRequests = 8;

const crowdedOut: Missing = { missing: 'the newest messages that match its name belong to other devices' };

function toLatest(alarms: Alarm[], max: number): LatestAlarms {
  const sorted = alarms.sort((one, other) => (other.at ?? 0) - (one.at ?? 0));
  return { alarms: sorted.slice(0, max), isCut: sorted.length > max };
}

function timeOf(message: Message): number | undefined {
  return toTime(message.message_time) ?? toTime(message.time);
}

function toAlarm(message: Message): Alarm {
  return {
    at: timeOf(message) ?? null,
    severity: toText(message.severity),
    message: toText(message.message),
    currentSeverity: toText(message.current_severity),
    value: toText(message.value),
  };
}

/** Reads a time, which a server may send as a string in UTC, as seconds, or as an object of seconds and nanoseconds. */
function toTime(value: unknown): number | undefined {
  if (isRecord(value)) return toInstant(value.epochSecond ?? value.seconds, value.nano ?? value.nanos);
  if (typeof value === 'number') return toInstant(value, (value % 1) * 1e9);
  if (typeof value !== 'string') return undefined;
  const written = value.trim().replace(' ', 'T');
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(written) ? written : `${written}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
