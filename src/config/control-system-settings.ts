import { longestLiteral } from '../../packages/search-language/wildcard.js';
import { deviceLimits } from '../entries/device-options.js';
import type { ControlSystemOptions } from './service-options.js';
import { caFile, optional, setting, splitList } from './setting-types.js';

/** Settings for the devices that entries name. */
export const controlSystemSettings = {
  deviceNames: setting(
    'PATTERNS',
    '',
    'Patterns of device names in entries, with the wildcards * and ?, comma-separated; a pattern after - excludes names: SR:*,BR:*,-SR:TEST*. Names are recognised when an entry is stored.',
    parseDeviceNames,
  ),
  pvwsUrl: optional(
    'URL',
    'Address of PVWS, from which new entries receive the values of their devices, such as ws://pvws.example.org:8080/pvws/pv.',
    parseUrl('ws', 'ws://pvws.example.org:8080/pvws/pv'),
  ),
  archiverUrl: optional(
    'URL',
    'Address of the data retrieval of an EPICS Archiver Appliance, from which entries receive values later, such as http://archiver.example.org:17668/retrieval.',
    parseUrl('http', 'http://archiver.example.org:17668/retrieval'),
  ),
  controlSystemCaFile: caFile('PEM file with the CAs to trust for pvwsUrl and archiverUrl. Empty: the public CAs.'),
} as const;

type Values = {
  readonly [K in keyof typeof controlSystemSettings]: ReturnType<(typeof controlSystemSettings)[K]['parse']>;
};

const pvwsTimeoutMs = 1_500;
const archiverTimeoutMs = 10_000;

export function toControlSystemOptions(values: Values): ControlSystemOptions {
  const { deviceNames, pvwsUrl, archiverUrl } = values;
  const caCertificates = values.controlSystemCaFile?.pem;
  return {
    deviceNames,
    pvws: pvwsUrl === undefined ? undefined : { url: pvwsUrl, caCertificates, timeoutMs: pvwsTimeoutMs },
    archiver:
      archiverUrl === undefined ? undefined : { url: archiverUrl, caCertificates, timeoutMs: archiverTimeoutMs },
  };
}

/** Finds what is wrong with these settings together. */
export function checkControlSystemSettings(isSet: (name: keyof typeof controlSystemSettings) => boolean): string[] {
  if (isSet('deviceNames')) return [];
  return (['pvwsUrl', 'archiverUrl'] as const)
    .filter(isSet)
    .map((name) => `${name} has no effect without deviceNames: set deviceNames, or remove ${name}`);
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

/** @param scheme without TLS; with it, an `s` follows */
function parseUrl(scheme: string, example: string): (value: string) => string {
  return (value) => {
    const url = URL.canParse(value) ? new URL(value) : undefined;
    const isPlain = url?.username === '' && url.search === '' && url.hash === '';
    if (!url || !isPlain || ![`${scheme}:`, `${scheme}s:`].includes(url.protocol)) {
      throw new Error(`it must be a URL such as ${example}`);
    }
    return url.href;
  };
}
