import type { Alarm } from './device-view.js';
import { isRecord, toInstant } from './lenient-json.js';
import type { AlarmLog, AlarmRequest, Missing } from './sources.port.js';
import { toText, WebSource } from './web-source.js';

/** The alarm logger of Phoebus. */
export class AlarmLogger extends WebSource implements AlarmLog {
  protected readonly name = 'alarm-logger';

  async latest(name: string, { max, range }: AlarmRequest, signal: AbortSignal): Promise<readonly Alarm[] | Missing> {
    const query = new URLSearchParams({ pv: name, size: String(max * spare) });
    if (range) {
      query.set('start', new Date(range.startMs).toISOString());
      query.set('end', new Date(range.endMs).toISOString());
    }
    const answer = await this.get(`/search/alarm?${query}`, signal);
    if (answer === undefined) return [];
    if (!Array.isArray(answer)) return { missing: 'the alarm logger sent something other than a list' };
    // The search also finds names that contain this one, and changes of the configuration.
    const own = answer.filter(isRecord).filter((one) => one.pv === name && toText(one.severity) !== '');
    return own
      .map(toAlarm)
      .filter(({ at }) => !range || (at !== null && at >= range.startMs && at <= range.endMs))
      .sort((one, other) => (other.at ?? 0) - (one.at ?? 0))
      .slice(0, max);
  }
}

/** Ratio of requested to wanted messages, because some of the messages belong to other devices. */
const spare = 5;

function toAlarm(message: Readonly<Record<string, unknown>>): Alarm {
  return {
    at: toTime(message.message_time) ?? toTime(message.time) ?? null,
    severity: toText(message.severity),
    message: toText(message.message),
    currentSeverity: toText(message.current_severity),
    value: toText(message.value),
  };
}

/** Reads a time, which a server may send as a text in UTC, as seconds, or as an object with seconds and nanoseconds. */
function toTime(value: unknown): number | undefined {
  if (isRecord(value)) return toInstant(value.epochSecond ?? value.seconds, value.nano ?? value.nanos);
  if (typeof value === 'number') return toInstant(value, (value % 1) * 1e9);
  if (typeof value !== 'string') return undefined;
  const written = value.trim().replace(' ', 'T');
  const ms = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(written) ? written : `${written}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
