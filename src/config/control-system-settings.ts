import { longestLiteral } from '../../packages/search-language/wildcard.js';
import { deviceLimits } from '../entries/device-options.js';
import type { ControlSystemOptions } from './service-options.js';
import { setting, splitList } from './setting-types.js';

/** Settings for the devices that entries name. */
export const controlSystemSettings = {
  deviceNames: setting(
    'PATTERNS',
    '',
    'Patterns of device names in entries, with the wildcards * and ?, comma-separated; a pattern after - excludes names: SR:*,BR:*,-SR:TEST*. Names are recognised when an entry is stored.',
    parseDeviceNames,
  ),
} as const;

type Values = {
  readonly [K in keyof typeof controlSystemSettings]: ReturnType<(typeof controlSystemSettings)[K]['parse']>;
};

export function toControlSystemOptions({ deviceNames }: Values): ControlSystemOptions {
  return { deviceNames };
}

function parseDeviceNames(value: string): string[] {
  const patterns = splitList(value);
  if (patterns.length > deviceLimits.patterns) {
    throw new Error(`it has ${patterns.length} patterns; use at most ${deviceLimits.patterns}`);
  }
  for (const pattern of patterns) {
    if (pattern.length <= deviceLimits.patternLength && longestLiteral(pattern.replace(/^-/, '')) !== '') continue;
    const characters = `at most ${deviceLimits.patternLength} characters, and one that is not a wildcard`;
    throw new Error(`each pattern must have ${characters}: “${pattern}”`);
  }
  return patterns;
}
