import { resolveFile } from '../file-path.js';
import type { GivenText } from '../given-settings.js';
import { settingError } from '../setting.js';
import { listSpellings, type Spelling } from '../setting-names.js';
import {
  defaultTextOf,
  type SubscriberKey,
  type SubscriberKeyName,
  type SubscriberKind,
  type SubscriberSetting,
  subscriberKeyNames,
  subscriberKeys,
} from './subscriber-keys.js';

export interface LoadedSubscribers {
  readonly subscribers: readonly SubscriberSetting[];
  /** Lines `name = value  # origin`, with secrets masked. */
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

const keySpellings = listSpellings(
  subscriberKeyNames.map((name) => ({ name, ...(subscriberKeys[name] as SubscriberKey<unknown>) })),
);

/**
 * Returns the spelling of a key that begins with `subscriber`, or with its former name `follower`; undefined for other
 * keys. Does not check the rest of the key.
 */
export function subscriberSpelling(key: string): Spelling | undefined {
  const [, prefix, rest = ''] = /^(subscriber|follower)(\..*)?$/s.exec(key) ?? [];
  if (prefix === undefined) return undefined;
  const dot = rest.lastIndexOf('.') + 1;
  const known = keySpellings.get(rest.slice(dot));
  const name = `subscriber${rest.slice(0, dot)}${known?.name ?? rest.slice(dot)}`;
  return { name, used: key, isFormer: name !== key };
}

/** Parses the settings of all subscribers, each with its key, such as `subscriber.shift-chat.url`. */
export function loadSubscribers(texts: Iterable<readonly [string, GivenText]>): LoadedSubscribers {
  const problems: string[] = [];
  const byName = groupByName(texts, problems);
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

function groupByName(texts: Iterable<readonly [string, GivenText]>, problems: string[]) {
  const byName = new Map<string, Map<string, GivenText>>();
  for (const [key, text] of texts) {
    const [, name, subscriberKey] = /^subscriber\.([A-Za-z0-9][\w-]{0,63})\.(\w+)$/.exec(key) ?? [];
    if (name === undefined || subscriberKey === undefined) {
      problems.push(`${text.origin}: it must look like subscriber.NAME.KEY; a name has letters, digits, - and _`);
      continue;
    }
    const given = byName.get(name) ?? new Map<string, GivenText>();
    given.set(subscriberKey, text);
    byName.set(name, given);
  }
  return byName;
}

function readSubscriber(name: string, given: ReadonlyMap<string, GivenText>) {
  const problems: string[] = [];
  const lines: string[] = [];
  const values: Record<string, unknown> = { name };
  const read = (key: SubscriberKeyName, defaultText: string) => {
    const { text, origin, dir }: GivenText = given.get(key) ?? { text: defaultText, origin: 'default' };
    const setting: SubscriberKey<unknown> = subscriberKeys[key];
    if (text.trim() === '' && setting.required) {
      problems.push(`subscriber.${name}.${key} is missing: ${setting.description}`);
      return;
    }
    try {
      values[key] = setting.parse(setting.isFile ? resolveFile(text, dir) : text);
      lines.push(`subscriber.${name}.${key} = ${setting.secret ? '********' : text}  # ${origin}`);
    } catch (error) {
      problems.push(settingError(origin, text, setting.secret, error));
    }
  };
  read('kind', '');
  for (const [key, { origin }] of given) {
    if (!Object.hasOwn(subscriberKeys, key)) {
      problems.push(`${origin}: unknown key of a subscriber; the keys are ${subscriberKeyNames.join(', ')}`);
    }
  }
  const kind = values.kind as SubscriberKind | undefined;
  if (kind !== undefined) {
    for (const key of subscriberKeyNames) {
      const { kinds }: SubscriberKey<unknown> = subscriberKeys[key];
      if (key === 'kind') continue;
      if (kinds === undefined || kinds.includes(kind)) read(key, defaultTextOf(key, kind));
      else if (given.has(key)) problems.push(`${given.get(key)?.origin}: a subscriber of kind ${kind} has no ${key}`);
    }
  }
  return { subscriber: values as unknown as SubscriberSetting, lines, problems };
}
