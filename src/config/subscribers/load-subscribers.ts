import { settingError } from '../setting.js';
import {
  defaultTextOf,
  type SubscriberKey,
  type SubscriberKeyName,
  type SubscriberKind,
  type SubscriberSetting,
  subscriberKeyNames,
  subscriberKeys,
} from './subscriber-keys.js';

/** The text of a key, and where it was found, for people. */
export interface SubscriberText {
  readonly text: string;
  readonly origin: string;
}

export interface LoadedSubscribers {
  readonly subscribers: readonly SubscriberSetting[];
  /** As lines `name = value  # origin`, secrets masked. */
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

/** Whether a name in the configuration belongs to a subscriber, or means to. */
export function isSubscriberKey(key: string): boolean {
  return key === 'subscriber' || key.startsWith('subscriber.');
}

/** Reads all that was said of subscribers, by key such as `subscriber.shift-chat.url`. */
export function loadSubscribers(texts: ReadonlyMap<string, SubscriberText>): LoadedSubscribers {
  const problems: string[] = [];
  const byName = new Map<string, Map<string, SubscriberText>>();
  for (const [key, text] of texts) {
    const [, name, what] = /^subscriber\.([A-Za-z0-9][\w-]{0,63})\.(\w+)$/.exec(key) ?? [];
    if (name === undefined || what === undefined) {
      problems.push(`${text.origin}: it must look like subscriber.NAME.KEY; a name has letters, digits, - and _`);
      continue;
    }
    const given = byName.get(name) ?? new Map<string, SubscriberText>();
    given.set(what, text);
    byName.set(name, given);
  }
  const subscribers: SubscriberSetting[] = [];
  const lines: string[] = [];
  for (const [name, given] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const read = readSubscriber(name, given);
    problems.push(...read.problems);
    lines.push(...read.lines);
    if (read.problems.length === 0) subscribers.push(read.subscriber);
  }
  return { subscribers, lines, problems };
}

function readSubscriber(name: string, given: ReadonlyMap<string, SubscriberText>) {
  const problems: string[] = [];
  const lines: string[] = [];
  const values: Record<string, unknown> = { name };
  const read = (key: SubscriberKeyName, defaultText: string) => {
    const { text, origin } = given.get(key) ?? { text: defaultText, origin: 'default' };
    const setting: SubscriberKey<unknown> = subscriberKeys[key];
    if (text.trim() === '' && setting.required) {
      problems.push(`subscriber.${name}.${key} is missing: ${setting.description}`);
      return;
    }
    try {
      values[key] = setting.parse(text);
      lines.push(`subscriber.${name}.${key} = ${setting.secret ? '********' : text}  # ${origin}`);
    } catch (error) {
      problems.push(settingError(origin, text, setting.secret, error));
    }
  };
  read('kind', '');
  for (const [key, { origin }] of given) {
    if (!Object.hasOwn(subscriberKeys, key)) {
      problems.push(`${origin}: a subscriber has no such key; it has ${subscriberKeyNames.join(', ')}`);
    }
  }
  const kind = values.kind as SubscriberKind | undefined;
  if (kind !== undefined) {
    for (const key of subscriberKeyNames) {
      const { kinds }: SubscriberKey<unknown> = subscriberKeys[key];
      if (key === 'kind') continue;
      if (kinds === undefined || kinds.includes(kind)) read(key, defaultTextOf(key, kind));
      else if (given.has(key)) problems.push(`${given.get(key)?.origin}: a subscriber by ${kind} has no ${key}`);
    }
  }
  return { subscriber: values as unknown as SubscriberSetting, lines, problems };
}
