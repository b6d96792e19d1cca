import { problemOf } from '../setting.js';
import {
  defaultTextOf,
  type FollowerKey,
  type FollowerKeyName,
  type FollowerKind,
  type FollowerSetting,
  followerKeyNames,
  followerKeys,
} from './subscriber-keys.js';

/** The text of a key, and where it was found, for people. */
export interface FollowerText {
  readonly text: string;
  readonly origin: string;
}

export interface LoadedFollowers {
  readonly followers: readonly FollowerSetting[];
  /** As lines `name = value  # origin`, secrets masked. */
  readonly lines: readonly string[];
  readonly problems: readonly string[];
}

/** Whether a name in the configuration belongs to a follower, or means to. */
export function isFollowerKey(key: string): boolean {
  return key === 'follower' || key.startsWith('follower.');
}

/** Reads all that was said of followers, by key such as `follower.shift-chat.url`. */
export function loadFollowers(texts: ReadonlyMap<string, FollowerText>): LoadedFollowers {
  const problems: string[] = [];
  const byName = new Map<string, Map<string, FollowerText>>();
  for (const [key, text] of texts) {
    const [, name, what] = /^follower\.([A-Za-z0-9][\w-]{0,63})\.(\w+)$/.exec(key) ?? [];
    if (name === undefined || what === undefined) {
      problems.push(`${text.origin}: it must look like follower.NAME.KEY; a name has letters, digits, - and _`);
      continue;
    }
    const given = byName.get(name) ?? new Map<string, FollowerText>();
    given.set(what, text);
    byName.set(name, given);
  }
  const followers: FollowerSetting[] = [];
  const lines: string[] = [];
  for (const [name, given] of [...byName].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const read = readFollower(name, given);
    problems.push(...read.problems);
    lines.push(...read.lines);
    if (read.problems.length === 0) followers.push(read.follower);
  }
  return { followers, lines, problems };
}

function readFollower(name: string, given: ReadonlyMap<string, FollowerText>) {
  const problems: string[] = [];
  const lines: string[] = [];
  const values: Record<string, unknown> = { name };
  const read = (key: FollowerKeyName, defaultText: string) => {
    const { text, origin } = given.get(key) ?? { text: defaultText, origin: 'default' };
    const setting: FollowerKey<unknown> = followerKeys[key];
    if (text.trim() === '' && setting.required) {
      problems.push(`follower.${name}.${key} is missing: ${setting.description}`);
      return;
    }
    try {
      values[key] = setting.parse(text);
      lines.push(`follower.${name}.${key} = ${setting.secret ? '********' : text}  # ${origin}`);
    } catch (error) {
      problems.push(problemOf(origin, text, setting.secret, error));
    }
  };
  read('kind', '');
  for (const [key, { origin }] of given) {
    if (!Object.hasOwn(followerKeys, key)) {
      problems.push(`${origin}: a follower has no such key; it has ${followerKeyNames.join(', ')}`);
    }
  }
  const kind = values.kind as FollowerKind | undefined;
  if (kind !== undefined) {
    for (const key of followerKeyNames) {
      const { kinds }: FollowerKey<unknown> = followerKeys[key];
      if (key === 'kind') continue;
      if (kinds === undefined || kinds.includes(kind)) read(key, defaultTextOf(key, kind));
      else if (given.has(key)) problems.push(`${given.get(key)?.origin}: a follower by ${kind} has no ${key}`);
    }
  }
  return { follower: values as unknown as FollowerSetting, lines, problems };
}
