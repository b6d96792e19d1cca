import { longestLiteral } from '../../packages/search-language/wildcard.js';
import { deviceLimits } from '../entries/device-options.js';
import type { ControlSystemOptions } from './service-options.js';
import { caFile, flag, list, optional, setting, splitList } from './setting-types.js';

/** Settings for the devices that entries name. */
export const controlSystemSettings = {
  deviceNames: setting(
    'PATTERNS',
    '',
    'Patterns of device names in entries, with the wildcards * and ?, comma-separated; a pattern after - excludes names: SR:*,BR:*,-SR:TEST*. Names are recognised when an entry is stored.',
    parseDeviceNames,
  ),
  deviceNamesFromDirectory: flag(
    'false',
    'Whether names of Channel Finder in entries are recognised as well, at most 200,000. They are read at the start and then every hour.',
  ),
  pvwsUrl: optional(
    'URL',
    'Address of PVWS, from which new entries receive the values of their devices, such as ws://pvws.example.org:8080/pvws/pv.',
    parseUrl('ws', 'ws://pvws.example.org:8080/pvws/pv'),
  ),
  channelAccessAddresses: list(
    'ADDRESSES',
    '',
    'Hosts and broadcast addresses that Channel Access searches for devices, comma-separated, such as 10.1.255.255,gateway.example.org:5064. Default port: 5064.',
    parseAddress,
  ),
  archiverUrl: optional(
    'URL',
    'Address of the data retrieval of an EPICS Archiver Appliance, from which entries receive values later, such as http://archiver.example.org:17668/retrieval.',
    parseUrl('http', 'http://archiver.example.org:17668/retrieval'),
  ),
  channelFinderUrl: optional(
    'URL',
    'Address of Channel Finder, from which device pages show properties, tags and neighbours, such as http://channelfinder.example.org:8080/ChannelFinder.',
    parseUrl('http', 'http://channelfinder.example.org:8080/ChannelFinder'),
  ),
  alarmLoggerUrl: optional(
    'URL',
    'Address of the Phoebus alarm logger, from which device pages show alarms, such as http://alarms.example.org:8080.',
    parseUrl('http', 'http://alarms.example.org:8080'),
  ),
  saveAndRestoreUrl: optional(
    'URL',
    'Address of the Phoebus save-and-restore service, from which device pages show saved values, such as http://save.example.org:8080/save-restore.',
    parseUrl('http', 'http://save.example.org:8080/save-restore'),
  ),
  controlSystemCaFile: caFile(
    'PEM file with the CAs to trust for the servers of the control system. Empty: the public CAs.',
  ),
} as const;

type Values = {
  readonly [K in keyof typeof controlSystemSettings]: ReturnType<(typeof controlSystemSettings)[K]['parse']>;
};

const liveTimeoutMs = 1_500;
const archiverTimeoutMs = 10_000;
/** Time limit for the additional sources of a device page, which waits for them. */
const detailsTimeoutMs = 3_000;

export function toControlSystemOptions(values: Values): ControlSystemOptions {
  const { deviceNames, pvwsUrl, archiverUrl, channelFinderUrl, alarmLoggerUrl, saveAndRestoreUrl } = values;
  const { channelAccessAddresses: addresses, deviceNamesFromDirectory } = values;
  const caCertificates = values.controlSystemCaFile?.pem;
  const source = (url: string | undefined, timeoutMs: number) =>
    url === undefined ? undefined : { url, caCertificates, timeoutMs };
  return {
    deviceNames,
    deviceNamesFromDirectory,
    pvws: source(pvwsUrl, liveTimeoutMs),
    channelAccess: addresses.length === 0 ? undefined : { addresses, timeoutMs: liveTimeoutMs },
    archiver: source(archiverUrl, archiverTimeoutMs),
    channelFinder: source(channelFinderUrl, detailsTimeoutMs),
    alarmLogger: source(alarmLoggerUrl, detailsTimeoutMs),
    saveAndRestore: source(saveAndRestoreUrl, detailsTimeoutMs),
  };
}

const sourceSettings = [
  'pvwsUrl',
  'channelAccessAddresses',
  'archiverUrl',
  'channelFinderUrl',
  'alarmLoggerUrl',
  'saveAndRestoreUrl',
] as const;

/** Finds problems in the combination of these settings. */
export function checkControlSystemSettings(
  { deviceNamesFromDirectory }: Partial<Values>,
  isSet: (name: keyof Values) => boolean,
): string[] {
  if (deviceNamesFromDirectory && !isSet('channelFinderUrl')) {
    return ['deviceNamesFromDirectory needs a directory: set channelFinderUrl'];
  }
  if (deviceNamesFromDirectory || isSet('deviceNames')) return [];
  return sourceSettings
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

function parseAddress(value: string): string {
  const [, port = '5064'] = /^[\w.-]+(?::(\d{1,5}))?$/.exec(value) ?? [undefined, ''];
  if (Number(port) >= 1 && Number(port) <= 65_535) return value;
  throw new Error(`use IPv4 addresses or names of hosts with an optional port, separated by commas: “${value}”`);
}

/** @param scheme scheme without TLS; the one with TLS has an additional `s` */
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
